//! An installation moves from one database to another, and from one object store to another.

use backup::{Progress, migrate};
use blob::{Blob, Key};
use model::{ObjectId, PackId};
use store::NEWEST_SCHEMA;
use store::transfer::{Snapshot, Target, tables};
use testing::Database;

use crate::{ROWS, Source, blocking, bucket, content, id, opens, rows};

async fn move_rows(from: &Database, to: &Database) -> backup::Migrated {
    let scratch = tempfile::tempdir().unwrap();
    migrate(&from.location(), &to.location(), None, scratch.path(), &Progress::none()).await.unwrap()
}

#[test]
fn there_and_back_again_every_row_is_the_same() {
    let (Some(there), Some(further)) = (Database::postgres(), Database::postgres()) else { return };
    testing::block_on(async {
        let source = Source::on_sqlite().await;
        let (back, expected) = (Database::sqlite(), rows(&source.database));
        let moved = move_rows(&source.database, &there).await;
        assert!(moved.tables.iter().all(|table| table.rows > 0), "{moved:?}");
        assert_eq!((moved.tables.len(), moved.installation_id), (tables().len(), id(0)));
        let on_postgres = rows(&there);
        assert_eq!(move_rows(&there, &further).await.tables, moved.tables);
        assert_eq!(rows(&further), on_postgres);
        assert_eq!(move_rows(&further, &back).await.tables, moved.tables);
        assert_eq!(rows(&back), expected);
        opens(back.location()).await.unwrap();
    });
}

/// What an interrupted copy has written, up to any row of any table.
async fn leave_unfinished(source: &Database, target: &Database, rows: u64) {
    let (from, to) = (source.location(), target.location());
    blocking(move || {
        let mut snapshot = Snapshot::open(&from).unwrap();
        let purpose = format!("recto migrate of installation {}", snapshot.installation());
        let (mut target, mut left) = (Target::open(&to, &purpose, NEWEST_SCHEMA).unwrap(), rows);
        for table in tables() {
            let each = |row: &[store::transfer::Value]| {
                left = left.saturating_sub(1);
                if left > 0 { target.insert(&table, row) } else { Ok(()) }
            };
            snapshot.each_row(&table, each).unwrap();
        }
        target.flush().unwrap();
    })
    .await;
}

async fn go_on(target: impl Fn() -> Option<Database>) {
    let source = Source::on_sqlite().await;
    for already_copied in [0, 1, 7, 30, 100, 150, 1000] {
        let Some(target) = target() else { return };
        leave_unfinished(&source.database, &target, already_copied).await;
        let refusal = opens(target.location()).await.unwrap_err();
        assert!(refusal.contains("was interrupted"), "{refusal}");
        // The source has changed since: a row is gone, one is new, one is different.
        if already_copied == 100 {
            source.database.execute("DELETE FROM texts WHERE id = 0");
            source.database.execute("INSERT INTO texts (id, body) VALUES (5, 'new')");
            source.database.execute("UPDATE accounts SET name = 'renamed' WHERE plan LIKE '%3%'");
        }
        let moved = move_rows(&source.database, &target).await;
        let again = Database::sqlite();
        assert_eq!(move_rows(&target, &again).await.tables, moved.tables);
        assert_eq!(rows(&again), rows(&source.database), "{already_copied}");
    }
}

#[test]
fn an_interrupted_move_to_sqlite_goes_on() {
    testing::block_on(go_on(|| Some(Database::sqlite())));
}

#[test]
fn an_interrupted_move_to_postgres_goes_on() {
    testing::block_on(go_on(Database::postgres));
}

async fn objects_move(to: Blob) {
    let (source, target, scratch) =
        (Source::on_sqlite().await, Database::sqlite(), tempfile::tempdir().unwrap());
    // The last run ended in the middle of the objects; one of them is something else.
    leave_unfinished(&source.database, &target, 1000).await;
    to.set_installation(id(0)).await.unwrap();
    to.put(&Key::pack(PackId(id(0))), content(0).into()).await.unwrap();
    to.put(&Key::pack(PackId(id(1))), vec![0; content(1).len()].into()).await.unwrap();
    let objects = Some((source.objects.clone(), to.clone()));
    let (from, location) = (source.database.location(), target.location());
    let moved = migrate(&from, &location, objects, scratch.path(), &Progress::none()).await.unwrap();
    let packs: Vec<u64> = (0..ROWS).filter(|number| number % 4 != 3).collect();
    let media: Vec<u64> = (0..ROWS).filter(|number| number % 3 != 2).collect();
    assert_eq!((moved.objects as usize, moved.problem_count), (packs.len() + media.len(), 0));
    for number in packs {
        assert_eq!(to.get(&Key::pack(PackId(id(number)))).await.unwrap(), content(number));
    }
    for number in media {
        assert_eq!(to.get(&Key::media(ObjectId(id(number)))).await.unwrap(), content(number));
    }
    assert_eq!(to.installation().await.unwrap(), Some(id(0)));
    assert_eq!(rows(&target), rows(&source.database));
}

#[test]
fn objects_move_to_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    testing::block_on(objects_move(Blob::directory(&directory.path().join("new")).unwrap()));
}

#[test]
fn objects_move_to_a_bucket() {
    let Some(bucket) = bucket() else { return };
    testing::block_on(objects_move(bucket));
}

#[test]
fn what_is_not_empty_is_refused() {
    testing::block_on(async {
        let (source, other) = (Source::on_sqlite().await, Source::on_sqlite().await);
        let scratch = tempfile::tempdir().unwrap();
        let run = async |to: &Database, objects: Option<(Blob, Blob)>| {
            let (from, to) = (source.database.location(), to.location());
            migrate(&from, &to, objects, scratch.path(), &Progress::none()).await.unwrap_err().to_string()
        };
        assert_eq!(run(&other.database, None).await, "the target database is not empty: choose an empty one");
        let empty = Database::sqlite();
        other.objects.set_installation(id(9)).await.unwrap();
        let objects = Some((source.objects.clone(), other.objects.clone()));
        assert!(run(&empty, objects).await.contains("the target of the objects is not empty"));
    });
}

#[test]
fn damage_of_the_source_is_reported() {
    testing::block_on(async {
        let (source, to) = (Source::on_sqlite().await, Database::sqlite());
        source.objects.delete(&Key::pack(PackId(id(0)))).await.unwrap();
        source.put(&Key::media(ObjectId(id(1))), &vec![1; content(1).len()]).await;
        source.put(&Key::media(ObjectId(id(0))), &vec![1; content(0).len()]).await;
        let (objects, scratch) =
            (Some((source.objects.clone(), Blob::memory())), tempfile::tempdir().unwrap());
        let (from, to) = (source.database.location(), to.location());
        let moved = migrate(&from, &to, objects, scratch.path(), &Progress::none()).await;
        let mut problems = moved.unwrap().problems;
        problems.sort();
        // An MP4 that was made of a MOV has no hash in its row, so its damage cannot be seen.
        let expected = [
            format!("media object {}: its bytes do not have its hash", id(0)),
            format!("pack {} is missing", id(0)),
        ];
        assert_eq!(problems, expected);
    });
}
