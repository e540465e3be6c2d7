//! Pages dated in the future.

use std::time::Duration;

use model::{Clock, Timestamp};
use serde_json::json;
use testing::Database;

use crate::World;

testing::on_both_databases!(
    a_page_dated_in_the_future_appears_at_its_time,
    a_due_page_is_queued_once,
    an_edit_of_the_date_is_followed,
    a_page_is_shown_at_once_although_the_clock_of_its_server_is_ahead,
);

async fn a_page_dated_in_the_future_appears_at_its_time(database: &Database) {
    let world = World::new(database).await;
    world
        .published(
            json!({"pages": [{"title": "Now"}, {"title": "Soon", "publishedAt": "2026-01-02T10:00:00Z"}]}),
        )
        .await;
    world.rebuild().await;
    assert_eq!(world.get("/blog/soon").await, None);
    assert_eq!(world.publisher.queue_due(Timestamp::MIN).await.unwrap(), 0);
    world.clock.advance(Duration::from_secs(3600));
    assert_eq!(world.publisher.queue_due(Timestamp::MIN).await.unwrap(), 1);
    world.run().await;
    assert!(world.get("/blog/soon").await.is_some());
    let latest = world.publisher.latest_build(&world.caller, None).await.unwrap();
    assert_eq!(latest.triggered_by, "cli", "the scheduled one was not requested");
}

async fn a_due_page_is_queued_once(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Soon", "publishedAt": "2026-01-02T09:00:05Z"})).await;
    world.clock.advance(Duration::from_secs(10));
    assert_eq!(world.publisher.queue_due(Timestamp::MIN).await.unwrap(), 1);
    assert_eq!(world.publisher.queue_due(Timestamp::MIN).await.unwrap(), 0, "it is queued");
    world.run().await;
    assert_eq!(world.publisher.queue_due(Timestamp::MIN).await.unwrap(), 0, "it was built");
    // Pages with a past date need no schedule.
    world.published(json!({"title": "Now"})).await;
    assert_eq!(world.publisher.queue_due(Timestamp::MIN).await.unwrap(), 0);
}

async fn an_edit_of_the_date_is_followed(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Soon", "publishedAt": "2026-01-02T09:10:00Z"})).await;
    world.rebuild().await;
    world.published(json!({"slug": "soon", "publishedAt": "2026-01-02T11:00:00Z"})).await;
    world.clock.advance(Duration::from_secs(1800));
    assert_eq!(world.publisher.queue_due(Timestamp::MIN).await.unwrap(), 0, "it was put off");
    world.rebuild().await;
    assert_eq!(world.get("/blog/soon").await, None);
    world.published(json!({"slug": "soon", "publishedAt": "2026-01-02T08:00:00Z"})).await;
    world.rebuild().await;
    assert!(world.get("/blog/soon").await.is_some(), "it was brought forward");
    world.published(json!({"slug": "soon", "publishedAt": "2027-01-01"})).await;
    world.rebuild().await;
    assert_eq!(world.get("/blog/soon").await, None, "it was put off once more");
}

/// It was not dated in the future, so that no later build would look for it.
async fn a_page_is_shown_at_once_although_the_clock_of_its_server_is_ahead(database: &Database) {
    let world = World::new(database).await;
    world.publish(json!({"title": "Now"})).await.unwrap();
    world.clock.set(world.clock.now().minus(Duration::from_millis(5)));
    world.rebuild().await;
    assert!(world.get("/blog/now").await.is_some());
}
