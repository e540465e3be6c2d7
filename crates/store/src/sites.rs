//! Sites. An account's first site is its default. A site that is being deleted is no longer found.

pub mod hosts;

use model::{AccountId, SiteId, SiteName, Timestamp, UserId};

use crate::engine::row::{converted, from_row, read, select};
use crate::{Error, Result, Tx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    pub id: SiteId,
    pub account: AccountId,
    pub name: SiteName,
    /// Grows with every change of the site's pages.
    pub version: i64,
    pub created_at: Timestamp,
}

from_row!(site = Site { id, account: "account_id", name, version, created_at });

converted!(&str => SiteName: |text| {
    SiteName::parse(text).map_err(|message| Error::Internal(format!("a stored site name is wrong: {message}")))
});

const INSERT: &str = "
INSERT INTO sites (id, account_id, name, created_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (name) DO NOTHING";

/// `false`: the name is taken.
pub fn insert(tx: &mut Tx, site: &Site) -> Result<bool> {
    let (id, account, name) = (site.id.0, site.account.0, site.name.as_str());
    Ok(tx.execute(INSERT, &[&id, &account, &name, &site.created_at.micros()])? == 1)
}

const OF_ACCOUNT: &str = select!(
    site,
    "
FROM sites
WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL"
);

pub fn of_account(tx: &mut Tx, account: AccountId, id: SiteId) -> Result<Option<Site>> {
    tx.query_one(OF_ACCOUNT, &[&account.0, &id.0], read)
}

const DEFAULT: &str = select!(
    site,
    "
FROM sites
WHERE id = (SELECT default_site_id FROM accounts WHERE id = $1) AND deleted_at IS NULL"
);

/// The site that an account's requests mean when they name none; `None` once that site was deleted.
pub fn default_of(tx: &mut Tx, account: AccountId) -> Result<Option<Site>> {
    tx.query_one(DEFAULT, &[&account.0], read)
}

const SET_DEFAULT: &str = "
UPDATE accounts
SET default_site_id = $1
WHERE id = $2 AND EXISTS (
  SELECT 1 FROM sites WHERE sites.id = $1 AND account_id = $2 AND deleted_at IS NULL)";

/// `false`: the account has no such site.
pub fn set_default(tx: &mut Tx, account: AccountId, id: SiteId) -> Result<bool> {
    Ok(tx.execute(SET_DEFAULT, &[&id.0, &account.0])? == 1)
}

const GET: &str = select!(
    site,
    "
FROM sites
WHERE id = $1 AND deleted_at IS NULL"
);

pub fn get(tx: &mut Tx, id: SiteId) -> Result<Option<Site>> {
    tx.query_one(GET, &[&id.0], read)
}

const BY_NAME: &str = select!(
    site,
    "
FROM sites
WHERE name = $1"
);

pub fn by_name(tx: &mut Tx, name: &SiteName) -> Result<Option<Site>> {
    tx.query_one(BY_NAME, &[&name.as_str()], read)
}

const LIST: &str = select!(
    site,
    "
FROM sites
WHERE deleted_at IS NULL
ORDER BY account_id, created_at, id"
);

pub fn list(tx: &mut Tx) -> Result<Vec<Site>> {
    tx.query(LIST, &[], read)
}

const OLDEST: &str = select!(
    site,
    "
FROM sites
WHERE deleted_at IS NULL
ORDER BY id
LIMIT $1"
);

/// At most so many.
pub fn oldest(tx: &mut Tx, limit: usize) -> Result<Vec<Site>> {
    tx.query(OLDEST, &[&(limit as i64)], read)
}

const ALL_OF: &str = select!(
    site,
    "
FROM sites
WHERE account_id = $1 AND deleted_at IS NULL"
);

/// The sites of an account.
pub fn all_of(tx: &mut Tx, account: AccountId) -> Result<Vec<Site>> {
    tx.query(ALL_OF, &[&account.0], read)
}

const OF_USER: &str = select!(
    site,
    "
FROM sites
WHERE account_id IN (SELECT account_id FROM members WHERE user_id = $1) AND deleted_at IS NULL
ORDER BY name"
);

/// The sites of all accounts that a person belongs to.
pub fn of_user(tx: &mut Tx, user: UserId) -> Result<Vec<Site>> {
    tx.query(OF_USER, &[&user.0], read)
}

const COUNT: &str = "
SELECT count(*)
FROM sites
WHERE account_id = $1 AND deleted_at IS NULL";

pub fn count(tx: &mut Tx, account: AccountId) -> Result<i64> {
    Ok(tx.query_one(COUNT, &[&account.0], read)?.unwrap_or_default())
}

const RENAME: &str = "
UPDATE sites
SET name = $1
WHERE id = $2 AND deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM sites AS other WHERE other.name = $1 AND other.id <> $2)";

