//! Answers visitors' requests: finds the site of a host, and the file at a path of its live release.

use std::collections::HashMap;
use std::sync::Arc;

use blob::Key;
use bytes::Bytes;
use futures_util::future::try_join_all;
use generator::SearchFile;
use model::SiteId;
use quick_cache::sync::Cache;
use store::Mark;
use store::files::{self, Hash, Stored};
use store::hosts::{self, HostedSite};

use crate::{Error, Publisher};

/// The file at a path of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// `hash` covers the file and its fragments.
    Body {
        bytes: Bytes,
        hash: [u8; 16],
    },
    Redirect(String),
}

impl Found {
    /// A file that is not stored in the release.
    pub fn of(bytes: Bytes) -> Found {
        let hash = short(&blake3::hash(&bytes));
        Found::Body { bytes, hash }
    }
}

/// Cached sites by host, each with the mark of the site at its look-up.
pub(crate) struct Hosts(Cache<String, (Mark, Arc<HostedSite>)>);

/// Beyond this, those that were not requested for a while are forgotten. Each takes some hundred bytes.
const MAX_HOSTS: usize = 50_000;

impl Default for Hosts {
    fn default() -> Hosts {
        Hosts(Cache::new(MAX_HOSTS))
    }
}

impl Publisher {
    /// Whether some site can be served without the database.
    pub fn knows_sites(&self) -> bool {
        !self.hosts.0.is_empty()
    }

    /// The site of a host, if it is cached and has not changed.
    pub fn known_site(&self, host: &str) -> Option<Arc<HostedSite>> {
        let (mark, site) = self.hosts.0.get(host)?;
        (mark == self.store.mark(site.id)).then_some(site)
    }

    /// The site of a host (lower case, without its port). While the database is unavailable, the cached site.
    pub async fn hosted_site(&self, host: &str) -> Result<Option<Arc<HostedSite>>, Error> {
        let known = self.hosts.0.get(host);
        if let Some((mark, site)) = &known
            && *mark == self.store.mark(site.id)
        {
            return Ok(Some(site.clone()));
        }
        let expected = known.as_ref().map(|(_, site)| (site.id, self.store.mark(site.id)));
        let changes = self.store.changes();
        let (name, domain) = (self.settings.site_of_host(host), host.to_owned());
        let looked_up = self.peek(move |tx| {
            let named = name.as_ref().map(|name| hosts::by_name(tx, name)).transpose()?.flatten();
            match named {
                Some(hosted) => Ok(Some(hosted)),
                None => Ok(hosts::by_domain(tx, &domain)?),
            }
        });
        match (looked_up.await, known) {
            (Ok(Some(hosted)), _) => {
                let site = Arc::new(hosted);
                let mark = match expected {
                    Some((id, mark)) if id == site.id => Some(mark),
                    // If something changed meanwhile, this mark may be newer than what was found: the next request looks again.
                    _ => Some(self.store.mark(site.id)).filter(|_| self.store.changes() == changes),
                };
                if let Some(mark) = mark {
                    self.hosts.0.insert(host.to_owned(), (mark, site.clone()));
                }
                Ok(Some(site))
            }
            (Ok(None), _) => {
                self.hosts.0.remove(host);
                Ok(None)
            }
            (Err(Error::Unavailable(_)), Some((_, site))) => Ok(Some(site)),
            (Err(error), _) => Err(error),
        }
    }

    /// The file at a path of a release; a page is joined with its fragments, and a feed with the texts of posts,
    /// from the same release.
    pub async fn find(&self, site: SiteId, release: i64, path: &str) -> Result<Option<Found>, Error> {
        if let Some(bytes) = generator::shared_asset(path) {
            return Ok(Some(Found::of(Bytes::from_static(bytes))));
        }
        let mut found = self.find_each(site, release, &[path.to_owned()]).await?;
        let Some(found) = found.remove(path) else { return Ok(None) };
        let Found::Body { bytes, hash } = found else { return Ok(Some(found)) };
        if !is_html(path) && !generator::is_feed(path) {
            return Ok(Some(Found::Body { bytes, hash }));
        }
        let (mut fragments, mut hasher) = (HashMap::new(), blake3::Hasher::new());
        hasher.update(&hash);
        loop {
            // Collects the fragments that are still missing, of the page and of its fragments.
            let mut wanted = Vec::new();
            let joined = generator::join(&bytes, |path| match fragments.get(path) {
                Some(known) => Option::<Bytes>::clone(known),
                None => {
                    wanted.push(path.to_owned());
                    None
                }
            });
            if wanted.is_empty() {
                let hash = if fragments.is_empty() { hash } else { short(&hasher.finalize()) };
                return Ok(Some(Found::Body { bytes: joined.into(), hash }));
            }
            let mut found = self.find_each(site, release, &wanted).await?;
            for path in wanted {
                let fragment = match found.remove(&path) {
                    Some(Found::Body { bytes, hash }) => {
                        hasher.update(&hash);
                        Some(bytes)
                    }
                    _ => None,
                };
                fragments.entry(path).or_insert(fragment);
            }
        }
    }

