//! What a visitor's request needs: the site of a host, and what its live release has at a path.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use blob::Key;
use bytes::Bytes;
use model::{SiteId, SiteName};
use store::files::{self, Hash, Stored};
use store::hosts::{self, Hosted, Protection};

use crate::{Error, Publisher, Settings};

/// A host's site, as it is at this moment. All of one request is answered from one release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    pub site: SiteId,
    /// None before the first build.
    pub release: Option<i64>,
    pub protection: Option<Protection>,
    /// The account is suspended: nothing is shown.
    pub suspended: bool,
}

/// What is at a path of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// `hash` is that of everything the body is made of.
    Body {
        bytes: Bytes,
        hash: [u8; 16],
    },
    Redirect(String),
}

/// Sites by host, each with the mark of the store under which it was looked up.
#[derive(Default)]
pub(crate) struct Hosts(Mutex<HashMap<String, (u64, Arc<Visit>)>>);

/// Hosts that are remembered; beyond it the memory starts anew.
const MOST_HOSTS: usize = 10_000;

impl Hosts {
    fn get(&self, host: &str) -> Option<(u64, Arc<Visit>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(host).cloned()
    }

    fn put(&self, host: &str, mark: u64, visit: Option<Arc<Visit>>) {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MOST_HOSTS {
            hosts.clear();
        }
        match visit {
            Some(visit) => drop(hosts.insert(host.to_owned(), (mark, visit))),
            None => drop(hosts.remove(host)),
        }
    }
}

impl Publisher {
    /// The site of a host (lower case, without its port). While the database is away, the site as it was last seen.
    pub async fn visit(&self, host: &str) -> Result<Option<Arc<Visit>>, Error> {
        // The mark is read first: what changes after it is looked up again.
        let mark = self.store.mark();
        let known = self.hosts.get(host);
        if let Some((seen, visit)) = &known
            && *seen == mark
        {
            return Ok(Some(visit.clone()));
        }
        let (name, domain) = (self.settings.site_of_host(host), host.to_owned());
        let looked_up = self.store.peek(move |tx| {
            let named = name.as_ref().map(|name| hosts::by_name(tx, name)).transpose()?.flatten();
            match named {
                Some(hosted) => Ok::<_, Error>(Some(hosted)),
                None => Ok(hosts::by_domain(tx, &domain)?),
            }
        });
        match (looked_up.await, known) {
            (Ok(hosted), _) => {
                let visit = hosted.map(|Hosted { id, release, protection, suspended }| {
                    Arc::new(Visit { site: id, release, protection, suspended })
                });
                self.hosts.put(host, mark, visit.clone());
                Ok(visit)
            }
            (Err(Error::Away(_)), Some((_, visit))) => Ok(Some(visit)),
            (Err(error), _) => Err(error),
        }
    }

    /// What a release has at a path; a page is joined with its fragments of the same release.
    pub async fn find(&self, site: SiteId, release: i64, path: &str) -> Result<Option<Found>, Error> {
        let Some(found) = self.find_alone(site, release, path).await? else { return Ok(None) };
        let Found::Body { bytes, hash } = found else { return Ok(Some(found)) };
        if !is_html(path) {
            return Ok(Some(Found::Body { bytes, hash }));
        }
        let (mut fragments, mut hasher) = (HashMap::new(), blake3::Hasher::new());
        hasher.update(&hash);
        loop {
            // Which fragments the page names, and these: they are read before it is joined.
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
                let found = match self.find_alone(site, release, &path).await? {
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

    /// What any kept release has at a path whose name says what is in it: open tabs still ask for it.
    pub async fn find_asset(&self, site: SiteId, path: &str) -> Result<Option<Found>, Error> {
        let path = path.to_owned();
        let stored =
            self.store.peek(move |tx| Ok::<_, Error>(files::in_any_release(tx, site, &path)?)).await?;
        match stored {
            Some(stored) => Ok(Some(self.fetch(stored).await?)),
            None => Ok(None),
        }
    }

    async fn find_alone(&self, site: SiteId, release: i64, path: &str) -> Result<Option<Found>, Error> {
        let mut tries = 0;
        loop {
            let path = path.to_owned();
            let stored =
                self.store.peek(move |tx| Ok::<_, Error>(files::at(tx, site, release, &path)?)).await?;
            let Some(stored) = stored else { return Ok(None) };
            match self.fetch(stored).await {
                Ok(found) => return Ok(Some(found)),
                // The bytes moved to another pack since the row was read: it is read once more.
                Err(blob::Error::Missing(_)) if tries == 0 => tries += 1,
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
                // A wrong byte is never served: disks, and those who copy files, make mistakes.
                match short(&blake3::hash(&bytes)) == hash {
                    true => Ok(Found::Body { bytes, hash }),
                    false => Err(blob::Error::Damaged(format!("pack {pack}, {length} bytes from {offset}"))),
                }
            }
        }
    }
}

/// What the site says its file is.
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

impl Settings {
    /// The site whose address has this host, if the host is of the configured pattern.
    pub(crate) fn site_of_host(&self, host: &str) -> Option<SiteName> {
        let pattern = self.site_url.split_once("://").map_or(self.site_url.as_str(), |(_, rest)| rest);
        let pattern = pattern.split('/').next().unwrap_or_default();
        let pattern = pattern.rsplit_once(':').map_or(pattern, |(host, _)| host).to_lowercase();
        let (before, after) = pattern.split_once("{site}")?;
        SiteName::parse(host.strip_prefix(before)?.strip_suffix(after)?).ok()
    }
}
