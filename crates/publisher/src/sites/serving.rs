//! Answers visitors' requests: finds the site of a host, and the file at a path of its live release.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use blob::Key;
use bytes::Bytes;
use model::SiteId;
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

/// Cached sites by host, each with the store's change mark at its lookup.
#[derive(Default)]
pub(crate) struct Hosts(Mutex<HashMap<String, (u64, Arc<HostedSite>)>>);

/// When the cache has this many hosts, it is cleared.
const MAX_HOSTS: usize = 10_000;

impl Hosts {
    fn get(&self, host: &str) -> Option<(u64, Arc<HostedSite>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(host).cloned()
    }

    fn put(&self, host: &str, mark: u64, site: Option<Arc<HostedSite>>) {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MAX_HOSTS {
            hosts.clear();
        }
        match site {
            Some(site) => drop(hosts.insert(host.to_owned(), (mark, site))),
            None => drop(hosts.remove(host)),
        }
    }
}

impl Publisher {
    /// The site of a host (lower case, without its port). While the database is unavailable, the cached site.
    pub async fn hosted_site(&self, host: &str) -> Result<Option<Arc<HostedSite>>, Error> {
        // The change mark is read first, so that a later change causes another lookup.
        let mark = self.store.mark();
        let known = self.hosts.get(host);
        if let Some((seen, site)) = &known
            && *seen == mark
        {
            return Ok(Some(site.clone()));
        }
        let (name, domain) = (self.settings.site_of_host(host), host.to_owned());
        let looked_up = self.peek(move |tx| {
            let named = name.as_ref().map(|name| hosts::by_name(tx, name)).transpose()?.flatten();
            match named {
                Some(hosted) => Ok(Some(hosted)),
                None => Ok(hosts::by_domain(tx, &domain)?),
            }
        });
        match (looked_up.await, known) {
            (Ok(hosted), _) => {
                let site = hosted.map(Arc::new);
                self.hosts.put(host, mark, site.clone());
                Ok(site)
            }
            (Err(Error::Unavailable(_)), Some((_, site))) => Ok(Some(site)),
            (Err(error), _) => Err(error),
        }
    }

    /// The file at a path of a release; a page is joined with its fragments from the same release.
    pub async fn find(&self, site: SiteId, release: i64, path: &str) -> Result<Option<Found>, Error> {
        let Some(found) = self.find_unjoined(site, release, path).await? else { return Ok(None) };
        let Found::Body { bytes, hash } = found else { return Ok(Some(found)) };
        if !is_html(path) {
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
            for path in wanted {
                let found = match self.find_unjoined(site, release, &path).await? {
                    Some(Found::Body { bytes, hash }) => {
                        hasher.update(&hash);
                        Some(bytes)
                    }
                    _ => None,
                };
                fragments.insert(path, found);
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

    async fn find_unjoined(&self, site: SiteId, release: i64, path: &str) -> Result<Option<Found>, Error> {
        let mut attempts = 0;
        loop {
            let path = path.to_owned();
            let stored = self.peek(move |tx| Ok(files::at(tx, site, release, &path)?)).await?;
            let Some(stored) = stored else { return Ok(None) };
            match self.fetch(stored).await {
                Ok(found) => return Ok(Some(found)),
                // The bytes were moved to another pack since the row was read, so it is read again.
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
                let range = offset as u64..(offset + length) as u64;
                let bytes = self.blob.read(&Key::pack(pack), range).await?;
                // A wrong byte is never served, whatever happened to the file on disk.
                match short(&blake3::hash(&bytes)) == hash {
                    true => Ok(Found::Body { bytes, hash }),
                    false => Err(blob::Error::Damaged(format!("pack {pack}, {length} bytes from {offset}"))),
                }
            }
        }
    }
}

/// The content type of a site's file.
pub fn content_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let (_, extension) = name.rsplit_once('.').unwrap_or_default();
    match (name, extension) {
        ("feed.xml", _) => "application/atom+xml; charset=utf-8",
        ("rss.xml", _) => "application/rss+xml; charset=utf-8",
        ("feed.json", _) => "application/feed+json; charset=utf-8",
        (_, "xml") => "application/xml; charset=utf-8",
        (_, "md") => "text/markdown; charset=utf-8",
        (_, "txt") => "text/plain; charset=utf-8",
        (_, "css") => "text/css; charset=utf-8",
        (_, "svg") => "image/svg+xml",
        _ => "text/html; charset=utf-8",
    }
}

pub(crate) fn is_html(path: &str) -> bool {
    content_type(path).starts_with("text/html")
}

pub(crate) fn short(hash: &blake3::Hash) -> Hash {
    let mut short = Hash::default();
    short.copy_from_slice(&hash.as_bytes()[..16]);
    short
}
