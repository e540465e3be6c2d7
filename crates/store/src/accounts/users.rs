//! People who use the dashboard.

use model::{Email, Timestamp, UserId};

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    pub email: String,
    /// May use the dashboard of every account.
    pub operator: bool,
    pub has_password: bool,
    pub created_at: Timestamp,
}

from_row!(user = User { id, email, operator, has_password: "password_hash IS NOT NULL", created_at });

const INSERT: &str = "
INSERT INTO users (id, email, operator, created_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (email) DO NOTHING";

/// `false`: the email is taken.
pub fn insert(tx: &mut Tx, id: UserId, email: &Email, operator: bool, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(INSERT, &[&id.0, &email.as_str(), &operator, &now.micros()])? == 1)
}

const BY_EMAIL: &str = select!(
    user,
    "
FROM users
WHERE email = $1"
);

pub fn by_email(tx: &mut Tx, email: &Email) -> Result<Option<User>> {
    tx.query_one(BY_EMAIL, &[&email.as_str()], read)
}

const EMAIL: &str = "
SELECT email
FROM users
WHERE id = $1";

pub fn email(tx: &mut Tx, id: UserId) -> Result<Option<String>> {
    tx.query_one(EMAIL, &[&id.0], read)
}

const LIST: &str = select!(
    user,
    "
FROM users
ORDER BY email"
);

pub fn list(tx: &mut Tx) -> Result<Vec<User>> {
    tx.query(LIST, &[], read)
}

const PASSWORD: &str = "
SELECT id, password_hash
FROM users
WHERE email = $1 AND password_hash IS NOT NULL";

/// The user with this email and the hash of the password, if one was chosen.
pub fn password(tx: &mut Tx, email: &Email) -> Result<Option<(UserId, String)>> {
    tx.query_one(PASSWORD, &[&email.as_str()], read)
}

const SET_PASSWORD: &str = "
UPDATE users
SET password_hash = $1
WHERE id = $2";

pub fn set_password(tx: &mut Tx, id: UserId, hash: &str) -> Result<()> {
    tx.execute(SET_PASSWORD, &[&hash, &id.0])?;
    Ok(())
}

const SET_OPERATOR: &str = "
UPDATE users
SET operator = $1
WHERE id = $2";

pub fn set_operator(tx: &mut Tx, id: UserId, operator: bool) -> Result<()> {
    tx.execute(SET_OPERATOR, &[&operator, &id.0])?;
    Ok(())
}
