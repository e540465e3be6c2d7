//! A place with backups: a directory or a bucket.
//!
//! ```text
//! backups/ID/manifest.json         written last: the backup is complete
//! backups/ID/rows.ndjson.zst       all rows
//! backups/ID/objects.ndjson.zst    its objects, with their hashes
//! backups/ID/plan-N.ndjson.zst     what the N-th attempt was going to copy; written before the first object
//! backups/ID/begun                 missing: its objects are being deleted, and it can no longer become complete
//! backups/ID/running.json          until when another backup has to wait
//! packs/…, media/…                 the objects of all backups, under their ids, which are never used twice
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use blob::{Blob, Key};
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::io::AsyncWriteExt;

use crate::error::{Error, Result, blocking, of_file};
use crate::manifest::{FileSum, Manifest};

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const ROWS: &str = "rows.ndjson.zst";
pub(crate) const OBJECTS: &str = "objects.ndjson.zst";
pub(crate) const PLAN: &str = "plan-";
pub(crate) const BEGUN: &str = "begun";
pub(crate) const RUNNING: &str = "running.json";

#[derive(Clone)]
pub struct Place {
    pub(crate) blob: Blob,
    /// Whether a backup reads the objects that the place already has.
    pub(crate) is_checked: bool,
}

/// The names of the files of each backup, by its id. Ids begin with the time.
pub(crate) type Backups = BTreeMap<String, Vec<String>>;

impl Place {
    /// Refuses the objects of an installation: a server would delete backups from there.
    pub async fn open(blob: Blob) -> Result<Place> {
        match blob.installation().await? {
            None => Ok(Place { blob, is_checked: false }),
            Some(id) => Err(Error::Refused(format!(
                "this place holds the objects of installation {id}; backups need a place of their own"
            ))),
        }
    }

    /// A backup reads the objects that the place already has, and copies those again that are damaged.
    pub fn checked(self) -> Place {
        Place { is_checked: true, ..self }
    }

    pub(crate) async fn backups(&self) -> Result<Backups> {
        let mut backups = Backups::new();
        for (backup, name) in self.blob.backup_files().await? {
            backups.entry(backup).or_default().push(name);
        }
        Ok(backups)
    }

    /// The ids of complete backups, oldest first.
    pub(crate) async fn complete(&self) -> Result<Vec<String>> {
        let backups = self.backups().await?.into_iter();
        Ok(backups.filter(|(_, names)| is_complete(names)).map(|(id, _)| id).collect())
    }

    /// The manifests of all complete backups, oldest first.
    pub async fn list(&self) -> Result<Vec<Manifest>> {
        let mut manifests = Vec::new();
        for id in self.complete().await? {
            manifests.push(self.manifest(&id).await?);
        }
        Ok(manifests)
    }

    /// The backup with this id, or the newest complete one.
    pub async fn find(&self, id: Option<&str>) -> Result<Manifest> {
        let complete = self.complete().await?;
        let found = match id {
            Some(id) => complete.iter().find(|complete| *complete == id),
            None => complete.last(),
        };
        match (found, id) {
            (Some(id), _) => self.manifest(id).await,
            (None, None) => Err(Error::Refused("there is no complete backup in this place".into())),
            (None, Some(id)) => Err(Error::Refused(format!(
                "there is no complete backup {id} in this place; `recto backup list` shows all"
            ))),
        }
    }

    pub(crate) async fn manifest(&self, id: &str) -> Result<Manifest> {
        Manifest::parse(id, &self.blob.get(&Key::backup_file(id, MANIFEST)).await?)
    }

    pub(crate) async fn has(&self, id: &str, name: &str) -> Result<bool> {
        Ok(self.blob.size(&Key::backup_file(id, name)).await?.is_some())
    }

    pub(crate) async fn put(&self, id: &str, name: &str, bytes: impl Into<Bytes>) -> Result<()> {
        Ok(self.blob.put(&Key::backup_file(id, name), bytes.into()).await?)
    }

    pub(crate) async fn delete(&self, id: &str, name: &str) -> Result<()> {
        Ok(self.blob.delete(&Key::backup_file(id, name)).await?)
    }

    /// Stores a temporary file, which may be moved.
    pub(crate) async fn put_file(&self, id: &str, name: &str, path: &Path) -> Result<FileSum> {
        let (owned, name) = (path.to_owned(), name.to_owned());
        let hash = blocking(move || hash_file(&owned)).await?;
        let size = self.blob.put_file(&Key::backup_file(id, &name), path).await?;
        Ok(FileSum { name, size, hash })
    }

    /// Copies a file of a backup to a temporary file and returns its hash.
    pub(crate) async fn download(&self, id: &str, name: &str, path: &Path) -> Result<String> {
        let key = Key::backup_file(id, name);
        let Some(size) = self.blob.size(&key).await? else {
            return Err(Error::Damaged(format!("backup {id} has no file {name}")));
        };
        let mut file = tokio::fs::File::create_new(path).await.map_err(of_file(path))?;
        let (mut pieces, mut hasher) = (self.blob.read_stream(&key, 0..size).await?, blake3::Hasher::new());
        while let Some(piece) = pieces.next().await {
            let piece = piece?;
            hasher.update(&piece);
            file.write_all(&piece).await.map_err(of_file(path))?;
        }
        file.flush().await.map_err(of_file(path))?;
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// The same for a file whose hash is in the manifest.
    pub(crate) async fn download_checked(&self, id: &str, sum: &FileSum, path: &Path) -> Result<()> {
        if self.download(id, &sum.name, path).await? == sum.hash {
            return Ok(());
        }
        Err(Error::Damaged(format!("{} of backup {id} is damaged: its hash is wrong", sum.name)))
    }
}

pub(crate) fn is_complete(names: &[String]) -> bool {
    names.iter().any(|name| name == MANIFEST)
}

fn hash_file(path: &Path) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    let file = std::fs::File::open(path).map_err(of_file(path))?;
    hasher.update_reader(file).map_err(of_file(path))?;
    Ok(hasher.finalize().to_hex().to_string())
}
