//! Backups: small files with names, next to the packs and media that they list.

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use tokio::task::spawn_blocking;

use crate::{Blob, Error, Key};

const BACKUPS: &str = "backups";

impl Key {
    /// A file of a backup.
    pub fn backup_file(backup: &str, name: &str) -> Key {
        Key(Path::from_iter([BACKUPS, backup, name]))
    }
}

impl Blob {
    /// The size of an object; `None`: there is none.
    pub async fn size(&self, key: &Key) -> Result<Option<u64>, Error> {
        match self.store.head(&key.0).await {
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            found => Ok(Some(found?.size)),
        }
    }

    /// Stores a small object as a whole. It replaces one of the same name at once.
    pub async fn put(&self, key: &Key, bytes: Bytes) -> Result<(), Error> {
        self.store.put(&key.0, bytes.into()).await?;
        Ok(())
    }

    /// A small object as a whole.
    pub async fn get(&self, key: &Key) -> Result<Bytes, Error> {
        Ok(self.store.get(&key.0).await?.bytes().await?)
    }

    /// The files of all backups, each as backup and name.
    pub async fn backup_files(&self) -> Result<Vec<(String, String)>, Error> {
        let split = |path: Path| {
            let parts: Vec<String> = path.parts().map(|part| part.as_ref().to_owned()).collect();
            match <[String; 3]>::try_from(parts) {
                Ok([_, backup, name]) => Some((backup, name)),
                Err(_) => None,
            }
        };
        let files = self.store.list(Some(&Path::from(BACKUPS)));
        let files = files.try_filter_map(|file| std::future::ready(Ok(split(file.location))));
        let mut files: Vec<(String, String)> = files.try_collect().await?;
        files.sort();
        Ok(files)
    }

    /// Files of backups that crashed processes have not finished, each as backup and name; only directories have such.
    pub async fn unfinished_backup_files(&self) -> Vec<(String, String)> {
        let Some(directory) = self.directory.as_ref().map(|directory| directory.join(BACKUPS)) else {
            return Vec::new();
        };
        spawn_blocking(move || unfinished_below(&directory)).await.unwrap_or_default()
    }

    /// Whether nothing is stored that belongs to an installation.
    pub async fn is_unused(&self) -> Result<bool, Error> {
        let none = self.installation().await?.is_none();
        Ok(none && self.packs().try_next().await?.is_none() && self.media().try_next().await?.is_none())
    }
}

fn unfinished_below(directory: &std::path::Path) -> Vec<(String, String)> {
    let entries = |path: &std::path::Path| std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for backup in entries(directory) {
        for file in entries(&backup.path()) {
            let (backup, file) = (backup.file_name(), file.file_name());
            if let (Some(backup), Some((name, "1"))) =
                (backup.to_str(), file.to_str().and_then(|file| file.rsplit_once('#')))
            {
                found.push((backup.to_owned(), name.to_owned()));
            }
        }
    }
    found
}
