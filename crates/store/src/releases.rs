//! Releases. A file is valid from one release up to another; what a build changed is recorded next to what it
//! leaves alone, and going live is one number.

pub mod files;
pub mod packs;
pub mod pings;

use model::{BuildId, SiteId, Timestamp};

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx};

/// The end of what is valid until further notice.
pub const OPEN: i64 = i64::MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub number: i64,
    pub build: BuildId,
    /// Of the site's pages, and the moment at which they were looked at.
    pub version: i64,
    pub as_of: Timestamp,
    /// Generator, settings and address: when they differ, nothing of the release can be reused.
    pub made_with: String,
    pub pages: i64,
    pub created_at: Timestamp,
    /// Pages that are not shown as their authors meant them, as JSON.
    pub warnings: Option<String>,
}

from_row!(
    release = Release { number, build: "build_id", version, as_of, made_with, pages, created_at, warnings }
);

const LIST: &str = select!(
    release,
    "
FROM releases
WHERE site_id = $1
ORDER BY number DESC"
);

/// Newest first.
pub fn list(tx: &mut Tx, site: SiteId) -> Result<Vec<Release>> {
    tx.query(LIST, &[&site.0], read)
}

const NEWEST: &str = select!(
    release,
    ", version < (SELECT purged_version FROM sites WHERE id = $1)
FROM releases
WHERE site_id = $1
ORDER BY number DESC
LIMIT 1"
);

/// The base of the next build. It is reported as made with nothing known when pages were purged that it may show: the
/// build then starts from nothing.
pub fn newest(tx: &mut Tx, site: SiteId) -> Result<Option<Release>> {
    let newest = tx.query_one(NEWEST, &[&site.0], read::<(Release, bool)>)?;
    Ok(newest.map(|(release, purged)| match purged {
        true => Release { made_with: String::new(), ..release },
        false => release,
    }))
}

const INSERT: &str = "
INSERT INTO releases (site_id, number, build_id, version, as_of, made_with, pages, created_at, warnings)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

pub fn insert(tx: &mut Tx, site: SiteId, release: &Release) -> Result<()> {
    tx.execute(
        INSERT,
        &[
            &site.0,
            &release.number,
            &release.build.0,
            &release.version,
            &release.as_of.micros(),
            &release.made_with,
            &release.pages,
            &release.created_at.micros(),
            &release.warnings,
        ],
    )?;
    Ok(())
}

const REFRESH: &str = "
UPDATE releases
SET version = $1, as_of = $2
WHERE site_id = $3 AND number = $4";

/// A build found nothing new: the release stands for a later version too.
pub fn refresh(tx: &mut Tx, site: SiteId, number: i64, version: i64, as_of: Timestamp) -> Result<()> {
    tx.execute(REFRESH, &[&version, &as_of.micros(), &site.0, &number])?;
    Ok(())
}

const DISTRUST: &str = "
UPDATE releases
SET made_with = ''
WHERE site_id = $1 AND number = $2";

/// The next build does not start from this release, but from scratch.
pub fn distrust(tx: &mut Tx, site: SiteId, number: i64) -> Result<()> {
    tx.execute(DISTRUST, &[&site.0, &number])?;
    Ok(())
}

const GO_LIVE: &str = "
UPDATE sites
SET live_release = $1, held = $2
WHERE id = $3 AND ($4 OR NOT held OR live_release IS NULL)";

/// Who moves the live release, and whether it stays there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// A build that was requested.
    Build,
    /// A build at the time of a page: it does not go live over a rollback.
    Schedule,
    Rollback,
}

/// What visitors get from the next request on.
pub fn go_live(tx: &mut Tx, site: SiteId, number: i64, by: Move) -> Result<()> {
    let (holds, always) = (by == Move::Rollback, by != Move::Schedule);
    tx.execute(GO_LIVE, &[&number, &holds, &site.0, &always])?;
    tx.announce(Some(site))
}

const LIVE: &str = "
SELECT live_release
FROM sites
WHERE id = $1";

pub fn live(tx: &mut Tx, site: SiteId) -> Result<Option<i64>> {
    Ok(tx.query_one(LIVE, &[&site.0], read::<Option<i64>>)?.flatten())
}

const DROP: &str = "
DELETE FROM releases
WHERE site_id = $1 AND number < $2";

/// Forgets releases older than `oldest`; their files go with `files::sweep`.
pub fn drop_before(tx: &mut Tx, site: SiteId, oldest: i64) -> Result<u64> {
    tx.execute(DROP, &[&site.0, &oldest])
}

const CROWDED: &str = "
SELECT site_id
FROM releases
GROUP BY site_id
HAVING count(*) > $1
LIMIT 64";

/// Sites with more than `keep` releases.
pub fn crowded(tx: &mut Tx, keep: i64) -> Result<Vec<SiteId>> {
    tx.query(CROWDED, &[&keep], read)
}