    /// A file from any kept release, for paths that contain a hash of their content: open tabs still request them.
    pub async fn find_asset(&self, site: SiteId, path: &str) -> Result<Option<Found>, Error> {
        let path = path.to_owned();
        let stored = self.peek(move |tx| Ok(files::in_any_release(tx, site, &path)?)).await?;
        match stored {
            Some(stored) => Ok(Some(self.fetch(stored).await?)),
            None => Ok(None),
        }
    }

    /// What a release has at these paths, looked up in one statement.
    pub(super) async fn find_each(
        &self,
        site: SiteId,
        release: i64,
        paths: &[String],
    ) -> Result<HashMap<String, Found>, Error> {
        let mut attempts = 0;
        loop {
            let wanted = paths.to_vec();
            let stored = self.peek(move |tx| Ok(files::at_each(tx, site, release, &wanted)?)).await?;
            let fetches =
                stored.into_iter().map(async |(path, stored)| Ok((path, self.fetch(stored).await?)));
            match try_join_all(fetches).await {
                Ok(found) => return Ok(found.into_iter().collect()),
                // Bytes were moved to another pack since the rows were read, so they are read again.
                Err(blob::Error::Missing(_)) if attempts == 0 => attempts += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    pub(crate) async fn fetch(&self, stored: Stored) -> Result<Found, blob::Error> {
        match stored {
            Stored::Redirect(target) => Ok(Found::Redirect(target)),
            Stored::Bytes { length: 0, hash, .. } => Ok(Found::Body { bytes: Bytes::new(), hash }),
            Stored::Bytes { pack, offset, length, hash } => {
                let (key, range) = (Key::pack(pack), offset as u64..(offset + length) as u64);
                // A wrong byte is never served, whatever happened to the file on disk.
                let is_right = |bytes: &Bytes| short(&blake3::hash(bytes)) == hash;
                let mut bytes = self.blob.read(&key, range.clone()).await?;
                if !is_right(&bytes) && self.blob.forget(&key, &range) {
                    bytes = self.blob.read(&key, range.clone()).await?;
                }
                if is_right(&bytes) {
                    return Ok(Found::Body { bytes, hash });
                }
                self.blob.forget(&key, &range);
                Err(blob::Error::Damaged(format!("pack {pack}, {length} bytes from {offset}")))
            }
        }
    }
}

/// The content type of a site's file.
pub fn content_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let (_, extension) = name.rsplit_once('.').unwrap_or_default();
    match (name, extension) {
        _ if SearchFile::parse(path).is_some() => "application/octet-stream",
        ("feed.xml", _) => "application/atom+xml; charset=utf-8",
        ("rss.xml", _) => "application/rss+xml; charset=utf-8",
        ("feed.json", _) => "application/feed+json; charset=utf-8",
        (_, "json") => "application/json",
        (_, "xml") => "application/xml; charset=utf-8",
        (_, "md") => "text/markdown; charset=utf-8",
        (_, "txt") => "text/plain; charset=utf-8",
        (_, "css") => "text/css; charset=utf-8",
        (_, "js") => "text/javascript; charset=utf-8",
        (_, "woff2") => "font/woff2",
        (_, "svg") => "image/svg+xml",
        (_, "png") => "image/png",
        (_, "ico") => "image/x-icon",
        _ => "text/html; charset=utf-8",
    }
}

/// Whether a site's file is a page.
pub fn is_html(path: &str) -> bool {
    content_type(path).starts_with("text/html")
}

pub(crate) fn short(hash: &blake3::Hash) -> Hash {
    let mut short = Hash::default();
    short.copy_from_slice(&hash.as_bytes()[..16]);
    short
}
