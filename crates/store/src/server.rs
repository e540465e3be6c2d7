//! The one row about this server as a whole: whether it was set up, which installation it is, and when it last
//! did what is done once a day.

use model::Timestamp;
use uuid::Uuid;

use crate::engine::row::read;
use crate::{Error, Result, Tx};

const SET_UP: &str = "
UPDATE server
SET set_up_at = $1
WHERE set_up_at IS NULL";

/// Claims the first set-up; only one process ever gets `true`.
pub fn set_up(tx: &mut Tx, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(SET_UP, &[&now.micros()])? == 1)
}

const INSTALLATION: &str = "
SELECT installation_id
FROM server";

/// Made with the database. The object store that belongs to it has the same.
pub fn installation(tx: &mut Tx) -> Result<Uuid> {
    let id = tx.query_one(INSTALLATION, &[], read)?;
    id.ok_or_else(|| Error::Internal("the database has no installation id".into()))
}

const CLAIM_DAY: &str = "
UPDATE server
SET daily_work_at = $1
WHERE daily_work_at <= $2 OR daily_work_at > $3";

/// Claims the work of the day; only one process gets `true`. A time more than a day ahead was noted by a clock that went
/// wrong; less may be the clock of another server.
pub fn claim_daily_work(tx: &mut Tx, now: Timestamp, day_ago: Timestamp) -> Result<bool> {
    let day_ahead = now.plus(now.since(day_ago));
    Ok(tx.execute(CLAIM_DAY, &[&now.micros(), &day_ago.micros(), &day_ahead.micros()])? == 1)
}
