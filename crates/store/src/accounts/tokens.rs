//! API tokens. Only a hash is kept.

use std::net::IpAddr;

use model::{AccountId, Timestamp, TokenHash, TokenId, TokenName};
use uuid::Uuid;

use crate::engine::row::{from_row, read, select};
use crate::{Bulk, Result, Tx};

const INSERT: &str = "
INSERT INTO tokens (id, account_id, name, hash, created_at)
VALUES ($1, $2, $3, $4, $5)";

pub fn insert(
    tx: &mut Tx,
    id: TokenId,
    account: AccountId,
    name: &TokenName,
    hash: &TokenHash,
    now: Timestamp,
) -> Result<()> {
    tx.execute(INSERT, &[&id.0, &account.0, &name.as_str(), &hash.0.as_slice(), &now.micros()])?;
    Ok(())
}

/// The account that a request acts for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub token: Option<TokenId>,
    /// Of the client that sent the token, if it is known.
    pub address: Option<IpAddr>,
    /// Who uses the dashboard. Neither: a command of the operator.
    pub person: Option<Person>,
    pub account: AccountId,
    pub plan: String,
    pub suspended: bool,
}

/// A person who uses the dashboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub email: String,
    /// Of the client, if it is known.
    pub address: Option<IpAddr>,
}

const AUTHENTICATE: &str = "
SELECT tokens.id, accounts.id, accounts.plan, accounts.suspended_at IS NOT NULL
FROM tokens
JOIN accounts ON accounts.id = tokens.account_id
WHERE tokens.hash = $1 AND tokens.revoked_at IS NULL";

pub fn authenticate(tx: &mut Tx, hash: &TokenHash) -> Result<Option<Caller>> {
    tx.query_one(AUTHENTICATE, &[&hash.0.as_slice()], |row| {
        let (token, account, plan, suspended) = row.read()?;
        Ok(Caller { token, address: None, person: None, account, plan, suspended })
    })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub id: TokenId,
    pub account: AccountId,
    pub name: String,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
}

from_row!(token = Token { id, account: "account_id", name, created_at, last_used_at, revoked_at });

const LIST: &str = select!(
    token,
    "
FROM tokens
ORDER BY account_id, created_at, id"
);

pub fn list(tx: &mut Tx) -> Result<Vec<Token>> {
    tx.query(LIST, &[], read)
}

const OF_ACCOUNT: &str = select!(
    token,
    "
FROM tokens
WHERE account_id = $1
ORDER BY created_at, id"
);

pub fn of_account(tx: &mut Tx, account: AccountId) -> Result<Vec<Token>> {
    tx.query(OF_ACCOUNT, &[&account.0], read)
}

const REVOKE: &str = "
UPDATE tokens
SET revoked_at = COALESCE(revoked_at, $1)
WHERE id = $2
RETURNING account_id, name";

/// Its account and its name; `None`: there is no such token. Revoking twice keeps the first time.
pub fn revoke(tx: &mut Tx, id: TokenId, now: Timestamp) -> Result<Option<(AccountId, String)>> {
    tx.query_one(REVOKE, &[&now.micros(), &id.0], read)
}

const TOUCH: Bulk = Bulk {
    sqlite: "
UPDATE tokens
SET last_used_at = ?2
WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)",
    postgres: "
UPDATE tokens
SET last_used_at = used.used_at
FROM unnest(CAST($1 AS uuid[]), CAST($2 AS bigint[])) AS used (id, used_at)
WHERE tokens.id = used.id AND (tokens.last_used_at IS NULL OR tokens.last_used_at < used.used_at)",
};

/// Notes when tokens were last used, many at once.
pub fn touch(tx: &mut Tx, used: &[(TokenId, Timestamp)]) -> Result<()> {
    let ids: Vec<Uuid> = used.iter().map(|(id, _)| id.0).collect();
    let times: Vec<i64> = used.iter().map(|(_, time)| time.micros()).collect();
    tx.execute_many(TOUCH, &[], &[&ids, &times])?;
    Ok(())
}
