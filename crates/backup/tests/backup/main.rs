//! Backups, restoration and moves, on real databases, directories and buckets.

#![allow(clippy::unwrap_used)]

extern crate recto_backup as backup;

mod backups;
mod moves;
mod old_backups;
mod restored;

use std::path::Path;
use std::sync::Arc;

use backup::{BackedUp, Installation, Keep, Place, Progress};
use blob::{Blob, Key};
use bytes::Bytes;
use model::{ManualClock, ObjectId, PackId, Timestamp};
use store::Location;
use store::transfer::{Table, Value};
use tempfile::TempDir;
use testing::Database;
use testing::rows::fill_all;
use uuid::Uuid;

/// Rows in each table.
const ROWS: u64 = 12;

/// An installation with rows in every table, and the objects that they name.
struct Source {
    database: Database,
    objects: Blob,
    directory: TempDir,
}

impl Source {
    async fn new(database: Database, objects: Blob) -> Source {
        let location = database.location();
        blocking(move || fill_all(&location, ROWS, describe)).await;
        let source = Source { database, objects, directory: tempfile::tempdir().unwrap() };
        for number in 0..ROWS {
            source.put(&Key::pack(PackId(id(number))), &content(number)).await;
            source.put(&Key::media(ObjectId(id(number))), &content(number)).await;
        }
        source.objects.set_installation(id(0)).await.unwrap();
        source
    }

    async fn on_sqlite() -> Source {
        Source::new(Database::sqlite(), Blob::memory()).await
    }

    async fn put(&self, key: &Key, bytes: &[u8]) {
        self.objects.put(key, Bytes::copy_from_slice(bytes)).await.unwrap();
    }

    fn installation(&self) -> Installation {
        installation(&self.database, &self.objects, self.directory.path())
    }

    async fn back_up(&self, place: &Place, keep: Keep) -> BackedUp {
        self.back_up_at(place, keep, 1_000).await
    }

    /// At a number of seconds.
    async fn back_up_at(&self, place: &Place, keep: Keep, second: i64) -> BackedUp {
        let clock = Arc::new(ManualClock::new(Timestamp::from_micros(second * 1_000_000)));
        backup::back_up(&self.installation(), place, keep, clock, &Progress::none()).await.unwrap()
    }
}

fn installation(database: &Database, objects: &Blob, scratch: &Path) -> Installation {
    Installation { store: database.location(), objects: objects.clone(), scratch: scratch.to_owned() }
}

/// The id in all rows with this number.
fn id(number: u64) -> Uuid {
    Uuid::from_u128((u128::from(number) << 64) + 7)
}

/// The bytes of the objects with this number.
fn content(number: u64) -> Vec<u8> {
    (0..1000 + number).map(|byte| (byte * (number + 3)) as u8).collect()
}

/// Rows of objects have the size and the hash of their bytes.
fn describe(table: &Table, number: u64, row: &mut [Value]) {
    let (size, hash) = (content(number).len() as i64, blake3::hash(&content(number)));
    if table.name == "packs" || table.name == "objects" {
        row[table.column("size").unwrap()] = Value::Integer(size);
    }
    if table.name == "objects" {
        // A twin, made out of another object, has no hash in its row.
        let is_twin = number % 3 == 1;
        let hash = Value::Bytes(hash.as_bytes()[..16].to_vec());
        row[table.column("hash").unwrap()] = if is_twin { Value::Null } else { hash };
    }
}

/// Every row of every table, except for those of the ledger, which has times.
fn rows(database: &Database) -> Vec<String> {
    let mut rows = database.dump();
    rows.retain(|row| !row.starts_with("migrations:"));
    rows
}

/// The same without the row about the server, which has the installation's id.
fn rows_of_accounts(database: &Database) -> Vec<String> {
    let mut rows = rows(database);
    rows.retain(|row| !row.starts_with("server:"));
    rows
}

async fn empty_place() -> Place {
    Place::open(Blob::memory()).await.unwrap()
}

/// An unused prefix in the bucket that `./test` serves; `None` without that server.
fn bucket() -> Option<Blob> {
    let endpoint = testing::server(testing::S3)?;
    let lookup = |name: &str| match name {
        "AWS_ENDPOINT_URL" => Some(endpoint.clone()),
        "AWS_ACCESS_KEY_ID" => Some("recto-test".to_owned()),
        "AWS_SECRET_ACCESS_KEY" => Some("secret".to_owned()),
        "AWS_ALLOW_HTTP" => Some("true".to_owned()),
        _ => None,
    };
    Some(Blob::from_url(&format!("s3://recto/{}", Uuid::now_v7()), lookup).unwrap())
}

/// PostgreSQL's synchronous client does not run inside an async runtime.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

/// Whether the server would start on it.
async fn opens(location: Location) -> Result<(), String> {
    blocking(move || store::Store::schema(&location).map(drop).map_err(|error| error.to_string())).await
}
