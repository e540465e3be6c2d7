//! Accounts: who pays, on which plan, and how many builds of this month are used.

pub mod audit;
pub mod links;
pub mod members;
pub mod passkeys;
pub mod sessions;
pub mod tokens;
pub mod usage;
pub mod users;

use model::{AccountId, AccountName, Timestamp};

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    pub name: String,
    pub plan: String,
    pub created_at: Timestamp,
    pub suspended_at: Option<Timestamp>,
    build_month: i64,
    build_count: i64,
}

from_row!(account = Account { id, name, plan, created_at, suspended_at, build_month, build_count });

impl Account {
    /// Builds accepted in the calendar month of `now`.
    pub fn builds_used(&self, now: Timestamp) -> i64 {
        if self.build_month == now.month_start().micros() { self.build_count } else { 0 }
    }
}

const INSERT: &str = "
INSERT INTO accounts (id, name, plan, created_at)
VALUES ($1, $2, $3, $4)";

pub fn insert(tx: &mut Tx, id: AccountId, name: &AccountName, plan: &str, now: Timestamp) -> Result<()> {
    tx.execute(INSERT, &[&id.0, &name.as_str(), &plan, &now.micros()])?;
    Ok(())
}

const LIST: &str = select!(
    account,
    "
FROM accounts
ORDER BY created_at, id"
);

pub fn list(tx: &mut Tx) -> Result<Vec<Account>> {
    tx.query(LIST, &[], read)
}

const GET: &str = select!(
    account,
    "
FROM accounts
WHERE id = $1"
);

pub fn get(tx: &mut Tx, id: AccountId) -> Result<Option<Account>> {
    tx.query_one(GET, &[&id.0], read)
}

const SET_PLAN: &str = "
UPDATE accounts
SET plan = $1
WHERE id = $2";

pub fn set_plan(tx: &mut Tx, id: AccountId, plan: &str) -> Result<bool> {
    Ok(tx.execute(SET_PLAN, &[&plan, &id.0])? == 1)
}

const SET_SUSPENDED: &str = "
UPDATE accounts
SET suspended_at = $1
WHERE id = $2";

/// Suspends an account with its sites, or resumes it with `None`.
pub fn set_suspended(tx: &mut Tx, id: AccountId, at: Option<Timestamp>) -> Result<bool> {
    let known = tx.execute(SET_SUSPENDED, &[&at.map(Timestamp::micros), &id.0])? == 1;
    tx.announce(None)?;
    Ok(known)
}

const BUILDS_SQLITE: &str = "
SELECT CASE WHEN build_month = $1 THEN build_count ELSE 0 END
FROM accounts
WHERE id = $2";
const BUILDS_POSTGRES: &str = "
SELECT CASE WHEN build_month = $1 THEN build_count ELSE 0 END
FROM accounts
WHERE id = $2
FOR NO KEY UPDATE";

/// Builds accepted in the calendar month of `now`. Until the transaction ends no other one counts any.
pub fn lock_builds(tx: &mut Tx, id: AccountId, now: Timestamp) -> Result<u64> {
    let sql = if tx.is_sqlite() { BUILDS_SQLITE } else { BUILDS_POSTGRES };
    let count = tx.query_one(sql, &[&now.month_start().micros(), &id.0], read::<i64>)?;
    Ok(count.unwrap_or_default().max(0) as u64)
}

const COUNT_BUILD: &str = "
UPDATE accounts
SET build_count = CASE WHEN build_month = $1 THEN build_count + 1 ELSE 1 END, build_month = $1
WHERE id = $2 AND CASE WHEN build_month = $1 THEN build_count ELSE 0 END < $3";

/// Counts one build against the month's quota; `false` when the quota is used up. One conditional UPDATE, so that
/// requests at the same moment cannot pass it together.
pub fn count_build(tx: &mut Tx, id: AccountId, quota: u64, now: Timestamp) -> Result<bool> {
    let quota = i64::try_from(quota).unwrap_or(i64::MAX);
    Ok(tx.execute(COUNT_BUILD, &[&now.month_start().micros(), &id.0, &quota])? == 1)
}
