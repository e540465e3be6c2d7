//! Backups are made, and found whole or damaged.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use backup::{Error, Keep, Place, Progress, back_up, verify};
use blob::{Blob, Key};
use model::{ManualClock, ObjectId, PackId, SystemClock, Timestamp};

use crate::{ROWS, Source, bucket, content, empty_place, id};

/// Packs and media that rows still need.
const OBJECTS: u64 = 9 + 8;

async fn problems(place: &Place) -> Vec<String> {
    let scratch = tempfile::tempdir().unwrap();
    verify(place, None, scratch.path(), &Progress::none()).await.unwrap().problems
}

#[test]
fn a_second_backup_copies_only_what_is_new() {
    testing::block_on(async {
        let (source, place) = (Source::on_sqlite().await, empty_place().await);
        let first = source.back_up_at(&place, Keep::All, 1).await;
        let size: usize = first.manifest.object_bytes as usize;
        assert_eq!((first.objects_copied, first.bytes_copied as usize), (OBJECTS, size));
        let second = source.back_up_at(&place, Keep::All, 2).await;
        assert_eq!((second.objects_copied, second.bytes_copied), (0, 0));
        assert_eq!((second.manifest.objects, second.manifest.object_bytes as usize), (OBJECTS, size));
        // Pack 3 is needed now.
        source.database.execute("UPDATE packs SET state = 'live' WHERE state = 'doomed' AND size = 1003");
        let third = source.back_up_at(&place, Keep::All, 3).await;
        assert_eq!((third.objects_copied, third.bytes_copied as usize), (1, content(3).len()));
        assert_eq!(problems(&place).await, [""; 0]);
        let ids: Vec<String> = place.list().await.unwrap().into_iter().map(|manifest| manifest.id).collect();
        assert_eq!(ids, [first.manifest.id, second.manifest.id, third.manifest.id]);
    });
}

async fn verified_in(blob: Blob) {
    let (source, place) = (Source::on_sqlite().await, Place::open(blob).await.unwrap());
    let made = source.back_up(&place, Keep::All).await.manifest;
    let scratch = tempfile::tempdir().unwrap();
    let found = verify(&place, Some(&made.id), scratch.path(), &Progress::none()).await.unwrap();
    assert_eq!((found.rows, found.objects, found.bytes), (made.row_count(), OBJECTS, made.object_bytes));
    assert_eq!((found.problems, found.problem_count), (vec![], 0));
    assert_eq!(scratch.path().read_dir().unwrap().count(), 0, "temporary files are deleted");
}

#[test]
fn a_backup_in_a_bucket_is_verified() {
    let Some(bucket) = bucket() else { return };
    testing::block_on(verified_in(bucket));
}

