//! A backup becomes an installation again, on either database and in either object store.

use backup::{Keep, Place, Progress, restore};
use blob::{Blob, Key};
use bytes::Bytes;
use model::PackId;
use testing::Database;

use crate::{Source, bucket, content, id, installation, opens, rows_of_accounts};

async fn restores(source: &Source, place: Blob, target: &Database, objects: Blob) {
    let (place, scratch) = (Place::open(place).await.unwrap(), tempfile::tempdir().unwrap());
    let made = source.back_up(&place, Keep::All).await.manifest;
    let to = installation(target, &objects, scratch.path());
    let restored = restore(&place, None, &to, &Progress::none()).await.unwrap();
    assert_eq!(restored.manifest, made);
    opens(target.location()).await.unwrap();
    // It is not the original: neither may delete objects of the other.
    assert_ne!(restored.restored_as, made.installation_id);
    assert_eq!(objects.installation().await.unwrap(), Some(restored.restored_as));
    assert_eq!(backup::installation_id(&target.location()).await.unwrap(), restored.restored_as);
    assert_eq!(objects.get(&Key::pack(PackId(id(0)))).await.unwrap(), content(0));
    assert_eq!(scratch.path().read_dir().unwrap().count(), 0, "temporary files are deleted");
}

#[test]
fn from_sqlite_to_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    testing::block_on(async {
        let (source, target) = (Source::on_sqlite().await, Database::sqlite());
        let objects = Blob::directory(&directory.path().join("objects")).unwrap();
        restores(&source, Blob::memory(), &target, objects).await;
        assert_eq!(rows_of_accounts(&target), rows_of_accounts(&source.database));
    });
}

#[test]
fn from_postgres_and_a_bucket_to_sqlite_and_back() {
    let (Some(first), Some(last), Some(objects)) = (Database::postgres(), Database::postgres(), bucket())
    else {
        return;
    };
    let (Some(place), directory) = (bucket(), tempfile::tempdir().unwrap()) else { return };
    testing::block_on(async {
        let source = Source::new(first, objects).await;
        let target = Database::sqlite();
        let local = Blob::directory(&directory.path().join("objects")).unwrap();
        restores(&source, place, &target, local.clone()).await;
        let between = Source { database: target, objects: local, directory: tempfile::tempdir().unwrap() };
        restores(&between, Blob::memory(), &last, Blob::memory()).await;
        assert_eq!(rows_of_accounts(&last), rows_of_accounts(&source.database));
    });
}

#[test]
fn an_interrupted_restoration_is_repeated() {
    testing::block_on(async {
        let (source, blob) = (Source::on_sqlite().await, Blob::memory());
        let place = Place::open(blob.clone()).await.unwrap();
        let (target, objects, scratch) = (Database::sqlite(), Blob::memory(), tempfile::tempdir().unwrap());
        let made = source.back_up(&place, Keep::All).await.manifest;
        // The first run ends after some objects: one is missing.
        let key = Key::pack(PackId(id(1)));
        blob.delete(&key).await.unwrap();
        let to = installation(&target, &objects, scratch.path());
        let run = async |to| restore(&place, Some(&made.id), to, &Progress::none()).await;
        assert!(run(&to).await.unwrap_err().to_string().contains("is missing in the backup"));
        blob.put(&key, Bytes::from(content(1))).await.unwrap();
        // It goes on only where it began: the objects of the original stay its own.
        let original = source.objects.installation().await.unwrap();
        let mistaken = installation(&target, &source.objects, scratch.path());
        assert!(run(&mistaken).await.unwrap_err().to_string().contains("object store is not empty"));
        assert_eq!(source.objects.installation().await.unwrap(), original);
        objects.put(&key, Bytes::from_static(b"something else")).await.unwrap();
        run(&to).await.unwrap();
        assert_eq!(rows_of_accounts(&target), rows_of_accounts(&source.database));
        assert_eq!(objects.get(&key).await.unwrap(), content(1));
    });
}

#[test]
fn what_is_not_empty_is_refused() {
    testing::block_on(async {
        let (source, place) = (Source::on_sqlite().await, Place::open(Blob::memory()).await.unwrap());
        source.back_up(&place, Keep::All).await;
        let (empty, scratch) = (Database::sqlite(), tempfile::tempdir().unwrap());
        let run = async |database: &Database, objects: &Blob| {
            let to = installation(database, objects, scratch.path());
            restore(&place, None, &to, &Progress::none()).await.unwrap_err().to_string()
        };
        assert!(run(&source.database, &Blob::memory()).await.contains("database is not empty"));
        assert!(run(&empty, &source.objects).await.contains("object store is not empty"));
    });
}

#[test]
fn a_damaged_backup_is_not_restored() {
    testing::block_on(async {
        let (source, blob) = (Source::on_sqlite().await, Blob::memory());
        let place = Place::open(blob.clone()).await.unwrap();
        source.back_up(&place, Keep::All).await;
        let key = Key::pack(PackId(id(0)));
        blob.put(&key, Bytes::from(vec![0; content(0).len()])).await.unwrap();
        let (target, scratch) = (Database::sqlite(), tempfile::tempdir().unwrap());
        let to = installation(&target, &Blob::memory(), scratch.path());
        let error = restore(&place, None, &to, &Progress::none()).await.unwrap_err().to_string();
        assert_eq!(error, format!("in the backup, pack {}: its bytes do not have its hash", id(0)));
        assert!(opens(target.location()).await.unwrap_err().contains("was interrupted"));
    });
}
