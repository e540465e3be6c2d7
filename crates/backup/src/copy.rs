//! Copies objects from one object store to another and hashes them on the way.

use blob::{Blob, Key};
use futures_util::StreamExt;

use crate::error::{Error, Result};
use crate::object_list::Object;

/// Objects that are copied at the same time.
pub(crate) const PARALLEL: usize = 4;
/// Problems that are named; the others are counted.
const MOST_NAMED: usize = 100;

/// What became of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The target has it; with its hash.
    Present(String),
    Copied(String),
    /// The source does not have it.
    Missing,
    /// The source has something else.
    Damaged(String),
}

/// Problems of the source that do not keep the rest from being copied.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub(crate) named: Vec<String>,
    pub(crate) count: u64,
}

impl Problems {
    pub(crate) fn add(&mut self, problem: String) {
        self.count += 1;
        if self.named.len() < MOST_NAMED {
            self.named.push(problem);
        }
    }
}

/// Copies an object unless the target has it. `known` is the hash of the target's, if it need not be read.
pub(crate) async fn copy_once(
    from: &Blob,
    to: &Blob,
    object: &Object,
    known: Option<String>,
) -> Result<Outcome> {
    let key = object.key();
    if to.size(&key).await? == Some(object.size) {
        let hash = match known {
            Some(hash) => hash,
            None => hash_of(to, &key, object.size).await?,
        };
        if object.accepts(&hash) {
            return Ok(Outcome::Present(hash));
        }
    }
    copy(from, to, object).await
}

pub(crate) async fn copy(from: &Blob, to: &Blob, object: &Object) -> Result<Outcome> {
    let key = object.key();
    match from.size(&key).await? {
        None => return Ok(Outcome::Missing),
        Some(size) if size != object.size => {
            let problem = format!("{} has {size} bytes instead of {}", object.name(), object.size);
            return Ok(Outcome::Damaged(problem));
        }
        Some(_) => {}
    }
    let mut pieces = match from.read_stream(&key, 0..object.size).await {
        Err(blob::Error::Missing(_)) => return Ok(Outcome::Missing),
        pieces => pieces?,
    };
    // Of a run that was killed: no other process writes this object now.
    to.delete_unfinished(&key).await;
    let (mut writer, mut hasher) = (to.writer(&key), blake3::Hasher::new());
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        hasher.update(&piece);
        writer.write(piece).await?;
    }
    let hash = hasher.finalize().to_hex().to_string();
    if !object.accepts(&hash) {
        writer.abort().await?;
        return Ok(Outcome::Damaged(format!("{}: its bytes do not have its hash", object.name())));
    }
    writer.finish().await?;
    Ok(Outcome::Copied(hash))
}

/// Copies an object unless the target has the same bytes, and reads it back.
pub(crate) async fn copy_and_check(from: &Blob, to: &Blob, object: &Object) -> Result<Outcome> {
    let key = object.key();
    if to.size(&key).await? == Some(object.size) && from.size(&key).await? == Some(object.size) {
        let hash = hash_of(to, &key, object.size).await?;
        if object.accepts(&hash) && hash_of(from, &key, object.size).await? == hash {
            return Ok(Outcome::Present(hash));
        }
    }
    let copied = copy(from, to, object).await?;
    if let Outcome::Copied(hash) = &copied
        && hash_of(to, &key, object.size).await? != *hash
    {
        return Err(Error::Damaged(format!("{} was copied, but other bytes are read back", object.name())));
    }
    Ok(copied)
}

/// An object that ends early is an error.
pub(crate) async fn hash_of(blob: &Blob, key: &Key, size: u64) -> Result<String> {
    let (mut pieces, mut hasher) = (blob.read_stream(key, 0..size).await?, blake3::Hasher::new());
    while let Some(piece) = pieces.next().await {
        hasher.update(&piece?);
    }
    Ok(hasher.finalize().to_hex().to_string())
}
