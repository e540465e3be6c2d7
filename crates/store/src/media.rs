//! Media as they are asked for. Bytes are stored and counted once a site, whatever their names.

pub mod copies;
mod keeping;
pub mod mentions;
pub mod objects;
pub mod transcodes;

use std::collections::HashMap;

use model::{AccountId, Dimensions, MediaHash, MediaUrl, ObjectId, SiteId, Timestamp};

pub(crate) use self::keeping::remove_some;
pub use self::keeping::{Kept, Upload, delete, keep};
use self::transcodes::Transcode;
use crate::engine::bulk::for_each;
use crate::engine::row::{from_row, read, select};
use crate::{Bulk, Result, Tx};

/// What is sent for a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    pub object: ObjectId,
    pub size: u64,
    pub created_at: Timestamp,
    pub dimensions: Option<Dimensions>,
}

from_row!(
    stored = Stored {
        object: "objects.id",
        size: "objects.size",
        created_at: "objects.created_at",
        dimensions: "objects.width, objects.height",
    }
);
from_row!(Dimensions { width, height });

const FIND: &str = select!(
    stored,
    "
FROM media
JOIN objects ON objects.site_id = media.site_id AND objects.hash = media.hash AND objects.state = 'kept'
WHERE media.site_id = $1 AND media.hash = $2 AND media.name = $3"
);
const FIND_TWIN: &str = select!(
    stored,
    "
FROM media
JOIN transcodes ON transcodes.site_id = media.site_id AND transcodes.hash = media.hash
JOIN objects ON objects.id = transcodes.twin
WHERE media.site_id = $1 AND media.hash = $2 AND media.name = $3"
);

/// What is at a URL of the site. Where a MOV was transcoded, its MP4 is at the same URL but for the extension.
pub fn find(tx: &mut Tx, site: SiteId, url: &MediaUrl) -> Result<Option<Stored>> {
    let hash = url.hash.0.as_slice();
    let mut found: Option<Stored> = tx.query_one(FIND, &[&site.0, &hash, &url.name], read)?;
    if let (None, Some(stem)) = (found, url.name.strip_suffix(".mp4")) {
        found = tx.query_one(FIND_TWIN, &[&site.0, &hash, &format!("{stem}.mov")], read)?;
    }
    // With other dimensions it is another URL, of nothing.
    Ok(found.filter(|stored| stored.dimensions == url.dimensions))
}

/// Some bytes that a site keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Medium {
    pub hash: MediaHash,
    pub size: u64,
    pub dimensions: Option<Dimensions>,
    pub created_at: Timestamp,
    pub names: Vec<String>,
    pub transcode: Option<Transcode>,
}

const LIST: &str = "
SELECT objects.hash, objects.size, objects.created_at, objects.width, objects.height,
  transcodes.status, transcodes.percent, transcodes.error
FROM objects
LEFT JOIN transcodes ON transcodes.site_id = objects.site_id AND transcodes.hash = objects.hash
WHERE objects.site_id = $1 AND objects.state = 'kept'
  AND objects.created_at <= $2 AND (objects.created_at < $2 OR objects.hash > $3)
ORDER BY objects.created_at DESC, objects.hash
LIMIT $4";
const NAMES: Bulk = Bulk {
    sqlite: "
SELECT hash, name
FROM media
WHERE site_id = $1 AND hash = $2",
    postgres: "
SELECT hash, name
FROM media
WHERE site_id = $1 AND hash = ANY($2)
ORDER BY hash, name",
};

/// At most `most` media of a site, the newest first, behind the last one of the list before.
pub fn list(
    tx: &mut Tx,
    site: SiteId,
    behind: Option<(Timestamp, MediaHash)>,
    most: i64,
) -> Result<Vec<Medium>> {
    let (time, last) = behind.map_or((i64::MAX, Vec::new()), |(time, hash)| (time.micros(), hash.0.to_vec()));
    let mut media = tx.query(LIST, &[&site.0, &time, &last, &most], |row| {
        let (hash, size, created_at, dimensions, transcode) = row.read()?;
        Ok(Medium { hash, size, dimensions, created_at, names: Vec::new(), transcode })
    })?;
    let hashes: Vec<&[u8]> = media.iter().map(|medium| medium.hash.0.as_slice()).collect();
    let found: Vec<(MediaHash, String)> = tx.query_many(NAMES, &[&site.0], &[&hashes], read)?;
    let mut names: HashMap<MediaHash, Vec<String>> = HashMap::new();
    for (hash, name) in found {
        names.entry(hash).or_default().push(name);
    }
    for medium in &mut media {
        medium.names = names.remove(&medium.hash).unwrap_or_default();
    }
    Ok(media)
}

const ALREADY_KEPT: Bulk = for_each!(
    "
SELECT hash, size
FROM objects
WHERE site_id = $1 AND hash",
    2,
    " AND state = 'kept'"
);

/// Which of these bytes the site has, and their sizes.
pub fn already_kept(tx: &mut Tx, site: SiteId, hashes: &[MediaHash]) -> Result<HashMap<MediaHash, u64>> {
    let hashes: Vec<&[u8]> = hashes.iter().map(|hash| hash.0.as_slice()).collect();
    let found = tx.query_many(ALREADY_KEPT, &[&site.0], &[&hashes], read)?;
    Ok(found.into_iter().collect())
}

/// What some bytes become once they are processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    pub hash: MediaHash,
    pub size: u64,
    pub dimensions: Option<Dimensions>,
}

from_row!(
    known = Known { hash: "objects.hash", size: "objects.size", dimensions: "objects.width, objects.height" }
);

const MADE_OF: &str = select!(
    known,
    "
FROM objects
JOIN sites ON sites.id = objects.site_id
WHERE objects.source = $1 AND objects.state = 'kept' AND sites.account_id = $2
LIMIT 1"
);

/// What one of the account's sites keeps that was made of this source.
pub fn made_of(tx: &mut Tx, account: AccountId, source: MediaHash) -> Result<Option<Known>> {
    tx.query_one(MADE_OF, &[&source.0.as_slice(), &account.0], read)
}

const FORGET_SOURCE: &str = "
UPDATE objects
SET source = NULL
WHERE source = $1 AND state = 'kept'";

/// This source would become something else today.
pub fn forget_source(tx: &mut Tx, source: MediaHash) -> Result<()> {
    tx.execute(FORGET_SOURCE, &[&source.0.as_slice()])?;
    Ok(())
}
