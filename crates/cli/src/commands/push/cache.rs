//! Which files are on the site, and under which address.
//!
//! The API does not say which bytes an address was made of, so a push remembers it in a file of the user's cache directory.
//! An address is trusted only while a page of the site shows it: a page that still has the hash with which it was pushed.
//! Without the file, pages with files are sent again, and the server finds that nothing has changed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use client::{Listed, Site};
use folder::{Folder, Page};
use model::{PageKey, Timestamp};
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
pub(super) struct Cache {
    #[serde(skip)]
    path: Option<PathBuf>,
    /// By hash.
    pages: BTreeMap<String, CachedPage>,
    /// Settings were changed, and no build was queued since.
    #[serde(default)]
    pub is_build_due: bool,
}

#[derive(Clone, Serialize, Deserialize)]
struct CachedPage {
    /// Addresses, by the identity of the file.
    files: BTreeMap<String, String>,
}

impl Cache {
    pub fn load(site: &Site) -> Cache {
        let path = directory().map(|directory| directory.join(format!("push-{}.json", site.id)));
        let read = path.as_ref().and_then(|path| std::fs::read(path).ok());
        let cache: Cache = read.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        Cache { path, ..cache }
    }

    /// Forgets the pages that the site no longer has.
    pub fn keep(&mut self, listed: &[Listed]) {
        let hashes: HashSet<&str> = listed.iter().map(|page| page.hash.as_str()).collect();
        self.pages.retain(|hash, _| hashes.contains(hash.as_str()));
    }

    /// Remembers the files of a page on the site.
    pub fn add(&mut self, hash: String, files: BTreeMap<String, String>) {
        if !files.is_empty() {
            self.pages.insert(hash, CachedPage { files });
        }
    }

    /// Without it, the next push takes longer; so a failure is no error.
    pub fn save(&self) {
        let Some(path) = &self.path else { return };
        let write = || {
            std::fs::create_dir_all(path.parent()?).ok()?;
            // Replaced as a whole: another push may read it.
            let part = path.with_extension(std::process::id().to_string());
            std::fs::write(&part, serde_json::to_vec(self).ok()?).ok()?;
            std::fs::rename(part, path).ok()
        };
        let _ = write();
    }
}

fn directory() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    Some(cache?.join("recto"))
}

/// The files of a folder, and the addresses of those that are on the site.
#[derive(Clone)]
pub(super) struct Known {
    /// The identity of each file, by its path in the folder.
    identities: HashMap<String, String>,
    /// By identity.
    addresses: HashMap<String, String>,
}

impl Known {
    pub fn new(folder: &Folder, cache: &Cache) -> Result<Known> {
        let mut known = Known { identities: HashMap::new(), addresses: HashMap::new() };
        for (name, file) in &folder.files {
            let hash = file.hash().with_context(|| format!("read {name}"))?;
            known.identities.insert(name.clone(), identity(name, &hash));
        }
        for page in cache.pages.values() {
            known.addresses.extend(page.files.clone());
        }
        Ok(known)
    }

    /// How many files of the folder are on the site.
    pub fn reused(&self) -> usize {
        self.identities.values().filter(|identity| self.addresses.contains_key(*identity)).count()
    }

    pub fn address(&self, file: &str) -> Option<&str> {
        self.addresses.get(self.identities.get(file)?).map(String::as_str)
    }

    /// Whether the addresses of all files of a page are known.
    pub fn has_all(&self, page: &Page) -> bool {
        page.files().all(|file| self.address(file).is_some())
    }

    /// The hash of a page on the site; `None` if the address of one of its files is not known.
    pub fn hash(&self, page: &Page, key: &PageKey, published_at: Timestamp) -> Option<String> {
        page.hash(key, published_at, |file| self.address(file)).map(|hash| hash.to_string())
    }

    /// Notes the address of a file that was sent.
    pub fn add(&mut self, file: &str, address: String) {
        if let Some(identity) = self.identities.get(file) {
            self.addresses.insert(identity.clone(), address);
        }
    }

    /// The files of a page with their addresses, to be remembered.
    pub fn files_of(&self, page: &Page) -> BTreeMap<String, String> {
        let names: BTreeSet<&str> = page.files().collect();
        let entry = |name: &str| Some((self.identities.get(name)?.clone(), self.address(name)?.to_owned()));
        names.into_iter().filter_map(entry).collect()
    }
}

/// The name is part of the address, and the bytes are the rest of it.
fn identity(name: &str, hash: &str) -> String {
    let base = name.rsplit('/').next().unwrap_or(name);
    format!("{hash}/{base}")
}
