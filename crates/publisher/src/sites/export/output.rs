//! Where an export goes: into a directory, or into a tar archive that is sent while it is made.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use model::Timestamp;
use tokio::sync::{Mutex, mpsc};

use crate::Error;

/// A name below the root of the export, and the bytes of the file.
type NamedFile = (String, Vec<u8>);

#[derive(Clone)]
pub(super) enum Output {
    Directory(PathBuf),
    Archive(Arc<Archive>),
}

impl Output {
    pub(super) fn directory(path: &Path) -> Output {
        Output::Directory(path.to_owned())
    }

    pub(super) fn archive(out: mpsc::Sender<Bytes>, time: Timestamp) -> Output {
        Output::Archive(Arc::new(Archive {
            out: Mutex::new(out),
            seconds: (time.micros() / 1_000_000).max(0) as u64,
        }))
    }

    pub(super) async fn write(&self, files: Vec<NamedFile>) -> Result<(), Error> {
        match self {
            Output::Directory(directory) => {
                let directory = directory.clone();
                let written = tokio::task::spawn_blocking(move || {
                    files.iter().try_for_each(|(name, bytes)| write(&directory.join(name), bytes))
                });
                written.await.map_err(|error| Error::refused(format!("write the files: {error}")))?
            }
            Output::Archive(archive) => archive.write(files).await,
        }
    }

    /// Writes a file of which not all bytes are in memory at once.
    pub(super) async fn stream(
        &self,
        name: &str,
        size: u64,
        pieces: impl Stream<Item = Result<Bytes, blob::Error>>,
    ) -> Result<(), Error> {
        match self {
            Output::Directory(directory) => copy(pieces, &directory.join(name)).await,
            Output::Archive(archive) => archive.stream(name, size, pieces).await,
        }
    }

    pub(super) async fn finish(&self) -> Result<(), Error> {
        match self {
            Output::Directory(_) => Ok(()),
            Output::Archive(archive) => archive.finish().await,
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = create(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| failed(path, &error))
}

async fn copy(pieces: impl Stream<Item = Result<Bytes, blob::Error>>, path: &Path) -> Result<(), Error> {
    let mut file = create(path).map_err(|error| failed(path, &error))?;
    let mut pieces = std::pin::pin!(pieces);
    while let Some(piece) = pieces.next().await {
        file.write_all(&piece?).map_err(|error| failed(path, &error))?;
    }
    Ok(())
}

fn create(path: &Path) -> io::Result<File> {
    match File::create(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            File::create(path)
        }
        created => created,
    }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::refused(format!("write {}: {error}", path.display()))
}

pub(super) struct Archive {
    /// Locked while a file is sent.
    out: Mutex<mpsc::Sender<Bytes>>,
    seconds: u64,
}

/// The size of a file in an archive is a multiple of this.
const BLOCK: u64 = 512;

impl Archive {
    async fn write(&self, files: Vec<NamedFile>) -> Result<(), Error> {
        let out = self.out.lock().await;
        for (name, bytes) in files {
            send(&out, self.entry(&name, bytes.len() as u64, &bytes)?).await?;
        }
        Ok(())
    }

    async fn stream(
        &self,
        name: &str,
        size: u64,
        pieces: impl Stream<Item = Result<Bytes, blob::Error>>,
    ) -> Result<(), Error> {
        let out = self.out.lock().await;
        send(&out, self.entry(name, size, &[])?).await?;
        let mut pieces = std::pin::pin!(pieces);
        while let Some(piece) = pieces.next().await {
            send(&out, piece?).await?;
        }
        send(&out, vec![0; (size.next_multiple_of(BLOCK) - size) as usize].into()).await
    }

    /// The end of an archive is two empty blocks.
    async fn finish(&self) -> Result<(), Error> {
        send(&*self.out.lock().await, vec![0; 2 * BLOCK as usize].into()).await
    }

    /// The header of a file with this size, and as much of its bytes as there is.
    fn entry(&self, name: &str, size: u64, bytes: &[u8]) -> Result<Bytes, Error> {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o644);
        header.set_mtime(self.seconds);
        let mut archive = tar::Builder::new(Vec::new());
        let added = archive.append_data(&mut header, name, bytes);
        added.map_err(|error| Error::refused(format!("add {name} to the archive: {error}")))?;
        Ok(std::mem::take(archive.get_mut()).into())
    }
}

async fn send(out: &mpsc::Sender<Bytes>, bytes: Bytes) -> Result<(), Error> {
    out.send(bytes).await.map_err(|_| Error::refused("the export was interrupted"))
}
