//! The total that an account may use, and what a full disk still allows.

use model::{ByteSize, Plan};
use publisher::{Caller, Error, Limited, Settings};
use serde_json::{Value, json};
use testing::Database;

use crate::{World, publish, settings};

testing::on_both_databases!(
    an_account_has_as_many_pages_as_its_plan_allows,
    an_account_has_as_much_text_as_its_plan_allows,
    deleted_pages_count_with_their_texts_only,
    pages_published_at_once_never_pass_the_quota_together,
    a_full_disk_refuses_new_data_and_allows_deletions,
    a_build_waits_for_space_on_the_disk,
);

fn small_plan(pages: u64, text: u64) -> Settings {
    let plan = Plan { name: "small".into(), pages, text: ByteSize(text), ..Plan::largest() };
    Settings { plans: vec![plan, Plan::largest()], ..settings() }
}

impl World {
    async fn within(database: &Database, pages: u64, text: u64) -> World {
        let world = World::with(database, blob::Blob::memory(), small_plan(pages, text)).await;
        world.publisher.account_set_plan(world.caller.account, "small").await.unwrap();
        World { caller: Caller { plan: "small".into(), ..world.caller.clone() }, ..world }
    }

    async fn usage(&self) -> (u64, u64) {
        let account = self.publisher.account_show(self.caller.account).await.unwrap();
        (account.pages, account.text_used_bytes)
    }
}

#[track_caller]
fn exceeded(answer: Result<Value, Error>) -> (Limited, u64, u64) {
    match answer {
        Err(Error::Quota { what, required, remaining }) => (what, required, remaining),
        other => panic!("no quota was exceeded: {other:?}"),
    }
}

async fn an_account_has_as_many_pages_as_its_plan_allows(database: &Database) {
    let world = World::within(database, 3, 1000).await;
    world.published(json!({"pages": [{"title": "One"}, {"title": "Two"}]})).await;
    let two_more = json!({"pages": [{"title": "Three"}, {"title": "Four"}]});
    assert_eq!(exceeded(world.publish(two_more).await), (Limited::Pages, 2, 1));
    assert_eq!(world.usage().await, (2, 0), "nothing of it is stored");
    world.published(json!({"title": "Three"})).await;
    // Requests that add nothing are accepted: a page changes, or is replaced by another.
    world.published(json!({"slug": "three", "title": "Changed"})).await;
    world
        .published(
            json!({"pages": [{"title": "Four"}], "deleteSlugs": [{"slug": "one", "contentType": "blog"}]}),
        )
        .await;
    assert_eq!(exceeded(world.publish(json!({"title": "Five"})).await), (Limited::Pages, 1, 0));
    world.publisher.delete(&world.caller, None, Some(crate::key("blog//two"))).await.unwrap();
    world.published(json!({"title": "Five"})).await;
    assert_eq!(world.usage().await, (3, 0));
}

async fn an_account_has_as_much_text_as_its_plan_allows(database: &Database) {
    let world = World::within(database, 100, 20).await;
    world.published(json!({"title": "One", "content": "é".repeat(5), "params": {}})).await;
    assert_eq!(world.usage().await, (1, 10), "an empty object is no text");
    let too_much = json!({"title": "Two", "content": "12345678901"});
    assert_eq!(exceeded(world.publish(too_much).await), (Limited::Text, 11, 10));
    world.published(json!({"title": "Two", "content": "123", "params": {"a": 1}})).await;
    assert_eq!(world.usage().await, (2, 20), "params count as they are stored");
    let longer = json!({"slug": "two", "content": "1234"});
    assert_eq!(exceeded(world.publish(longer).await), (Limited::Text, 1, 0));
    world.published(json!({"slug": "two", "content": "1"})).await;
    assert_eq!(world.usage().await, (2, 18));
}

