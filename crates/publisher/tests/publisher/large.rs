//! Long texts: stored ahead when there are many, swept when no page refers to them, and never otherwise.

use std::time::Duration;

use api::WriteStatus;
use publisher::{Draft, Error};
use serde_json::{Value, json};
use testing::Database;

use crate::{DAY, World};

testing::on_both_databases!(
    a_large_request_is_stored_completely,
    the_texts_of_a_refused_large_request_do_not_wait_for_their_lease,
    a_draft_that_is_dropped_leaves_nothing_behind,
    a_request_that_outlives_its_lease_is_refused_completely,
    what_changes_while_a_large_request_arrives_is_seen,
    a_slug_that_every_piece_names_is_found_in_each_section,
    texts_that_their_pages_have_are_not_stored_again,
    the_same_pages_are_stored_for_another_site,
    a_page_that_changes_while_its_same_text_arrives_does_not_lose_it,
    a_text_that_another_page_with_the_slug_has_is_stored,
    replaced_and_cleared_texts_are_swept,
    a_deleted_page_keeps_its_texts_until_it_is_purged,
    texts_that_are_replaced_again_and_again_do_not_accumulate,
);

/// More than two pieces of texts stored ahead, and a rest that is not.
const PAGES: usize = 95;

/// A hundred thousand characters, different for each page.
fn content(number: usize) -> String {
    format!("{number:09} ").repeat(10_000)
}

fn pages() -> Vec<Value> {
    let params =
        |number: usize| if number.is_multiple_of(2) { json!({"number": number}) } else { Value::Null };
    let page = |number| json!({"slug": format!("p{number}"), "title": "A title", "content": content(number), "params": params(number)});
    (0..PAGES).map(page).collect()
}

async fn a_large_request_is_stored_completely(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"pages": pages()})).await;
    assert_eq!(world.sweep_all().await, 0);
    assert_eq!(world.text_count().await, (PAGES + PAGES.div_ceil(2)) as i64);
    for number in 0..PAGES {
        let slug = format!("p{number}");
        assert!(world.content(&slug).await.unwrap() == content(number), "{slug}");
        let params = number.is_multiple_of(2).then(|| format!("{{\"number\":{number}}}"));
        assert_eq!(world.params(&slug).await, params, "{slug}");
    }
}

async fn the_texts_of_a_refused_large_request_do_not_wait_for_their_lease(database: &Database) {
    let world = World::new(database).await;
    world.create(json!({"title": "Stays", "content": "text"})).await;
    // Refused by itself, by the store, as a duplicate.
    for last in [json!({"title": 7}), json!({"slug": "no-title"}), json!({"slug": "p0"})] {
        let mut pages = pages();
        // One piece is stored ahead, and a rest is not.
        pages.truncate(PAGES / 2);
        pages.push(last);
        world.publish(json!({"pages": pages})).await.unwrap_err();
        assert!(sweep_abandoned(&world).await > 0);
    }
    assert_eq!(world.content("stays").await.as_deref(), Some("text"));
}