#[test]
fn a_backup_in_a_directory_is_verified() {
    let directory = tempfile::tempdir().unwrap();
    testing::block_on(verified_in(Blob::directory(&directory.path().join("new")).unwrap()));
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in directory.read_dir().unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

/// One bit of each file that the newest backup consists of.
#[test]
fn a_wrong_or_missing_byte_is_found() {
    let directory = tempfile::tempdir().unwrap();
    testing::block_on(async {
        let source = Source::on_sqlite().await;
        let place = Place::open(Blob::directory(directory.path()).unwrap()).await.unwrap();
        source.back_up(&place, Keep::All).await;
        // It is empty, and needed only while the backup is made.
        let is_part = |path: &PathBuf| !path.ends_with("begun");
        let mut checked = 0;
        for path in files(directory.path()).into_iter().filter(is_part) {
            let whole = std::fs::read(&path).unwrap();
            for damage in ["flip", "cut", "delete"] {
                let mut bytes = whole.clone();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                match damage {
                    "flip" => std::fs::write(&path, &bytes).unwrap(),
                    "cut" => std::fs::write(&path, &bytes[..middle]).unwrap(),
                    _ => std::fs::remove_file(&path).unwrap(),
                }
                let scratch = tempfile::tempdir().unwrap();
                let found = verify(&place, None, scratch.path(), &Progress::none()).await;
                let is_found = found.as_ref().map_or(true, |found| found.problem_count > 0);
                // A letter of the manifest that nothing is compared with, such as one of a name, may differ.
                assert!(
                    is_found || path.ends_with("manifest.json"),
                    "{damage} {}: {found:?}",
                    path.display()
                );
                checked += 1;
            }
            std::fs::write(&path, &whole).unwrap();
        }
        assert_eq!(checked, 3 * (OBJECTS + 3));
        assert_eq!(problems(&place).await, [""; 0]);
    });
}

#[test]
fn a_damaged_object_is_named() {
    testing::block_on(async {
        let (source, blob) = (Source::on_sqlite().await, Blob::memory());
        let place = Place::open(blob.clone()).await.unwrap();
        source.back_up(&place, Keep::All).await;
        let mut bytes = content(0);
        bytes[5] ^= 1;
        blob.put(&Key::pack(PackId(id(0))), bytes.into()).await.unwrap();
        blob.delete(&Key::media(ObjectId(id(1)))).await.unwrap();
        let expected = [
            format!("pack {}: its bytes do not have its hash", id(0)),
            format!("media object {} is missing", id(1)),
        ];
        assert_eq!(problems(&place).await, expected);
        // The next backup copies the missing one, and one that checks what it finds also the damaged one.
        assert_eq!(source.back_up_at(&place, Keep::All, 2000).await.objects_copied, 1);
        assert_eq!(problems(&place).await, expected[..1]);
        let checked = place.clone().checked();
        assert_eq!(source.back_up_at(&checked, Keep::All, 3000).await.objects_copied, 1);
        assert_eq!(problems(&place).await, [""; 0]);
        assert_eq!(source.back_up_at(&checked, Keep::All, 4000).await.objects_copied, 0);
    });
}

#[test]
fn what_is_missing_in_the_installation_is_reported() {
    testing::block_on(async {
        let (source, place) = (Source::on_sqlite().await, empty_place().await);
        source.objects.delete(&Key::pack(PackId(id(0)))).await.unwrap();
        source.put(&Key::media(ObjectId(id(0))), b"shorter").await;
        let mut found = source.back_up(&place, Keep::All).await.manifest.problems;
        found.sort();
        let expected = [
            format!("media object {} has 7 bytes instead of {}", id(0), content(0).len()),
            format!("pack {} is missing", id(0)),
        ];
        assert_eq!(found, expected);
        assert_eq!(problems(&place).await.len(), 2);
    });
}

/// A server deletes an object that the rows of the backup name, because newer rows do not.
#[test]
fn objects_that_are_deleted_meanwhile_are_not_part_of_the_backup() {
    testing::block_on(async {
        let (source, place) = (Source::on_sqlite().await, empty_place().await);
        let (source, was_deleted) = (Arc::new(source), Arc::new(AtomicBool::new(false)));
        let (deleting, flag) = (source.clone(), was_deleted.clone());
        let (last, runtime) = (id(ROWS - 2), tokio::runtime::Handle::current());
        let progress = Progress::new(move |text| {
            if text.starts_with("objects: 1,") && !flag.swap(true, Ordering::SeqCst) {
                deleting.database.execute("UPDATE objects SET state = 'doomed' WHERE created_at = 1008");
                let (objects, runtime) = (deleting.objects.clone(), runtime.clone());
                let delete = async move { objects.delete(&Key::media(ObjectId(last))).await.unwrap() };
                std::thread::scope(|scope| scope.spawn(|| runtime.block_on(delete)).join().unwrap());
            }
        });
        let (from, clock) = (source.installation(), Arc::new(SystemClock));
        let made = back_up(&from, &place, Keep::All, clock, &progress).await.unwrap();
        assert!(was_deleted.load(Ordering::SeqCst));
        assert_eq!((made.manifest.objects, made.manifest.problem_count), (OBJECTS - 1, 0));
        assert_eq!(problems(&place).await, [""; 0]);
    });
}

#[test]
fn only_its_owner_can_read_a_backup() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("new");
    // As the command does.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    testing::block_on(async {
        let source = Source::on_sqlite().await;
        source.back_up(&Place::open(Blob::directory(&place).unwrap()).await.unwrap(), Keep::All).await;
    });
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place), 0o700);
    for file in files(&place) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
        assert_eq!(mode(file.parent().unwrap()), 0o700, "{}", file.display());
    }
}

#[test]
fn objects_of_another_installation_are_refused() {
    testing::block_on(async {
        let (source, place) = (Source::on_sqlite().await, empty_place().await);
        source.objects.set_installation(id(5)).await.unwrap();
        let (from, clock) = (source.installation(), Arc::new(SystemClock));
        let made = back_up(&from, &place, Keep::All, clock, &Progress::none()).await;
        let error = made.unwrap_err();
        assert!(matches!(&error, Error::Refused(why) if why.contains("another installation")), "{error}");
        let own = Place::open(source.objects.clone()).await.err().unwrap().to_string();
        assert!(own.contains("backups need a place of their own"), "{own}");
    });
}

#[test]
fn two_backups_are_not_made_at_once() {
    testing::block_on(async {
        let (source, place) = (Source::on_sqlite().await, empty_place().await);
        let (second, started) = (source.installation(), place.clone());
        let clock = Arc::new(ManualClock::new(Timestamp::from_micros(1_000_000_000)));
        let refusal: Arc<std::sync::Mutex<Option<String>>> = Arc::default();
        let (seen, runtime, own) = (refusal.clone(), tokio::runtime::Handle::current(), clock.clone());
        let progress = Progress::new(move |_| {
            let mut seen = seen.lock().unwrap();
            if seen.is_none() {
                let none = Progress::none();
                let made = back_up(&second, &started, Keep::All, own.clone(), &none);
                let made = std::thread::scope(|scope| scope.spawn(|| runtime.block_on(made)).join().unwrap());
                *seen = Some(made.unwrap_err().to_string());
            }
        });
        back_up(&source.installation(), &place, Keep::All, clock, &progress).await.unwrap();
        let refusal = refusal.lock().unwrap().clone().unwrap();
        assert!(refusal.contains("another backup is being made"), "{refusal}");
        assert_eq!(place.list().await.unwrap().len(), 1);
    });
}
