//! Which people belong to which accounts, and what they may do there.

use model::{AccountId, Role, Timestamp, UserId};

use crate::engine::row::{converted, from_row, read, select};
use crate::{Error, Result, Tx};

/// A member of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub user: UserId,
    pub email: String,
    pub role: Role,
    /// Otherwise the invitation was not used yet.
    pub has_password: bool,
    pub created_at: Timestamp,
}

from_row!(
    member = Member {
        user: "members.user_id",
        email: "users.email",
        role: "members.role",
        has_password: "users.password_hash IS NOT NULL",
        created_at: "members.created_at",
    }
);

converted!(&str => Role: |text| {
    Role::parse(text).ok_or_else(|| Error::Internal("a stored role is wrong".into()))
});

const SET: &str = "
INSERT INTO members (account_id, user_id, role, created_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id, user_id) DO UPDATE SET role = excluded.role";

/// Adds a member, or changes the role of one.
pub fn set(tx: &mut Tx, account: AccountId, user: UserId, role: Role, now: Timestamp) -> Result<()> {
    tx.execute(SET, &[&account.0, &user.0, &role.as_str(), &now.micros()])?;
    Ok(())
}

const REMOVE: &str = "
DELETE FROM members
WHERE account_id = $1 AND user_id = $2";

/// `false`: there is no such member.
pub fn remove(tx: &mut Tx, account: AccountId, user: UserId) -> Result<bool> {
    Ok(tx.execute(REMOVE, &[&account.0, &user.0])? == 1)
}

const LIST: &str = select!(
    member,
    "
FROM members
JOIN users ON users.id = members.user_id
WHERE members.account_id = $1
ORDER BY users.email"
);

pub fn list(tx: &mut Tx, account: AccountId) -> Result<Vec<Member>> {
    tx.query(LIST, &[&account.0], read)
}

const ROLE: &str = "
SELECT role
FROM members
WHERE account_id = $1 AND user_id = $2";

pub fn role(tx: &mut Tx, account: AccountId, user: UserId) -> Result<Option<Role>> {
    tx.query_one(ROLE, &[&account.0, &user.0], read)
}

/// An account that a person belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    pub user: UserId,
    pub account: AccountId,
    pub role: Role,
}

from_row!(membership = Membership { user: "user_id", account: "account_id", role });

const OF_USER: &str = select!(
    membership,
    "
FROM members
WHERE user_id = $1
ORDER BY account_id"
);

pub fn of_user(tx: &mut Tx, user: UserId) -> Result<Vec<Membership>> {
    tx.query(OF_USER, &[&user.0], read)
}

const ALL: &str = select!(
    membership,
    "
FROM members
ORDER BY user_id, account_id"
);

/// Of all people.
pub fn all(tx: &mut Tx) -> Result<Vec<Membership>> {
    tx.query(ALL, &[], read)
}

const LOCK: &str = "
SELECT 1
FROM accounts
WHERE id = $1
FOR NO KEY UPDATE";

/// Until the transaction ends, no other one changes who belongs to the account. (SQLite has one writer.)
pub fn lock(tx: &mut Tx, account: AccountId) -> Result<()> {
    if !tx.is_sqlite() {
        tx.query_one(LOCK, &[&account.0], |_| Ok(()))?;
    }
    Ok(())
}