/// Refused texts are abandoned in the background, also those that are still being stored: sweeps until only the text of a
/// page is left. The clock does not move meanwhile.
async fn sweep_abandoned(world: &World) -> u64 {
    let mut swept = 0;
    for _ in 0..2000 {
        swept += world.publisher.upkeep().await.unwrap().texts_swept;
        if swept > 0 && world.text_count().await == 1 {
            return swept;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} texts are left, {swept} were swept", world.text_count().await)
}

/// The same, until this many are swept.
async fn sweep_until(world: &World, expected: u64) -> u64 {
    let mut swept = 0;
    for _ in 0..500 {
        swept += world.publisher.upkeep().await.unwrap().texts_swept;
        if swept >= expected {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    swept
}

async fn a_draft_that_is_dropped_leaves_nothing_behind(database: &Database) {
    let world = World::new(database).await;
    let mut draft = Draft::new(&world.publisher, &world.caller);
    draft.begin_batch();
    for page in pages() {
        draft.page(&page.to_string()).await.unwrap();
        draft.work_ahead().await.unwrap();
    }
    drop(draft);
    assert!(sweep_until(&world, 1).await > 0);
}

async fn a_request_that_outlives_its_lease_is_refused_completely(database: &Database) {
    let world = World::new(database).await;
    let mut draft = Draft::new(&world.publisher, &world.caller);
    draft.begin_batch();
    for page in pages() {
        draft.page(&page.to_string()).await.unwrap();
        draft.work_ahead().await.unwrap();
    }
    // The first piece is stored soon. A sweep skips what is being written at the same moment.
    let mut swept = 0;
    for _ in 0..500 {
        swept += world.sweep_all().await;
        if swept > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(swept > 0);
    let answer = draft.publish(&world.caller).await;
    assert!(matches!(answer, Err(Error::Overtaken(_))), "{answer:?}");
    assert_eq!(world.list().await["pages"], json!([]));
    // A sweep skips what is being abandoned at the same moment.
    let left = world.text_count().await as u64;
    sweep_until(&world, left).await;
    assert_eq!(world.text_count().await, 0);
}

/// Pages are looked up ahead, in pieces, while other requests change them.
async fn what_changes_while_a_large_request_arrives_is_seen(database: &Database) {
    let world = World::new(database).await;
    let few: Vec<Value> = (0..10).map(|number| json!({"slug": format!("q{number}"), "title": "Q"})).collect();
    let mut pages = pages();
    pages.extend(few);
    for change_at in [None, Some(5), Some(50), Some(100)] {
        world
            .published(
                json!({"pages": [{"slug": "p1", "title": "Before"}, {"slug": "p60", "title": "Before"}]}),
            )
            .await;
        let mut draft = Draft::new(&world.publisher, &world.caller);
        draft.begin_batch();
        for (index, page) in pages.iter().enumerate() {
            draft.page(&page.to_string()).await.unwrap();
            draft.work_ahead().await.unwrap();
            if Some(index) == change_at {
                let deleted = [
                    json!({"slug": "p1", "contentType": "blog"}),
                    json!({"slug": "p60", "contentType": "blog"}),
                ];
                let created = [json!({"slug": "p2", "title": "New"}), json!({"slug": "q3", "title": "New"})];
                world.published(json!({"pages": created, "deleteSlugs": deleted})).await;
            }
        }
        let answer = draft.publish(&world.caller).await.unwrap();
        let updated: Vec<&str> = answer
            .pages
            .iter()
            .filter(|page| page.status == WriteStatus::Updated)
            .map(|page| page.slug.as_str())
            .collect();
        let expected = if change_at.is_some() { ["p2", "q3"] } else { ["p1", "p60"] };
        assert_eq!(updated, expected, "changed at {change_at:?}");
        let all: Vec<Value> =
            answer.pages.iter().map(|page| json!({"slug": page.slug, "contentType": "blog"})).collect();
        world.published(json!({"deleteSlugs": all})).await;
    }
}

/// Such a slug is looked up with the first piece that names it, for all of them.
async fn a_slug_that_every_piece_names_is_found_in_each_section(database: &Database) {
    let world = World::new(database).await;
    let pages: Vec<Value> = (0..110)
        .map(|number| json!({"slug": "same", "contentType": "docs", "section": format!("s{number}"), "title": "A title", "content": content(number)}))
        .collect();
    for (round, status) in [WriteStatus::Created, WriteStatus::Updated].into_iter().enumerate() {
        let mut draft = Draft::new(&world.publisher, &world.caller);
        draft.begin_batch();
        for page in &pages {
            draft.page(&page.to_string()).await.unwrap();
            draft.work_ahead().await.unwrap();
        }
        let answer = draft.publish(&world.caller).await.unwrap();
        assert!(answer.pages.iter().all(|page| page.status == status), "round {round}");
    }
    assert_eq!(world.list().await["pages"].as_array().unwrap().len(), pages.len());
}

async fn texts_that_their_pages_have_are_not_stored_again(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"pages": pages()})).await;
    let once = world.text_count().await;
    let answer = world.published(json!({"pages": pages()})).await;
    assert!(answer["pages"].as_array().unwrap().iter().all(|page| page["updatedAt"] == page["createdAt"]));
    assert_eq!(world.text_count().await, once);

    let mut pages = pages();
    pages[3]["content"] = json!("new");
    pages[4]["params"] = json!({"new": true});
    pages[5]["title"] = json!("New");
    world.published(json!({"pages": pages})).await;
    assert_eq!(world.text_count().await, once + 2);
    assert_eq!(world.sweep_all().await, 2);
    assert_eq!(world.content("p3").await.as_deref(), Some("new"));
    assert_eq!(world.params("p4").await.as_deref(), Some(r#"{"new":true}"#));
    assert!(world.content("p5").await.unwrap() == content(5));
}

async fn the_same_pages_are_stored_for_another_site(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"pages": pages()})).await;
    let name = model::SiteName::parse("another").unwrap();
    let other = world.publisher.site_create(world.caller.account, name).await.unwrap();
    // `siteId` comes after the pages.
    let answer = world.published(json!({"pages": pages(), "siteId": other.id})).await;
    let created = answer["pages"].as_array().unwrap().iter().filter(|page| page["status"] == "created");
    assert_eq!(created.count(), PAGES);
}

