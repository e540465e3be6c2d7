//! Uploaded files once they are stored: serving, listing, deleting, sweeping.

mod smaller;
mod transcode;
pub(crate) mod uploads;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use api::MediaItem;
use blob::Key;
use bytes::Bytes;
use futures_util::Stream;
use model::{Dimensions, MediaHash, MediaUrl, ObjectId, PageId, PageKey, SiteId, Timestamp};
use quick_cache::sync::Cache;
use store::transcodes::Transcode;
use store::{media, mentions, objects, sites};

pub use self::smaller::SmallerMedium;
use crate::accounts::access::find_site;
use crate::{Action, Caller, Error, ProcessedFiles, Publisher};

/// How long the object of a deleted medium is kept: a visitor may be reading it.
const DOOM: Duration = Duration::from_secs(3600);
/// Objects that are deleted in one round.
const ROUND: i64 = 1000;
/// Media, and pages with their texts, that are read at once.
const MEDIA: i64 = 500;
const PAGES: i64 = 50;
/// Sites whose uses of media are remembered.
const KNOWN_SITES: usize = 100;

/// The file at the address of a medium.
#[derive(Debug, Clone, Copy)]
pub struct Medium {
    pub(crate) object: ObjectId,
    pub size: u64,
}

/// Which media of a site are listed.
#[derive(Debug, Clone, Default)]
pub struct MediaFilter {
    /// Only those that no page uses.
    pub unused: bool,
    /// A part of a name; case does not matter.
    pub name: String,
    pub after: Option<MediaPlace>,
}

/// The medium after which a list continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaPlace(Timestamp, MediaHash);

impl MediaPlace {
    pub fn parse(text: &str) -> Option<MediaPlace> {
        let (micros, hash) = text.split_once('.')?;
        Some(MediaPlace(Timestamp::from_micros(micros.parse().ok()?), MediaHash::parse(hash)?))
    }

    pub fn text(self) -> String {
        format!("{}.{}", self.0.micros(), self.1)
    }
}

/// Newest first.
#[derive(Debug, Clone)]
pub struct MediaList {
    pub media: Vec<MediumInfo>,
    pub next: Option<MediaPlace>,
}

/// Which pages of a site use which media.
type Uses = BTreeMap<MediaHash, BTreeSet<PageKey>>;

/// The uses of recently viewed sites, valid while the site version stays the same: finding them reads texts.
pub(crate) struct KnownUses(Cache<SiteId, (i64, Arc<Uses>)>);

impl Default for KnownUses {
    fn default() -> KnownUses {
        KnownUses(Cache::new(KNOWN_SITES))
    }
}

/// A medium as its owner sees it.
#[derive(Debug, Clone)]
pub struct MediumInfo {
    pub hash: MediaHash,
    pub urls: Vec<String>,
    pub size: u64,
    pub dimensions: Option<Dimensions>,
    pub created_at: Timestamp,
    pub transcode: Option<Transcode>,
    /// The pages that use it; none: an orphan.
    pub used_by: Vec<PageKey>,
}

impl Publisher {
    /// Stores the one file of a request.
    pub async fn upload(
        &self,
        caller: &Caller,
        site: Option<SiteId>,
        files: ProcessedFiles,
    ) -> Result<MediaItem, Error> {
        let site = find_site(&self.store, caller.account, site).await?;
        if let Some(refusal) = files.refusal() {
            return Err(refusal);
        }
        let stored = files.store(self, site.id, self.settings.quota(&caller.plan)).await?;
        self.write(move |tx, _| stored.keep(tx)).await?;
        self.pace.note(caller.account.0);
        let url = files.processed.first().map(|(_, file)| file.url.clone());
        let url = url.ok_or_else(|| Error::Malformed("the part `file` is missing".into()))?;
        Ok(MediaItem { url: url.to_string(), filename: url.name })
    }

    pub async fn find_medium(&self, site: SiteId, url: &MediaUrl) -> Result<Option<Medium>, Error> {
        let url = url.clone();
        let found = self.peek(move |tx| Ok(media::find(tx, site, &url)?)).await?;
        Ok(found.map(|stored| Medium { object: stored.object, size: stored.size }))
    }

    pub async fn read_medium(
        &self,
        medium: Medium,
        range: Range<u64>,
    ) -> Result<impl Stream<Item = Result<Bytes, blob::Error>> + Send + use<>, Error> {
        Ok(self.blob.read_stream(&Key::media(medium.object), range).await?)
    }

    /// All media of a site, newest first.
    pub(crate) async fn list_media(&self, site: SiteId) -> Result<Vec<media::Medium>, Error> {
        let mut listed: Vec<media::Medium> = Vec::new();
        loop {
            let behind = listed.last().map(|last| (last.created_at, last.hash));
            let more = self.read(move |tx| Ok(media::list(tx, site, behind, MEDIA)?)).await?;
            if more.is_empty() {
                return Ok(listed);
            }
            listed.extend(more);
        }
    }

    /// The same, each with the pages that use it.
    pub async fn media(&self, site: SiteId) -> Result<Vec<MediumInfo>, Error> {
        let (listed, uses) = (self.list_media(site).await?, self.uses(site).await?);
        Ok(listed.into_iter().map(|medium| info(medium, &uses)).collect())
    }

