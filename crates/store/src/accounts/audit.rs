//! The audit log of each account: who did what. It is bounded by time and by number.

use model::{AccountId, AuditId, SiteId, Timestamp};

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: AuditId,
    pub at: Timestamp,
    /// It may be deleted by now.
    pub site: Option<SiteId>,
    /// `user`, `token`, `command` or `system`.
    pub actor_kind: String,
    /// An email, the id of a token, the name of a user of the system.
    pub actor: String,
    /// Of the client; empty if it is not known.
    pub address: String,
    pub action: String,
    pub subject: String,
}

from_row!(entry = Entry { id, at, site: "site_id", actor_kind, actor, address, action, subject });

const INSERT: &str = "
INSERT INTO audit_log (account_id, id, at, site_id, actor_kind, actor, address, action, subject)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

pub fn insert(tx: &mut Tx, account: AccountId, entry: &Entry) -> Result<()> {
    tx.execute(
        INSERT,
        &[
            &account.0,
            &entry.id.0,
            &entry.at.micros(),
            &entry.site.map(|site| site.0),
            &entry.actor_kind,
            &entry.actor,
            &entry.address,
            &entry.action,
            &entry.subject,
        ],
    )?;
    Ok(())
}

/// Which entries are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// An empty text: every action.
    pub action: String,
    /// Only entries that are older.
    pub before: AuditId,
}

const LIST: &str = select!(
    entry,
    "
FROM audit_log
WHERE account_id = $1 AND id < $2 AND ($3 = '' OR action = $3)
ORDER BY id DESC
LIMIT $4"
);

/// At most `most` entries, newest first.
pub fn list(tx: &mut Tx, account: AccountId, filter: &Filter, most: i64) -> Result<Vec<Entry>> {
    tx.query(LIST, &[&account.0, &filter.before.0, &filter.action, &most], read)
}

const NOTED: &str = "
SELECT 1
FROM audit_log
WHERE account_id = $1 AND id > $2 AND action = $3 AND actor = $4
LIMIT 1";

/// Whether this was noted after the entry `since` would have been.
pub fn is_noted(tx: &mut Tx, account: AccountId, since: AuditId, action: &str, actor: &str) -> Result<bool> {
    Ok(tx.query_one(NOTED, &[&account.0, &since.0, &action, &actor], |_| Ok(()))?.is_some())
}

const FORGET: &str = "
DELETE FROM audit_log
WHERE (account_id, id) IN (
  SELECT account_id, id FROM audit_log WHERE at < $1 ORDER BY at LIMIT $2)";

/// Deletes at most `most` entries that are older than `time`; returns how many.
pub fn forget_before(tx: &mut Tx, time: Timestamp, most: i64) -> Result<u64> {
    tx.execute(FORGET, &[&time.micros(), &most])
}

const CROWDED: &str = "
SELECT account_id
FROM audit_log
GROUP BY account_id
HAVING count(*) > $1
LIMIT 64";

/// Accounts with more than `keep` entries.
pub fn crowded(tx: &mut Tx, keep: i64) -> Result<Vec<AccountId>> {
    tx.query(CROWDED, &[&keep], read)
}

const TRIM: &str = "
DELETE FROM audit_log
WHERE account_id = $1 AND id IN (
  SELECT id FROM audit_log WHERE account_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3)";

/// Deletes at most `most` entries of an account that are not among its newest `keep`; returns how many.
pub fn trim(tx: &mut Tx, account: AccountId, keep: i64, most: i64) -> Result<u64> {
    tx.execute(TRIM, &[&account.0, &most, &keep])
}