async fn a_page_that_changes_while_its_same_text_arrives_does_not_lose_it(database: &Database) {
    let world = World::new(database).await;
    let deleted = json!({"deleteSlugs": [{"slug": "p1", "contentType": "blog"}]});
    for (change, is_refused) in [
        (json!({"pages": [{"slug": "p1", "title": "Changed"}]}), false),
        (json!({"pages": [{"slug": "p1", "content": "changed"}]}), true),
        (deleted, true),
    ] {
        world.published(json!({"pages": pages()})).await;
        let mut draft = Draft::new(&world.publisher, &world.caller);
        draft.begin_batch();
        for page in pages() {
            draft.page(&page.to_string()).await.unwrap();
            draft.work_ahead().await.unwrap();
        }
        world.published(change.clone()).await;
        let answer = draft.publish(&world.caller).await;
        match answer {
            Ok(_) => assert!(world.content("p1").await.unwrap() == content(1), "{change}"),
            Err(Error::Overtaken(_)) => assert!(is_refused, "{change}"),
            Err(error) => panic!("{change}: {error}"),
        }
        // The client sends it again.
        world.published(json!({"pages": pages()})).await;
        assert!(world.content("p1").await.unwrap() == content(1), "{change}");
    }
}

/// A piece does not look up slugs of earlier pieces again, so it may know only some of the pages that have one.
async fn a_text_that_another_page_with_the_slug_has_is_stored(database: &Database) {
    let world = World::new(database).await;
    let same = |section: &str, content: String| json!({"slug": "same", "contentType": "docs", "section": section, "title": "A", "content": content});
    let of_s = world.create(same("s", content(1))).await;
    world.published(json!({"pages": [same("", "text".into()), same("t", "text".into())]})).await;

    let mut pages = pages();
    pages.insert(0, same("t", content(0)));
    pages.insert(50, json!({"id": of_s, "title": "B"}));
    // The page without a section, because several have the slug.
    pages.insert(51, json!({"slug": "same", "contentType": "docs", "content": content(1)}));
    world.published(json!({"pages": pages})).await;
    let stored = world.pages("same").await;
    let stored = stored.iter().find(|page| page.key.section.as_str().is_empty()).unwrap();
    assert!(world.text(stored.content).await.unwrap() == content(1));
}

async fn replaced_and_cleared_texts_are_swept(database: &Database) {
    let world = World::new(database).await;
    world.create(json!({"title": "A", "content": "one", "params": {"a": 1}})).await;
    assert_eq!(world.sweep_all().await, 0);
    world.published(json!({"pages": [{"slug": "a", "content": "two"}]})).await;
    assert_eq!(world.sweep_all().await, 1);
    world.published(json!({"pages": [{"slug": "a", "params": {"b": 2}}]})).await;
    assert_eq!(world.sweep_all().await, 1);
    assert_eq!(world.content("a").await.as_deref(), Some("two"));
    assert_eq!(world.params("a").await.as_deref(), Some(r#"{"b":2}"#));
    world.published(json!({"pages": [{"slug": "a", "content": "", "params": {}}]})).await;
    assert_eq!(world.sweep_all().await, 2);
    assert_eq!(world.text_count().await, 0);
}

async fn a_deleted_page_keeps_its_texts_until_it_is_purged(database: &Database) {
    let world = World::new(database).await;
    world.create(json!({"title": "A", "content": "one", "params": {"a": 1}})).await;
    world.published(json!({"deleteSlugs": [{"slug": "a", "contentType": "blog"}]})).await;
    assert_eq!(world.sweep_all().await, 0);
    assert_eq!(world.text_count().await, 2);
    world.clock.advance(30 * DAY);
    let done = world.publisher.upkeep().await.unwrap();
    assert_eq!((done.pages_purged, done.texts_swept), (1, 2));
    assert_eq!(world.text_count().await, 0);
}

async fn texts_that_are_replaced_again_and_again_do_not_accumulate(database: &Database) {
    let world = World::new(database).await;
    let once = 2 * PAGES as i64;
    for round in 0..6 {
        let mut pages = pages();
        for (number, page) in pages.iter_mut().enumerate() {
            page["content"] = json!(content(PAGES * round + number));
            page["params"] = json!({ "round": round });
        }
        world.published(json!({"pages": pages})).await;
        let texts = world.text_count().await;
        // Those of this round, those of the round before, and the last piece of the one before that.
        assert!(texts <= 3 * once, "{texts} texts in round {round}, although only the writer sweeps");
    }
}
