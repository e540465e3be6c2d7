//! What becomes of uploads: media, kept under names and counted, until they are deleted. Every change of a site's
//! media holds the lock on its row.

use std::collections::{BTreeSet, HashMap};

use model::{Dimensions, MediaHash, ObjectId, SiteId, Timestamp};

use crate::engine::bulk::insert_each;
use crate::engine::row::read;
use crate::media::already_kept;
use crate::objects::{self, Whole};
use crate::usage::{self, Change, Exceeded, Quota};
use crate::{Bulk, Result, Tx, copies, sites, transcodes};

/// Some bytes, and all names that they are to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Where the bytes were written; `None` when they were already kept as the uploader looked.
    pub object: Option<ObjectId>,
    pub hash: MediaHash,
    pub size: u64,
    pub dimensions: Option<Dimensions>,
    /// What they were made of, if they were made this time.
    pub source: Option<MediaHash>,
    pub names: Vec<String>,
}

/// What became of uploads. Only `Done` has changed anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    Done,
    OverQuota(Exceeded),
    /// These were deleted since the uploader looked, or their lease was over: they have to be written again.
    Gone(Vec<MediaHash>),
    /// The site was deleted in the meantime.
    NoSite,
}

/// Makes uploads media of the site: all of them or none. Of equal bytes one object is kept and counted, the others are
/// doomed. A video that browsers may not play is queued for a transcode, and a large image for smaller copies.
pub fn keep(tx: &mut Tx, site: SiteId, uploads: &[Upload], quota: &Quota, now: Timestamp) -> Result<Kept> {
    if !sites::lock(tx, site)? {
        return Ok(Kept::NoSite);
    }
    let hashes: Vec<MediaHash> = uploads.iter().map(|upload| upload.hash).collect();
    let written: Vec<ObjectId> = uploads.iter().filter_map(|upload| upload.object).collect();
    let kept = already_kept(tx, site, &hashes)?;
    let mut spare = objects::pending(tx, site, &written)?;

    let mut added: HashMap<MediaHash, Whole> = HashMap::new();
    for &Upload { object, hash, size, dimensions, .. } in uploads {
        if let Some(id) = object
            && !kept.contains_key(&hash)
            && !added.contains_key(&hash)
            && spare.remove(&id)
        {
            added.insert(hash, Whole { id, hash, size, dimensions });
        }
    }
    let is_there = |hash: &MediaHash| kept.contains_key(hash) || added.contains_key(hash);
    let gone: BTreeSet<MediaHash> = hashes.into_iter().filter(|hash| !is_there(hash)).collect();
    if !gone.is_empty() {
        return Ok(Kept::Gone(gone.into_iter().collect()));
    }

    let required: u64 = added.values().map(|object| object.size).sum();
    let change = Change { storage: required as i64, ..Change::default() };
    if let Some(exceeded) = usage::charge(tx, site, change, quota)? {
        return Ok(Kept::OverQuota(exceeded));
    }
    objects::keep(tx, &added.into_values().collect::<Vec<_>>(), now)?;
    objects::abandon(tx, &spare.into_iter().collect::<Vec<_>>(), now)?;
    add_names(tx, site, uploads)?;
    note_sources(tx, site, uploads)?;
    let videos = uploads.iter().filter(|upload| upload.names.iter().any(|name| name.ends_with(".mov")));
    transcodes::queue(tx, site, &videos.map(|upload| upload.hash).collect::<Vec<_>>(), now)?;
    let images = uploads.iter().filter(|upload| copies::are_useful(upload.dimensions));
    copies::queue(tx, site, &images.map(|upload| upload.hash).collect::<Vec<_>>(), now)?;
    Ok(Kept::Done)
}

const ADD_NAME: Bulk = insert_each!(
    media (site_id = 1) (hash = 2 bytea, name = 3 text) "ON CONFLICT DO NOTHING"
);

fn add_names(tx: &mut Tx, site: SiteId, uploads: &[Upload]) -> Result<()> {
    let names = uploads
        .iter()
        .flat_map(|upload| upload.names.iter().map(|name| (upload.hash.0.as_slice(), name.as_str())));
    let (hashes, names): (Vec<&[u8]>, Vec<&str>) = names.unzip();
    tx.execute_many(ADD_NAME, &[&site.0], &[&hashes, &names])?;
    Ok(())
}

