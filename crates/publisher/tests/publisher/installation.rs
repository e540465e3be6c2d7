//! Database and object store belong together, and no sweep touches another installation's objects.

use blob::{Blob, Key};
use bytes::Bytes;
use model::{Clock, ObjectId};
use publisher::Publisher;
use serde_json::json;
use testing::Database;

use crate::{DAY, World, settings};

testing::on_both_databases!(
    an_empty_object_store_is_claimed,
    a_store_whose_objects_are_known_is_claimed,
    a_store_of_unknown_objects_is_left_alone,
    another_installations_store_is_refused_until_it_is_adopted,
    suspiciously_many_orphans_are_not_swept,
);

async fn put(blob: &Blob, id: ObjectId) {
    let mut writer = blob.writer(&Key::media(id));
    writer.write(Bytes::from_static(b"bytes")).await.unwrap();
    writer.finish().await.unwrap();
}

async fn an_empty_object_store_is_claimed(database: &Database) {
    let world = World::new(database).await;
    assert_eq!(world.blob.installation().await.unwrap(), None);
    world.publisher.check_objects().await.unwrap();
    let claimed = world.blob.installation().await.unwrap();
    assert!(claimed.is_some());
    world.publisher.check_objects().await.unwrap();
    assert_eq!(world.blob.installation().await.unwrap(), claimed);
}

/// As after an upgrade of a server without installation ids.
async fn a_store_whose_objects_are_known_is_claimed(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Hello"})).await;
    world.rebuild().await;
    world.publisher.check_objects().await.unwrap();
    assert!(world.blob.installation().await.unwrap().is_some());
}

async fn a_store_of_unknown_objects_is_left_alone(database: &Database) {
    let world = World::new(database).await;
    put(&world.blob, ObjectId::new(world.clock.now())).await;
    let refused = world.publisher.check_objects().await.unwrap_err().to_string();
    assert!(refused.contains("does not know") && refused.contains("recto objects adopt"), "{refused}");
    assert_eq!(world.blob.installation().await.unwrap(), None);
    assert!(world.publisher.sweep_orphans(true).await.is_err(), "not even by force");
}

async fn another_installations_store_is_refused_until_it_is_adopted(database: &Database) {
    let world = World::new(database).await;
    world.publisher.check_objects().await.unwrap();
    let fresh = Database::sqlite();
    let other = Publisher::new(fresh.store().clone(), world.blob.clone(), world.clock.clone(), settings());
    let refused = other.check_objects().await.unwrap_err().to_string();
    assert!(refused.contains("another installation"), "{refused}");
    assert!(other.sweep_orphans(true).await.is_err());
    other.adopt_objects().await.unwrap();
    other.check_objects().await.unwrap();
    assert!(world.publisher.check_objects().await.is_err(), "it is the other's now");
}

async fn suspiciously_many_orphans_are_not_swept(database: &Database) {
    let world = World::new(database).await;
    world.publisher.check_objects().await.unwrap();
    for _ in 0..20 {
        put(&world.blob, ObjectId::new(world.clock.now())).await;
    }
    world.clock.advance(8 * DAY);
    let refused = world.publisher.sweep_orphans(false).await.unwrap_err().to_string();
    assert!(refused.contains("20 of 20") && refused.contains("--force"), "{refused}");
    assert_eq!(world.publisher.count_orphans().await.unwrap().objects, 20);
    assert_eq!(world.publisher.sweep_orphans(true).await.unwrap().orphans, 20);
    assert_eq!(world.publisher.count_orphans().await.unwrap().objects, 0);
}
