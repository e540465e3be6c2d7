//! A wrong byte is never served, and `verify` finds it.

use blob::Blob;
use publisher::Error;
use serde_json::json;
use testing::Database;

use crate::{World, settings};

testing::on_both_databases!(
    undamaged_data_is_reported_as_undamaged,
    a_flipped_bit_is_never_served_and_is_found,
    a_missing_pack_is_found,
    a_wrong_count_is_found,
);

async fn built(database: &Database) -> (World, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let world = World::with(database, Blob::directory(directory.path()).unwrap(), settings()).await;
    let page = json!({"title": "Hello", "content": "Some words.", "params": {"a": 1}});
    world.published(json!({"pages": [page, {"title": "Other"}]})).await;
    world.rebuild().await;
    (world, directory)
}

/// The only pack.
pub fn pack(directory: &std::path::Path) -> std::path::PathBuf {
    let mut folders: Vec<_> =
        std::fs::read_dir(directory.join("packs")).unwrap().map(Result::unwrap).collect();
    assert_eq!(folders.len(), 1);
    let mut files: Vec<_> =
        std::fs::read_dir(folders.remove(0).path()).unwrap().map(Result::unwrap).collect();
    assert_eq!(files.len(), 1);
    files.remove(0).path()
}

async fn undamaged_data_is_reported_as_undamaged(database: &Database) {
    let (world, _directory) = built(database).await;
    let found = world.publisher.verify(|_| {}).await.unwrap();
    assert_eq!(found.damage, []);
    assert_eq!((found.sites, found.pages), (1, 2));
    assert!(found.files > 10 && found.bytes > 1000, "{found:?}");
}

async fn a_flipped_bit_is_never_served_and_is_found(database: &Database) {
    let (world, directory) = built(database).await;
    let path = pack(directory.path());
    let mut bytes = std::fs::read(&path).unwrap();
    let words = b"Some words.";
    let at = bytes.windows(words.len()).position(|window| window == words).unwrap();
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).unwrap();

    let release = world.live().await.unwrap();
    let mut wrong = 0;
    let damaged = world.publisher.verify(|_| {}).await.unwrap().damage;
    for path in ["/blog/hello", "/blog/hello.md", "/blog/other", "/blog", "/"] {
        match world.publisher.find(world.site, release, path).await {
            Ok(_) => {}
            Err(Error::Internal(message)) => {
                assert!(message.contains("damaged"), "{message}");
                assert!(
                    damaged.iter().any(|damage| damage.what.starts_with(&format!("{path}: "))),
                    "{damaged:?}"
                );
                wrong += 1;
            }
            Err(error) => panic!("{path}: {error}"),
        }
    }
    assert_eq!((wrong, damaged.len()), (1, 1), "{damaged:?}");
}

async fn a_missing_pack_is_found(database: &Database) {
    let (world, directory) = built(database).await;
    std::fs::remove_file(pack(directory.path())).unwrap();
    let found = world.publisher.verify(|_| {}).await.unwrap();
    // The empty Markdown of one page needs no pack.
    assert_eq!(found.damage.len() as u64, found.files - 1);
    assert!(found.damage[0].what.contains("is missing"), "{:?}", found.damage[0]);
}

async fn a_wrong_count_is_found(database: &Database) {
    let (world, _directory) = built(database).await;
    database.execute("UPDATE accounts SET text_used = text_used + 1");
    database.execute("DELETE FROM texts WHERE body = 'Some words.'");
    let found = world.publisher.verify(|_| {}).await.unwrap();
    let said: Vec<&str> = found.damage.iter().map(|damage| damage.what.as_str()).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("its text is missing") && said[1].contains("what it uses"), "{said:?}");
}