const NOTE_SOURCE: Bulk = Bulk {
    sqlite: "
UPDATE objects
SET source = ?2
WHERE site_id = ?1 AND hash = ?3 AND state = 'kept'",
    postgres: "
UPDATE objects
SET source = made.source
FROM unnest(CAST($2 AS bytea[]), CAST($3 AS bytea[])) AS made (source, hash)
WHERE objects.site_id = $1 AND objects.hash = made.hash AND objects.state = 'kept'",
};

/// One source for each object, the newest: so there are no more of them than objects.
fn note_sources(tx: &mut Tx, site: SiteId, uploads: &[Upload]) -> Result<()> {
    let made = uploads.iter().filter_map(|upload| Some((upload.source.as_ref()?, &upload.hash)));
    let (sources, hashes): (Vec<&[u8]>, Vec<&[u8]>) =
        made.map(|(source, hash)| (source.0.as_slice(), hash.0.as_slice())).unzip();
    tx.execute_many(NOTE_SOURCE, &[&site.0], &[&sources, &hashes])?;
    Ok(())
}

const DELETE_NAME: &str = "
DELETE FROM media
WHERE site_id = $1 AND hash = $2 AND name = $3";
const DELETE_NAMES: &str = "
DELETE FROM media
WHERE site_id = $1 AND hash = $2";
const NAMES_LEFT: &str = "
SELECT name
FROM media
WHERE site_id = $1 AND hash = $2";
const DOOM: &str = "
UPDATE objects
SET state = 'doomed', after = $1
WHERE site_id = $2 AND hash = $3 AND state = 'kept'
RETURNING size";

/// Deletes a name of a medium, or all of them. With the last one its bytes go, after `after`, and no longer count; so
/// does what was made of it: with the last `.mov` the MP4, with the last name the smaller copies. Returns how many bytes were freed; `None`: there is no such medium.
pub fn delete(
    tx: &mut Tx,
    site: SiteId,
    hash: MediaHash,
    name: Option<&str>,
    after: Timestamp,
) -> Result<Option<u64>> {
    sites::lock(tx, site)?;
    let bytes = hash.0.as_slice();
    let deleted = match name {
        Some(name) => tx.execute(DELETE_NAME, &[&site.0, &bytes, &name])?,
        None => tx.execute(DELETE_NAMES, &[&site.0, &bytes])?,
    };
    if deleted == 0 {
        return Ok(None);
    }
    tx.announce(Some(site))?;
    let left: Vec<String> = tx.query(NAMES_LEFT, &[&site.0, &bytes], read)?;
    if !left.iter().any(|name| name.ends_with(".mov")) {
        transcodes::remove(tx, site, hash, after)?;
    }
    if !left.is_empty() {
        return Ok(Some(0));
    }
    let sizes: Vec<i64> = tx.query(DOOM, &[&after.micros(), &site.0, &bytes], read)?;
    copies::remove(tx, site, hash, after)?;
    let freed: i64 = sizes.iter().sum();
    usage::count(tx, site, Change { storage: -freed, ..Change::default() })?;
    Ok(Some(freed as u64))
}

const REMOVE_NAMES: &str = "
DELETE FROM media
WHERE site_id = $1 AND (hash, name) IN (
  SELECT hash, name FROM media WHERE site_id = $1 ORDER BY hash, name LIMIT $2)";
const DOOM_SOME: &str = "
UPDATE objects
SET state = 'doomed', after = $1
WHERE id IN (SELECT id FROM objects WHERE site_id = $2 AND state = 'kept' ORDER BY hash LIMIT $3)
RETURNING size";

/// At most `most` media of a site that is being deleted; `false`: there are none left. What is pending goes when its
/// lease is over: it can no longer be kept, but may still be written.
pub(crate) fn remove_some(tx: &mut Tx, site: SiteId, most: i64, after: Timestamp) -> Result<bool> {
    if transcodes::remove_some(tx, site, most, after)? {
        return Ok(true);
    }
    let names = tx.execute(REMOVE_NAMES, &[&site.0, &most])?;
    let sizes: Vec<i64> = tx.query(DOOM_SOME, &[&after.micros(), &site.0, &most], read)?;
    usage::count(tx, site, Change { storage: -sizes.iter().sum::<i64>(), ..Change::default() })?;
    // Last: while an image is kept, a worker may still add copies.
    Ok(names > 0 || !sizes.is_empty() || copies::remove_some(tx, site, most, after)?)
}
