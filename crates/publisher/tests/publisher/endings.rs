//! Builds always end, whatever goes wrong and however long.

use std::time::Duration;

use blob::Blob;
use publisher::Settings;
use serde_json::json;
use testing::Database;

use crate::{World, settings};

testing::on_both_databases!(
    a_build_that_never_succeeds_fails_with_a_message_after_its_last_attempt,
    a_build_that_is_repeated_does_not_hold_up_another_account,
    a_build_that_takes_too_long_fails,
    a_scheduled_build_runs_at_most_once_a_minute,
    a_publish_queues_its_build_in_the_same_transaction,
    a_change_of_a_hundred_thousand_rows_goes_live_in_steps,
);

/// A world whose objects cannot be stored: where the directory was, there is a file.
async fn without_objects(database: &Database) -> (World, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("objects");
    let world = World::with(database, Blob::directory(&path).unwrap(), settings()).await;
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, "in the way").unwrap();
    (world, directory)
}

async fn a_build_that_never_succeeds_fails_with_a_message_after_its_last_attempt(database: &Database) {
    let (world, directory) = without_objects(database).await;
    world.published(json!({"title": "Hello", "build": true})).await;
    let mut waited = Duration::ZERO;
    let mut attempts = 0;
    while waited < Duration::from_secs(3600) {
        attempts += usize::from(world.publisher.run_next_build().await.unwrap());
        world.clock.advance(Duration::from_secs(1));
        waited += Duration::from_secs(1);
    }
    let latest = world.publisher.latest_build(&world.caller, None).await.unwrap();
    assert_eq!((latest.status, attempts), ("failed", 6));
    let error = latest.error.unwrap();
    assert!(error.contains("unavailable") && error.contains("6 times"), "{error}");
    // The next build has all its attempts.
    std::fs::remove_file(directory.path().join("objects")).unwrap();
    std::fs::create_dir(directory.path().join("objects")).unwrap();
    world.rebuild().await;
    assert!(world.get("/blog/hello").await.is_some());
}

async fn a_build_that_is_repeated_does_not_hold_up_another_account(database: &Database) {
    let (world, _directory) = without_objects(database).await;
    world.published(json!({"title": "Hello", "build": true})).await;
    let name = model::AccountName::parse("Other").unwrap();
    let other = world.publisher.account_create(name, "pro").await.unwrap();
    let caller = world.publisher.authenticate(&other.token).await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    crate::publish(&world.publisher, &caller, json!({"title": "Hello", "build": true})).await.unwrap();
    let status = async |caller| world.publisher.latest_build(caller, None).await.unwrap().status;
    // Both fail, but the second is tried before the first is tried again.
    assert!(world.publisher.run_next_build().await.unwrap());
    assert!(world.publisher.run_next_build().await.unwrap());
    assert!(!world.publisher.run_next_build().await.unwrap(), "both wait for their next attempt");
    assert_eq!((status(&world.caller).await, status(&caller).await), ("queued", "queued"));
}

async fn a_build_that_takes_too_long_fails(database: &Database) {
    let settings = Settings { build_time_limit: Duration::ZERO, ..settings() };
    let world = World::with(database, Blob::memory(), settings).await;
    world.published(json!({"title": "Hello", "build": true})).await;
    world.run().await;
    let latest = world.publisher.latest_build(&world.caller, None).await.unwrap();
    assert_eq!(latest.status, "failed");
    assert!(latest.error.unwrap().contains("took longer"));
    assert!(!world.publisher.run_next_build().await.unwrap());
}

async fn a_scheduled_build_runs_at_most_once_a_minute(database: &Database) {
    let world = World::new(database).await;
    let at = |second: usize| format!("2026-01-02T09:{:02}:{:02}Z", 10 + second / 60, second % 60);
    let pages: Vec<_> =
        (0..120).map(|n| json!({"title": format!("Page {n}"), "publishedAt": at(n)})).collect();
    world.published(json!({"pages": pages})).await;
    world.rebuild().await;
    world.clock.set(model::Timestamp::parse_iso("2026-01-02T09:10:00Z").unwrap());
    let (mut builds, mut since) = (0, model::Timestamp::MIN);
    for second in 0..200 {
        let now = model::Clock::now(&*world.clock);
        builds += world.publisher.queue_due(since).await.unwrap();
        // Like the server, which checks a little more than a minute back.
        since = now.minus(Duration::from_secs(70));
        while world.publisher.run_next_build().await.unwrap() {}
        world.clock.advance(Duration::from_secs(1));
        if second == 199 {
            break;
        }
    }
    assert!((2..=4).contains(&builds), "{builds} builds in 200 seconds");
    for n in [0, 59, 60, 119] {
        assert!(world.get(&format!("/blog/page-{n}")).await.is_some(), "page {n} is shown");
    }
}

async fn a_publish_queues_its_build_in_the_same_transaction(database: &Database) {
    let world = World::new(database).await;
    let group = async || {
        let before = database.dump();
        let answer = world.publish(json!({"title": "Hello", "build": true})).await.unwrap();
        (before, answer)
    };
    let (before, answer) = group().await;
    assert_eq!(answer["build"]["status"], "queued");
    let new: Vec<String> = database.dump().into_iter().filter(|row| !before.contains(row)).collect();
    assert!(new.iter().any(|row| row.starts_with("builds: ")), "{new:?}");
    // A refusal leaves the pages stored, and nothing counted.
    let (_, answer) = group().await;
    assert_eq!(answer["build"]["error"], "build cooldown active");
    assert_eq!(answer["pages"][0]["status"], "updated");
    let account = world.publisher.account_show(world.caller.account).await.unwrap();
    assert_eq!(account.builds_this_month, 1);
}

/// Not a hundred thousand here: more than two of the steps in which rows are written (4,000) show the same.
async fn a_change_of_a_hundred_thousand_rows_goes_live_in_steps(database: &Database) {
    let world = World::new(database).await;
    const PAGES: usize = 4500;
    let page =
        |n: usize, text: &str| json!({"slug": format!("p{n}"), "title": format!("P {n}"), "content": text});
    world.published(json!({"pages": (0..PAGES).map(|n| page(n, "one")).collect::<Vec<_>>()})).await;
    world.rebuild().await;
    world.published(json!({"pages": (0..PAGES).map(|n| page(n, "two")).collect::<Vec<_>>()})).await;
    world.rebuild().await;
    assert_eq!(world.newest().await, 2);
    assert!(world.get("/blog/p4321").await.unwrap().contains("<p>two</p>"));
    let deletes: Vec<_> =
        (1..PAGES).map(|n| json!({"slug": format!("p{n}"), "contentType": "blog"})).collect();
    world.published(json!({"deleteSlugs": deletes})).await;
    world.rebuild().await;
    assert_eq!(world.get("/blog/p4321").await, None);
    assert!(world.get("/blog/p0").await.is_some());
    // No rows that were written ahead are left over.
    let site = world.site;
    assert_eq!(world.store.read(move |tx| store::files::staged(tx, site)).await.unwrap(), None);
    let incremental = world.files().await;
    let set = vec![("title".to_owned(), "Other".to_owned())];
    let found = world.publisher.site_find("books").await.unwrap();
    world.publisher.site_set(&found, set).await.unwrap();
    world.rebuild().await;
    assert_eq!(
        incremental.keys().collect::<Vec<_>>().len(),
        world.files().await.len(),
        "a build from scratch has the same files"
    );
}