    /// At most `most` media.
    pub async fn media_list(
        &self,
        site: SiteId,
        filter: MediaFilter,
        most: usize,
    ) -> Result<MediaList, Error> {
        let (uses, name) = (self.uses(site).await?, filter.name.to_lowercase());
        let passes = |medium: &media::Medium| {
            (!filter.unused || !uses.contains_key(&medium.hash))
                && (name.is_empty() || medium.names.iter().any(|own| own.to_lowercase().contains(&name)))
        };
        let (mut found, mut after) = (Vec::new(), filter.after);
        loop {
            let behind = after.map(|MediaPlace(time, hash)| (time, hash));
            let part = self.read(move |tx| Ok(media::list(tx, site, behind, MEDIA)?)).await?;
            let is_last = (part.len() as i64) < MEDIA;
            for medium in part {
                let is_wanted = passes(&medium);
                if is_wanted && found.len() == most {
                    return Ok(MediaList { media: found, next: after });
                }
                after = Some(MediaPlace(medium.created_at, medium.hash));
                found.extend(is_wanted.then(|| info(medium, &uses)));
            }
            if is_last {
                return Ok(MediaList { media: found, next: None });
            }
        }
    }

    /// Which pages use which media, as of the present site version.
    async fn uses(&self, site: SiteId) -> Result<Arc<Uses>, Error> {
        let version = self.peek(move |tx| Ok(sites::get(tx, site)?.map_or(0, |site| site.version))).await?;
        if let Some((of, uses)) = self.known_uses.0.get(&site)
            && of == version
        {
            return Ok(uses);
        }
        let uses = Arc::new(self.mentioned(site).await?);
        // Pages that changed meanwhile have raised the version: the next request looks again.
        self.known_uses.0.insert(site, (version, uses.clone()));
        Ok(uses)
    }

    /// Which pages use which media.
    async fn mentioned(&self, site: SiteId) -> Result<Uses, Error> {
        let mut used = Uses::new();
        let mut last: Option<PageId> = None;
        loop {
            let pages = self.read(move |tx| Ok(mentions::behind(tx, site, last, PAGES)?)).await?;
            let Some(end) = pages.last() else { return Ok(used) };
            last = Some(end.id);
            for page in pages {
                // A slash may be escaped in JSON.
                let params = page.params.map(|json| json.replace("\\/", "/"));
                for text in [page.content, params].into_iter().flatten() {
                    for hash in hashes(&text) {
                        used.entry(hash).or_default().insert(page.key.clone());
                    }
                }
            }
        }
    }

    /// Deletes the medium at an address, or everything with a hash. Returns how many bytes that frees.
    pub async fn delete_medium(&self, site: SiteId, what: &str) -> Result<u64, Error> {
        let (hash, name) = match (MediaUrl::parse(what), MediaHash::parse(what)) {
            (Some(url), _) => (url.hash, Some(url.name)),
            (None, Some(hash)) => (hash, None),
            (None, None) => {
                return Err(Error::refused(format!(
                    "{what:?} is neither the address of a medium nor its hash; `recto media list` shows them"
                )));
            }
        };
        let (publisher, subject) = (self.clone(), what.to_owned());
        let deleted = self.write(move |tx, now| {
            let after = tx.lease_now(now)?.plus(DOOM);
            let deleted = media::delete(tx, site, hash, name.as_deref(), after)?;
            if let (Some(_), Some(site)) = (deleted, sites::get(tx, site)?) {
                let log = publisher.log(site.account, Some(site.id));
                log.note(tx, now, Action::MediaDeleted, subject.as_str())?;
            }
            Ok(deleted)
        });
        deleted.await?.ok_or_else(|| Error::refused(format!("the site has no medium {what}")))
    }

    /// An object to be written, under a lease.
    async fn begin_object(&self, site: SiteId) -> Result<ObjectId, Error> {
        let begun = self.write(move |tx, now| {
            let id = ObjectId::new(now);
            let lease = tx.lease_now(now)?.plus(uploads::OBJECT_LEASE);
            objects::begin(tx, id, site, lease)?;
            Ok(id)
        });
        begun.await
    }

    /// Deletes the bytes first, then the row: after a crash in between the next round continues.
    pub async fn sweep_media(&self) -> Result<u64, Error> {
        let doomed = self.write(move |tx, now| Ok(objects::doomed(tx, now, ROUND)?)).await?;
        for &id in &doomed {
            self.blob.delete(&Key::media(id)).await?;
            self.write(move |tx, _| Ok(objects::forget(tx, id)?)).await?;
        }
        Ok(doomed.len() as u64)
    }
}

fn info(medium: media::Medium, uses: &Uses) -> MediumInfo {
    MediumInfo {
        urls: medium.names.iter().map(|name| url(&medium, name).to_string()).collect(),
        used_by: uses.get(&medium.hash).map(|pages| pages.iter().cloned().collect()).unwrap_or_default(),
        hash: medium.hash,
        size: medium.size,
        dimensions: medium.dimensions,
        created_at: medium.created_at,
        transcode: medium.transcode,
    }
}

fn url(medium: &media::Medium, name: &str) -> MediaUrl {
    MediaUrl { hash: medium.hash, dimensions: medium.dimensions, name: name.to_owned() }
}

/// The hashes of all media whose addresses occur in a text.
fn hashes(text: &str) -> impl Iterator<Item = MediaHash> {
    text.split("/media/").skip(1).filter_map(|rest| MediaHash::parse(rest.get(..32)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_anywhere_in_a_text() {
        let (first, second) = ("0".repeat(32), "0123456789abcdef".repeat(2));
        let text = format!(
            "![a](/media/{first}00100020/a.webp) and <video src='https://example.org/media/{second}/b.mp4'> /media/no"
        );
        assert_eq!(hashes(&text).map(|hash| hash.to_string()).collect::<Vec<_>>(), [first, second]);
    }
}