/// `false`: the name is taken, or the site is deleted.
pub fn rename(tx: &mut Tx, id: SiteId, name: &SiteName) -> Result<bool> {
    let renamed = tx.execute(RENAME, &[&name.as_str(), &id.0])? == 1;
    tx.announce(Some(id))?;
    Ok(renamed)
}

const DELETE: &str = "
UPDATE sites
SET deleted_at = $1, name = $2
WHERE id = $3 AND deleted_at IS NULL";
const NO_DEFAULT: &str = "
UPDATE accounts
SET default_site_id = NULL
WHERE default_site_id = $1 AND id = (SELECT account_id FROM sites WHERE id = $1)";

/// From here on no request finds the site, and its name and domains are free. Its rows are left to `remove_some`.
pub fn delete(tx: &mut Tx, id: SiteId, now: Timestamp) -> Result<bool> {
    // No site can be called that.
    let name = format!("~{}", id.0);
    let deleted = tx.execute(DELETE, &[&now.micros(), &name, &id.0])? == 1;
    tx.execute(NO_DEFAULT, &[&id.0])?;
    crate::hosts::remove_site(tx, id)?;
    tx.announce(Some(id))?;
    Ok(deleted)
}

const DELETED: &str = "
SELECT id
FROM sites
WHERE deleted_at IS NOT NULL
ORDER BY deleted_at
LIMIT 1";

/// A deleted site that still has rows.
pub fn deleted(tx: &mut Tx) -> Result<Option<SiteId>> {
    tx.query_one(DELETED, &[], read)
}

const REMOVE_BUILDING: &str = "
DELETE FROM building
WHERE site_id = $1 AND EXISTS (SELECT 1 FROM sites WHERE sites.id = $1 AND deleted_at IS NOT NULL)";
const END_BUILDS: &str = "
UPDATE builds
SET status = 'failed', completed_at = $1, error = 'the site was deleted'
WHERE site_id = $2 AND completed_at IS NULL";
const REMOVE: &str = "
DELETE FROM sites
WHERE id = $1 AND deleted_at IS NOT NULL";

/// One step of removing a deleted site: at most `most` rows of each kind. `false`: nothing of it is left.
pub fn remove_some(tx: &mut Tx, id: SiteId, most: i64, now: Timestamp) -> Result<bool> {
    // A build that runs is broken off: its lease is gone. First that, then the site's lock: a build holds its lease when
    // it writes rows that refer to the site.
    tx.execute(REMOVE_BUILDING, &[&id.0])?;
    if !lock_deleted(tx, id)? {
        return Ok(false);
    }
    tx.execute(END_BUILDS, &[&now.micros(), &id.0])?;
    let left = crate::trash::remove_some(tx, id, most, now)?
        || crate::files::remove_some(tx, id, most)?
        || crate::packs::doom_some(tx, id, most, now)?
        || crate::media::remove_some(tx, id, most, now)?;
    if !left {
        tx.execute(REMOVE, &[&id.0])?;
    }
    Ok(left)
}

const SETTINGS: &str = "
SELECT settings
FROM sites
WHERE id = $1";

/// The owner's choices, as JSON.
pub fn settings(tx: &mut Tx, id: SiteId) -> Result<Option<String>> {
    tx.query_one(SETTINGS, &[&id.0], read)
}

const SET_SETTINGS: &str = "
UPDATE sites
SET settings = $1
WHERE id = $2";