async fn deleted_pages_count_with_their_texts_only(database: &Database) {
    let world = World::within(database, 1, 10).await;
    let id = world.create(json!({"title": "One", "content": "123456"})).await;
    world.published(json!({"deleteSlugs": [{"slug": "one", "contentType": "blog"}]})).await;
    assert_eq!(world.usage().await, (0, 6));
    let answer = world.publish(json!({"title": "Two", "content": "12345"})).await;
    assert_eq!(exceeded(answer), (Limited::Text, 5, 4));
    let site = world.publisher.site_find("books").await.unwrap();
    world.publisher.deleted_restore(&site, model::PageId::parse(&id).unwrap()).await.unwrap();
    assert_eq!(world.usage().await, (1, 6));
    world.published(json!({"deleteSlugs": [{"slug": "one", "contentType": "blog"}]})).await;
    world.publisher.deleted_purge(&site, None).await.unwrap();
    assert_eq!(world.usage().await, (0, 0));
    world.published(json!({"title": "Two", "content": "12345"})).await;
}

async fn pages_published_at_once_never_pass_the_quota_together(database: &Database) {
    let world = World::within(database, 10, 1000).await;
    let other = world
        .publisher
        .site_create(world.caller.account, model::SiteName::parse("other").unwrap())
        .await
        .unwrap();
    let tasks: Vec<_> = (0..16)
        .map(|number| {
            let (publisher, caller) = (world.publisher.clone(), world.caller.clone());
            let site = if number % 2 == 0 { world.site } else { other.id };
            let page = |n| json!({"title": format!("Page {number} {n}"), "content": "text"});
            let body = json!({"siteId": site, "pages": [page(1), page(2), page(3)]});
            tokio::spawn(async move { publish(&publisher, &caller, body).await })
        })
        .collect();
    let (mut stored, mut refused) = (0, 0);
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => stored += 3,
            Err(Error::Quota { what: Limited::Pages, required: 3, remaining }) => {
                assert!(remaining < 3, "{remaining} pages remained");
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!((stored, refused), (9, 13), "three requests fit");
    assert_eq!(world.usage().await, (9, 36));
}

/// The same world, on a disk with too little free space.
fn full(world: &World) -> World {
    let disks = vec![std::env::temp_dir()];
    let settings = Settings { disks, min_free: Some(ByteSize(u64::MAX)), ..settings() };
    let publisher =
        publisher::Publisher::new(world.store.clone(), world.blob.clone(), world.clock.clone(), settings);
    World {
        publisher,
        store: world.store.clone(),
        blob: world.blob.clone(),
        clock: world.clock.clone(),
        token: world.token.clone(),
        caller: world.caller.clone(),
        site: world.site,
    }
}

async fn a_full_disk_refuses_new_data_and_allows_deletions(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"pages": [{"title": "One", "content": "text"}, {"title": "Two"}]})).await;
    world.rebuild().await;
    let full = full(&world);
    for body in [
        json!({"title": "Three"}),
        json!({"pages": [{"title": "Three"}]}),
        json!({"pages": [{"slug": "one", "content": "more"}], "deleteSlugs": [{"slug": "two", "contentType": "blog"}]}),
    ] {
        let answer = full.publish(body).await;
        assert!(matches!(answer, Err(Error::DiskFull)), "{answer:?}");
    }
    assert!(matches!(publisher::Uploads::new(&full.publisher, &full.caller).err(), Some(Error::DiskFull)));
    assert!(full.publisher.low_disk().is_some());
    assert!(full.get("/blog/one").await.is_some());
    assert_eq!(full.list().await["pages"].as_array().unwrap().len(), 2);
    full.published(json!({"deleteSlugs": [{"slug": "two", "contentType": "blog"}]})).await;
    full.publisher.delete(&full.caller, None, Some(crate::key("blog//one"))).await.unwrap();
    assert_eq!(full.list().await["pages"], json!([]));
}

async fn a_build_waits_for_space_on_the_disk(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "One", "build": true})).await;
    let full = full(&world);
    assert!(!full.publisher.run_next_build().await.unwrap());
    assert_eq!(world.publisher.latest_build(&world.caller, None).await.unwrap().status, "queued");
    world.run().await;
    assert_eq!(world.publisher.latest_build(&world.caller, None).await.unwrap().status, "success");
}
