//! Old and unfinished backups are deleted, with the objects that only they have.

use std::time::Duration;

use backup::{Keep, Place, Progress, due, verify};
use blob::{Blob, Key};
use model::{PackId, Timestamp};

use crate::{Source, content, id};

async fn is_whole(place: &Place, id: &str) -> bool {
    let scratch = tempfile::tempdir().unwrap();
    verify(place, Some(id), scratch.path(), &Progress::none()).await.unwrap().problem_count == 0
}

async fn ids(place: &Place) -> Vec<String> {
    place.list().await.unwrap().into_iter().map(|manifest| manifest.id).collect()
}

/// Pack 0 is in the first backup only.
async fn two_backups(source: &Source, place: &Place) -> [String; 2] {
    let first = source.back_up_at(place, Keep::All, 1).await.manifest.id;
    source.database.execute("UPDATE packs SET state = 'doomed' WHERE size = 1000");
    let second = source.back_up_at(place, Keep::All, 2).await.manifest.id;
    [first, second]
}

#[test]
fn objects_of_old_backups_are_deleted_with_them() {
    testing::block_on(async {
        let (source, blob) = (Source::on_sqlite().await, Blob::memory());
        let place = Place::open(blob.clone()).await.unwrap();
        let [first, second] = two_backups(&source, &place).await;
        let pack = Key::pack(PackId(id(0)));
        assert_eq!(blob.get(&pack).await.unwrap(), content(0));
        let third = source.back_up_at(&place, Keep::Newest(2), 3).await;
        assert_eq!(third.deleted, [first]);
        assert_eq!(ids(&place).await, [second.clone(), third.manifest.id.clone()]);
        assert_eq!(blob.size(&pack).await.unwrap(), None);
        assert!(is_whole(&place, &second).await && is_whole(&place, &third.manifest.id).await);
        let left = blob.backup_files().await.unwrap();
        assert!(left.iter().all(|(id, _)| [&second, &third.manifest.id].contains(&id)), "{left:?}");
    });
}

/// A crash after the manifest was deleted: the next backup goes on.
#[test]
fn an_interrupted_deletion_is_completed() {
    testing::block_on(async {
        let (source, blob) = (Source::on_sqlite().await, Blob::memory());
        let place = Place::open(blob.clone()).await.unwrap();
        let [first, second] = two_backups(&source, &place).await;
        blob.delete(&Key::backup_file(&first, "manifest.json")).await.unwrap();
        assert_eq!(ids(&place).await, [second.as_str()]);
        source.back_up_at(&place, Keep::All, 3).await;
        assert_eq!(blob.size(&Key::pack(PackId(id(0)))).await.unwrap(), None);
        assert!(is_whole(&place, &second).await);
        assert!(!blob.backup_files().await.unwrap().iter().any(|(id, _)| *id == first));
    });
}

/// A backup that was killed has no manifest: it is not offered, and what it has copied is used by the next.
#[test]
fn an_interrupted_backup_is_not_complete() {
    testing::block_on(async {
        let (source, blob) = (Source::on_sqlite().await, Blob::memory());
        let place = Place::open(blob.clone()).await.unwrap();
        let killed = source.back_up_at(&place, Keep::All, 1).await.manifest.id;
        blob.delete(&Key::backup_file(&killed, "manifest.json")).await.unwrap();
        let refusal = place.find(None).await.unwrap_err().to_string();
        assert_eq!(refusal, "there is no complete backup in this place");
        let next = source.back_up_at(&place, Keep::All, 2).await;
        assert_eq!(next.objects_copied, 0);
        assert_eq!(ids(&place).await, [next.manifest.id.as_str()]);
        assert!(is_whole(&place, &next.manifest.id).await);
    });
}

/// A restored copy that uses the same place must not displace the backups of the original.
#[test]
fn backups_of_other_installations_are_kept() {
    testing::block_on(async {
        let (source, other) = (Source::on_sqlite().await, Source::on_sqlite().await);
        let place = Place::open(Blob::memory()).await.unwrap();
        let ours = source.back_up_at(&place, Keep::Newest(1), 1).await.manifest.id;
        other.database.execute("UPDATE server SET installation_id = x'00000000000000000000000000000001'");
        let installation = uuid::Uuid::from_u128(1);
        other.objects.set_installation(installation).await.unwrap();
        let theirs = other.back_up_at(&place, Keep::Newest(1), 2).await.manifest.id;
        assert_eq!(ids(&place).await, [ours, theirs]);
        let second = |second: i64| Timestamp::from_micros(second * 1_000_000);
        let due_at = async |own, now| {
            let due = due(&place, own, Duration::from_secs(60), second(now)).await.unwrap();
            (due.last.unwrap(), due.is_due)
        };
        assert_eq!(due_at(id(0), 60).await, (second(1), false));
        assert_eq!(due_at(id(0), 61).await, (second(1), true));
        assert_eq!(due_at(installation, 61).await, (second(2), false));
    });
}

/// A clock went wrong when it was made.
#[test]
fn a_backup_from_the_future_neither_counts_nor_displaces_the_newest() {
    testing::block_on(async {
        let (source, place) = (Source::on_sqlite().await, Place::open(Blob::memory()).await.unwrap());
        source.back_up_at(&place, Keep::All, 1_000_000).await;
        let made = source.back_up_at(&place, Keep::All, 5).await.manifest;
        let now = Timestamp::from_micros(6_000_000);
        let due = due(&place, id(0), Duration::from_secs(60), now).await.unwrap();
        assert_eq!((due.last, due.is_due), (Some(Timestamp::from_micros(5_000_000)), false));
        let last = source.back_up_at(&place, Keep::Newest(2), 7).await.manifest;
        assert_eq!(ids(&place).await.len(), 2);
        assert!(is_whole(&place, &last.id).await);
        assert!(made.id < last.id);
    });
}
