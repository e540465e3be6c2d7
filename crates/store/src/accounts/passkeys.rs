//! Passkeys, and the challenges that they have to sign.

use model::{Timestamp, TokenHash, UserId};

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Its id, which the authenticator has chosen.
    pub credential: Vec<u8>,
    pub user: UserId,
    /// A SubjectPublicKeyInfo.
    pub public_key: Vec<u8>,
    /// Rises with each use, unless the authenticator does not count.
    pub sign_count: i64,
    pub name: String,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

from_row!(
    passkey = Passkey { credential, user: "user_id", public_key, sign_count, name, created_at, last_used_at }
);

const INSERT: &str = "
INSERT INTO passkeys (credential, user_id, public_key, sign_count, name, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (credential) DO NOTHING";

/// `false`: some person has one with this id already.
pub fn insert(tx: &mut Tx, passkey: &Passkey) -> Result<bool> {
    let Passkey { credential, user, public_key, sign_count, name, created_at, .. } = passkey;
    let (credential, public_key) = (credential.as_slice(), public_key.as_slice());
    let added =
        tx.execute(INSERT, &[&credential, &user.0, &public_key, sign_count, name, &created_at.micros()])?;
    Ok(added == 1)
}

const GET: &str = select!(
    passkey,
    "
FROM passkeys
WHERE credential = $1"
);

pub fn get(tx: &mut Tx, credential: &[u8]) -> Result<Option<Passkey>> {
    tx.query_one(GET, &[&credential], read)
}

const LIST: &str = select!(
    passkey,
    "
FROM passkeys
WHERE user_id = $1
ORDER BY created_at, credential"
);

/// A person's, oldest first.
pub fn list(tx: &mut Tx, user: UserId) -> Result<Vec<Passkey>> {
    tx.query(LIST, &[&user.0], read)
}

const USE: &str = "
UPDATE passkeys
SET sign_count = $1, last_used_at = $2
WHERE credential = $3 AND (sign_count < $1 OR sign_count = 0 AND $1 = 0)";

/// `false`: it is gone, or its count did not rise, which means that there is a copy of it. One conditional UPDATE, so
/// that two uses at the same moment cannot have the same count.
pub fn note_use(tx: &mut Tx, credential: &[u8], sign_count: i64, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(USE, &[&sign_count, &now.micros(), &credential])? == 1)
}

const REMOVE: &str = "
DELETE FROM passkeys
WHERE credential = $1 AND user_id = $2";

/// `false`: the person has no such passkey.
pub fn remove(tx: &mut Tx, user: UserId, credential: &[u8]) -> Result<bool> {
    Ok(tx.execute(REMOVE, &[&credential, &user.0])? == 1)
}

const ADD_CHALLENGE: &str = "
INSERT INTO challenges (hash, user_id, expires_at)
VALUES ($1, $2, $3)";
const REMOVE_EXPIRED: &str = "
DELETE FROM challenges
WHERE hash IN (SELECT hash FROM challenges WHERE expires_at <= $1 ORDER BY expires_at LIMIT 100)";

/// Of a person who registers a passkey, or without one for signing in. Expired ones are deleted meanwhile.
pub fn add_challenge(
    tx: &mut Tx,
    hash: &TokenHash,
    user: Option<UserId>,
    now: Timestamp,
    expires: Timestamp,
) -> Result<()> {
    tx.execute(REMOVE_EXPIRED, &[&now.micros()])?;
    tx.execute(ADD_CHALLENGE, &[&hash.0.as_slice(), &user.map(|user| user.0), &expires.micros()])?;
    Ok(())
}

const USE_CHALLENGE: &str = "
DELETE FROM challenges
WHERE hash = $1
RETURNING user_id, expires_at";

/// Uses up a challenge. `false`: it was used, has expired, or is not for this.
pub fn use_challenge(tx: &mut Tx, hash: &TokenHash, user: Option<UserId>, now: Timestamp) -> Result<bool> {
    let found: Option<(Option<UserId>, Timestamp)> =
        tx.query_one(USE_CHALLENGE, &[&hash.0.as_slice()], read)?;
    Ok(found.is_some_and(|(of, expires)| of == user && expires > now))
}
