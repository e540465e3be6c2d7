//! Writes releases like a build, with files that the test chooses.

use blob::{Blob, Key};
use bytes::Bytes;
use model::{BuildId, Clock, PackId, SiteId, SystemClock, Timestamp};
use store::files::{File, Hash, Stored};
use store::releases::{Move, Release};
use store::{Store, files, packs, releases};

#[derive(Clone)]
pub struct ReleaseWriter {
    pub store: Store,
    pub blob: Blob,
}

/// The content of a path.
#[derive(Clone)]
pub enum Content {
    Text(String),
    Redirect(String),
}

impl From<&str> for Content {
    fn from(text: &str) -> Content {
        Content::Text(text.to_owned())
    }
}

impl ReleaseWriter {
    /// Creates a release with exactly these files and makes it live.
    pub async fn release(&self, site: SiteId, files: &[(&str, Content)]) -> i64 {
        let now = SystemClock.now();
        let pack = PackId::new(now);
        let (files, size) = self.write(pack, files).await;
        let number = self.store.write(move |tx| {
            packs::begin(tx, pack, site, now)?;
            packs::keep(tx, pack, size)?;
            let number = releases::newest(tx, site)?.map_or(1, |newest| newest.number + 1);
            let before: Vec<String> =
                files::open_files(tx, site, "", 1000)?.into_iter().map(|(path, _)| path).collect();
            files::close(tx, site, number, &before)?;
            files::insert(tx, site, number, &files)?;
            releases::insert(tx, site, &release(number, now))?;
            releases::go_live(tx, site, number, Move::Build)?;
            Ok::<_, store::Error>(number)
        });
        number.await.unwrap()
    }

    async fn write(&self, pack: PackId, contents: &[(&str, Content)]) -> (Vec<File>, i64) {
        let mut writer = self.blob.writer(&Key::pack(pack));
        let mut files = Vec::new();
        for (path, content) in contents {
            let (stored, hash) = match content {
                Content::Text(text) => {
                    let (offset, hash) = (writer.position() as i64, hash(text));
                    writer.write(Bytes::from(text.clone())).await.unwrap();
                    (Stored::Bytes { pack, offset, length: text.len() as i64, hash }, hash)
                }
                Content::Redirect(target) => (Stored::Redirect(target.clone()), hash(target)),
            };
            files.push(File { path: path.to_string(), stored, hash });
        }
        (files, writer.finish().await.unwrap() as i64)
    }
}

fn release(number: i64, now: Timestamp) -> Release {
    Release {
        number,
        build: BuildId::new(now),
        version: number,
        as_of: now,
        made_with: String::new(),
        pages: 1,
        created_at: now,
        warnings: None,
    }
}

fn hash(text: &str) -> Hash {
    blake3::hash(text.as_bytes()).as_bytes()[..16].try_into().unwrap()
}
