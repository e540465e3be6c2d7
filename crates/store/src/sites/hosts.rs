//! Under which hosts a site is found, and what a visitor's request needs to know of it.

use model::{AccountId, SiteId, SiteName, Timestamp};

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx, sites};

/// A host's site, as its visitors get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedSite {
    pub id: SiteId,
    pub account: AccountId,
    /// The live release; none before the first build.
    pub release: Option<i64>,
    pub protection: Option<Protection>,
    /// Its account is suspended.
    pub suspended: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protection {
    pub password_hash: String,
    /// Signs the cookies of those who know the password.
    pub cookie_key: Vec<u8>,
}

from_row!(
    hosted = HostedSite {
        id: "sites.id",
        account: "account_id",
        release: "live_release",
        protection: "password_hash, cookie_key",
        suspended: "suspended_at IS NOT NULL",
    }
);
from_row!(Protection { password_hash, cookie_key });

const BY_NAME: &str = select!(
    hosted,
    "
FROM sites
JOIN accounts ON accounts.id = account_id
WHERE sites.name = $1 AND deleted_at IS NULL"
);

pub fn by_name(tx: &mut Tx, name: &SiteName) -> Result<Option<HostedSite>> {
    tx.query_one(BY_NAME, &[&name.as_str()], read)
}

const BY_DOMAIN: &str = select!(
    hosted,
    "
FROM sites
JOIN accounts ON accounts.id = account_id
WHERE sites.id = (SELECT site_id FROM domains WHERE host = $1) AND deleted_at IS NULL"
);

pub fn by_domain(tx: &mut Tx, host: &str) -> Result<Option<HostedSite>> {
    tx.query_one(BY_DOMAIN, &[&host], read)
}

const PROTECT: &str = "
UPDATE sites
SET password_hash = $1, cookie_key = $2
WHERE id = $3";

/// With `None` the site is public again.
pub fn protect(tx: &mut Tx, site: SiteId, protection: Option<&Protection>) -> Result<()> {
    let hash = protection.map(|protection| protection.password_hash.as_str());
    let key = protection.map(|protection| protection.cookie_key.as_slice());
    tx.execute(PROTECT, &[&hash, &key, &site.0])?;
    tx.announce(Some(site))
}

const ADD: &str = "
INSERT INTO domains (host, site_id, created_at)
VALUES ($1, $2, $3)
ON CONFLICT (host) DO NOTHING";

/// `false`: some site has it already, or this one is deleted.
pub fn add(tx: &mut Tx, host: &str, site: SiteId, now: Timestamp) -> Result<bool> {
    // The lock: a deletion takes all domains along, and its last step would fail at one that came later.
    if !sites::lock(tx, site)? {
        return Ok(false);
    }
    let added = tx.execute(ADD, &[&host, &site.0, &now.micros()])? == 1;
    tx.announce(Some(site))?;
    Ok(added)
}

const REMOVE: &str = "
DELETE FROM domains
WHERE host = $1 AND site_id = $2";

pub fn remove(tx: &mut Tx, host: &str, site: SiteId) -> Result<bool> {
    let removed = tx.execute(REMOVE, &[&host, &site.0])? == 1;
    tx.announce(Some(site))?;
    Ok(removed)
}

const LIST: &str = "
SELECT host
FROM domains
WHERE site_id = $1
ORDER BY created_at, host";

/// A site's own domains; the first is the one it is known by.
pub fn list(tx: &mut Tx, site: SiteId) -> Result<Vec<String>> {
    tx.query(LIST, &[&site.0], read)
}

const REMOVE_SITE: &str = "
DELETE FROM domains
WHERE site_id = $1";

pub fn remove_site(tx: &mut Tx, site: SiteId) -> Result<()> {
    tx.execute(REMOVE_SITE, &[&site.0])?;
    Ok(())
}
