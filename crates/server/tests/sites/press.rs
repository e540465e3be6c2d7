//! Writes releases down as a build does, without one: what is in them is the test's choice.

use blob::{Blob, Key};
use bytes::Bytes;
use model::{BuildId, Clock, PackId, SiteId, SystemClock, Timestamp};
use store::files::{File, Hash, Stored};
use store::releases::{Move, Release};
use store::{Store, files, packs, releases};

#[derive(Clone)]
pub struct Press {
    pub store: Store,
    pub blob: Blob,
}

/// What is at a path.
#[derive(Clone)]
pub enum Print {
    Text(String),
    Redirect(String),
}

impl From<&str> for Print {
    fn from(text: &str) -> Print {
        Print::Text(text.to_owned())
    }
}

impl Press {
    /// Makes a release of exactly these files, and makes it live.
    pub async fn release(&self, site: SiteId, prints: &[(&str, Print)]) -> i64 {
        let now = SystemClock.now();
        let pack = PackId::new(now);
        let (files, size) = self.write(pack, prints).await;
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
        let number = number.await.unwrap();
        self.store.touch();
        number
    }

    async fn write(&self, pack: PackId, prints: &[(&str, Print)]) -> (Vec<File>, i64) {
        let mut writer = self.blob.writer(&Key::pack(pack));
        let mut files = Vec::new();
        for (path, print) in prints {
            let (stored, hash) = match print {
                Print::Text(text) => {
                    let (offset, hash) = (writer.position() as i64, hash(text));
                    writer.write(Bytes::from(text.clone())).await.unwrap();
                    (Stored::Bytes { pack, offset, length: text.len() as i64, hash }, hash)
                }
                Print::Redirect(target) => (Stored::Redirect(target.clone()), hash(target)),
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
