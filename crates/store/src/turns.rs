//! Whose turn it is in a queue of rows: that of the account which was served longest ago. So a newcomer waits for what
//! is being worked on, and never for another account's queue. Each queue orders its rows by its `…_turn`.

use model::{AccountId, Timestamp};

use crate::{Result, Tx};

const BUILD: &str = "
UPDATE accounts
SET build_turn = $1
WHERE id = $2";
const TRANSCODE: &str = "
UPDATE accounts
SET transcode_turn = $1
WHERE id = $2";

const COPIES: &str = "
UPDATE accounts
SET copies_turn = $1
WHERE id = $2";

const PINGS: &str = "
UPDATE accounts
SET ping_turn = $1
WHERE id = $2";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Queue {
    Builds,
    Transcodes,
    Copies,
    Pings,
}

/// The account is being served.
pub(crate) fn take(tx: &mut Tx, queue: Queue, account: AccountId, now: Timestamp) -> Result<()> {
    let sql = match queue {
        Queue::Builds => BUILD,
        Queue::Transcodes => TRANSCODE,
        Queue::Copies => COPIES,
        Queue::Pings => PINGS,
    };
    tx.execute(sql, &[&now.micros(), &account.0])?;
    Ok(())
}
