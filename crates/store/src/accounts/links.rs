//! One-time links. Only a hash of the secret is kept.

use model::{AccountId, Role, Timestamp, TokenHash, UserId};

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx};

/// A link, and for whom it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub user: UserId,
    pub email: String,
    /// With an account the link is for joining it, without one for choosing a password.
    pub account: Option<AccountId>,
    pub role: Option<Role>,
}

from_row!(
    link =
        Link { user: "links.user_id", email: "users.email", account: "links.account_id", role: "links.role" }
);

const INSERT: &str = "
INSERT INTO links (hash, user_id, account_id, role, expires_at)
VALUES ($1, $2, $3, $4, $5)";

pub fn insert(
    tx: &mut Tx,
    hash: &TokenHash,
    user: UserId,
    joins: Option<(AccountId, Role)>,
    expires_at: Timestamp,
) -> Result<()> {
    let (account, role) = joins.map(|(account, role)| (account.0, role.as_str())).unzip();
    tx.execute(INSERT, &[&hash.0.as_slice(), &user.0, &account, &role, &expires_at.micros()])?;
    Ok(())
}

const FIND: &str = select!(
    link,
    "
FROM links
JOIN users ON users.id = links.user_id
WHERE links.hash = $1 AND links.expires_at > $2"
);

pub fn find(tx: &mut Tx, hash: &TokenHash, now: Timestamp) -> Result<Option<Link>> {
    tx.query_one(FIND, &[&hash.0.as_slice(), &now.micros()], read)
}

const USE_UP: &str = "
DELETE FROM links
WHERE hash = $1 AND expires_at > $2";

/// `false`: it was used already, or is too old. Of two requests at once only one gets `true`.
pub fn use_up(tx: &mut Tx, hash: &TokenHash, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(USE_UP, &[&hash.0.as_slice(), &now.micros()])? == 1)
}

const REMOVE_FOR_PASSWORD: &str = "
DELETE FROM links
WHERE user_id = $1 AND account_id IS NULL";

/// Ends all links on which a person can choose a password.
pub fn remove_for_password(tx: &mut Tx, user: UserId) -> Result<()> {
    tx.execute(REMOVE_FOR_PASSWORD, &[&user.0])?;
    Ok(())
}

const REMOVE_OF_ACCOUNT: &str = "
DELETE FROM links
WHERE user_id = $1 AND account_id = $2";

/// Ends a person's invitations to an account.
pub fn remove_of_account(tx: &mut Tx, user: UserId, account: AccountId) -> Result<()> {
    tx.execute(REMOVE_OF_ACCOUNT, &[&user.0, &account.0])?;
    Ok(())
}

const REMOVE_EXPIRED: &str = "
DELETE FROM links
WHERE user_id = $1 AND expires_at <= $2";

pub fn remove_expired(tx: &mut Tx, user: UserId, now: Timestamp) -> Result<()> {
    tx.execute(REMOVE_EXPIRED, &[&user.0, &now.micros()])?;
    Ok(())
}
