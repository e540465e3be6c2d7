//! Sessions of the dashboard. Only a hash of the secret is kept.

use model::{SessionId, Timestamp, TokenHash, UserId};

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx};

/// A session, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub user: UserId,
    pub email: String,
    pub operator: bool,
    pub client: String,
    pub created_at: Timestamp,
    pub seen_at: Timestamp,
}

from_row!(
    session = Session {
        id: "sessions.id",
        user: "sessions.user_id",
        email: "users.email",
        operator: "users.operator",
        client: "sessions.client",
        created_at: "sessions.created_at",
        seen_at: "sessions.seen_at",
    }
);

const INSERT: &str = "
INSERT INTO sessions (id, user_id, hash, client, created_at, seen_at)
VALUES ($1, $2, $3, $4, $5, $5)";

pub fn insert(
    tx: &mut Tx,
    id: SessionId,
    user: UserId,
    hash: &TokenHash,
    client: &str,
    now: Timestamp,
) -> Result<()> {
    tx.execute(INSERT, &[&id.0, &user.0, &hash.0.as_slice(), &client, &now.micros()])?;
    Ok(())
}

const FIND: &str = select!(
    session,
    "
FROM sessions
JOIN users ON users.id = sessions.user_id
WHERE sessions.hash = $1 AND sessions.seen_at > $2"
);

/// The session with this secret, if it was used after `since`.
pub fn find(tx: &mut Tx, hash: &TokenHash, since: Timestamp) -> Result<Option<Session>> {
    tx.query_one(FIND, &[&hash.0.as_slice(), &since.micros()], read)
}

const LIST: &str = select!(
    session,
    "
FROM sessions
JOIN users ON users.id = sessions.user_id
WHERE sessions.user_id = $1 AND sessions.seen_at > $2
ORDER BY sessions.seen_at DESC, sessions.id"
);

/// A person's sessions that were used after `since`, the newest use first.
pub fn list(tx: &mut Tx, user: UserId, since: Timestamp) -> Result<Vec<Session>> {
    tx.query(LIST, &[&user.0, &since.micros()], read)
}

const TOUCH: &str = "
UPDATE sessions
SET seen_at = $1
WHERE id = $2 AND seen_at < $1";

pub fn touch(tx: &mut Tx, id: SessionId, now: Timestamp) -> Result<()> {
    tx.execute(TOUCH, &[&now.micros(), &id.0])?;
    Ok(())
}

const REMOVE: &str = "
DELETE FROM sessions
WHERE id = $1 AND user_id = $2";

/// `false`: the person has no such session.
pub fn remove(tx: &mut Tx, user: UserId, id: SessionId) -> Result<bool> {
    Ok(tx.execute(REMOVE, &[&id.0, &user.0])? == 1)
}

const REMOVE_UNUSED: &str = "
DELETE FROM sessions
WHERE user_id = $1 AND seen_at <= $2";

/// Ends a person's sessions that were last used up to `until`.
pub fn remove_unused(tx: &mut Tx, user: UserId, until: Timestamp) -> Result<()> {
    tx.execute(REMOVE_UNUSED, &[&user.0, &until.micros()])?;
    Ok(())
}