pub fn set_settings(tx: &mut Tx, id: SiteId, settings: &str) -> Result<()> {
    tx.execute(SET_SETTINGS, &[&settings, &id.0])?;
    Ok(())
}

// SQLite has one writer.
const LOCK_SQLITE: &str = "
SELECT deleted_at
FROM sites
WHERE id = $1";
// The lock that an UPDATE takes, and no stronger one: a build that writes rows which refer to the site keeps it from being
// removed (FOR KEY SHARE), and in the end changes it. A publish that first changed the site and then waited for all such
// rows would wait for a build that waits for the publish.
const LOCK_POSTGRES: &str = "
SELECT deleted_at
FROM sites
WHERE id = $1
FOR NO KEY UPDATE";
const LOCK_REMOVAL: &str = "
SELECT deleted_at
FROM sites
WHERE id = $1
FOR UPDATE";

/// Locks the site: until the transaction ends, no other one changes it, and what is read now stays as it is. `false`: the site
/// is deleted.
pub fn lock(tx: &mut Tx, id: SiteId) -> Result<bool> {
    let sql = if tx.is_sqlite() { LOCK_SQLITE } else { LOCK_POSTGRES };
    let deleted = tx.query_one(sql, &[&id.0], read::<Option<i64>>)?;
    Ok(deleted.is_some_and(|at| at.is_none()))
}

/// The same, and no other transaction writes rows that refer to the site. `false`: it is not deleted, or its
/// row is gone.
fn lock_deleted(tx: &mut Tx, id: SiteId) -> Result<bool> {
    let sql = if tx.is_sqlite() { LOCK_SQLITE } else { LOCK_REMOVAL };
    let deleted = tx.query_one(sql, &[&id.0], read::<Option<i64>>)?;
    Ok(deleted.flatten().is_some())
}

const NEXT_VERSION: &str = "
UPDATE sites
SET version = version + 1
WHERE id = $1 AND deleted_at IS NULL
RETURNING version";

/// Begins a change of a site's pages. The row's lock puts the writers of one site in order, and the version,
/// stamped on each changed page, is what incremental builds read by. `None`: the site is deleted.
pub fn next_version(tx: &mut Tx, id: SiteId) -> Result<Option<i64>> {
    tx.query_one(NEXT_VERSION, &[&id.0], read)
}

const START_COOLDOWN: &str = "
UPDATE sites
SET last_build_at = $1
WHERE id = $2 AND (last_build_at IS NULL OR last_build_at <= $3 OR last_build_at > $4)";
const LAST_BUILD: &str = "
SELECT last_build_at
FROM sites
WHERE id = $1";

const NOTE_BUILD: &str = "
UPDATE sites
SET last_build_at = $1
WHERE id = $2";

/// The site's next cooldown begins when a postponed build does.
pub fn note_build(tx: &mut Tx, id: SiteId, at: Timestamp) -> Result<()> {
    tx.execute(NOTE_BUILD, &[&at.micros(), &id.0])?;
    Ok(())
}

/// What became of a try to start a site's cooldown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cooldown {
    Started,
    /// The last accepted trigger is too recent.
    Active {
        last: Timestamp,
    },
    /// The site was deleted in the meantime.
    NoSite,
}

/// Takes the site's slot for a build if the last one is not younger than `earliest`. One that lies further ahead than a
/// cooldown is long was noted by a clock that went wrong, and holds nothing up; one that lies a little ahead may be of
/// another server, or of a request that came after this one and was faster.
pub fn start_cooldown(tx: &mut Tx, id: SiteId, now: Timestamp, earliest: Timestamp) -> Result<Cooldown> {
    let latest = now.plus(now.since(earliest));
    if tx.execute(START_COOLDOWN, &[&now.micros(), &id.0, &earliest.micros(), &latest.micros()])? == 1 {
        return Ok(Cooldown::Started);
    }
    let last: Option<Option<Timestamp>> = tx.query_one(LAST_BUILD, &[&id.0], read)?;
    Ok(match last.flatten() {
        Some(last) => Cooldown::Active { last },
        None => Cooldown::NoSite,
    })
}
