//! More changes at once than a build reads, writes or undoes in one step: the release is the same as one built from
//! scratch.

use std::collections::BTreeMap;

use publisher::Publisher;
use serde_json::{Value, json};
use store::files;
use testing::Database;

use crate::World;

testing::on_both_databases!(
    changes_that_fill_the_last_step_are_built_as_from_scratch,
    changes_that_begin_another_step_are_built_as_from_scratch,
);

/// Changed pages are read 500 at a time, and the rows of an unfinished build are undone 4000 at a time.
const WHOLE_STEPS: usize = 4000;
const PAGES: usize = WHOLE_STEPS + 600;

async fn changes_that_fill_the_last_step_are_built_as_from_scratch(database: &Database) {
    let world = first_build(database).await;
    break_off_a_build(&world, WHOLE_STEPS).await;
    build_changes(&world, WHOLE_STEPS).await;
}

async fn changes_that_begin_another_step_are_built_as_from_scratch(database: &Database) {
    let mut world = first_build(database).await;
    break_off_a_build(&world, WHOLE_STEPS + 1).await;
    // The site's index is not cached any more.
    let settings = publisher::Settings { build_cooldown: std::time::Duration::ZERO, ..crate::settings() };
    world.publisher = Publisher::new(world.store.clone(), world.blob.clone(), world.clock.clone(), settings);
    build_changes(&world, WHOLE_STEPS + 501).await;
}

async fn first_build(database: &Database) -> World {
    let world = World::new(database).await.without_cooldown();
    world.published(json!({"pages": pages(0..PAGES, "first")})).await;
    world.rebuild().await;
    world
}

fn key(number: usize) -> Value {
    json!({"slug": format!("p{number}"), "contentType": "docs", "section": format!("s{}", number % 7)})
}

fn pages(numbers: std::ops::Range<usize>, word: &str) -> Vec<Value> {
    let page = |number: usize| {
        let mut page = key(number);
        page["title"] = json!(if number.is_multiple_of(3) { format!("{word} {number}") } else { "T".into() });
        page["content"] = json!(format!("{word} *{number}*"));
        page["draft"] = json!(word != "first" && number.is_multiple_of(11));
        page
    };
    numbers.map(page).collect()
}

/// Changes this many pages, some of which are deleted or hidden, and compares the release with a build from scratch.
async fn build_changes(world: &World, changes: usize) {
    let (first, deleted) = (hashes(world).await, changes / 10);
    assert!(first.len() > 2 * PAGES, "{}", first.len());
    let deletes: Vec<Value> = (changes - deleted..changes).map(key).collect();
    world.published(json!({"pages": pages(0..changes - deleted, "second"), "deleteSlugs": deletes})).await;
    world.rebuild().await;
    let built = hashes(world).await;
    let html = |number: usize| built.get(&format!("/docs/s{}/p{number}", number % 7));
    let same = |number: usize| html(number) == first.get(&format!("/docs/s{}/p{number}", number % 7));
    assert!((1..changes).all(|number| !same(number)), "every change is seen");
    assert!(html(changes - deleted).is_none() && html(11).is_none() && html(changes).is_some());

    let spoil = |tx: &mut store::Tx| tx.execute("UPDATE releases SET made_with = ''", &[]);
    world.store.write(spoil).await.unwrap();
    world.rebuild().await;
    let clean = hashes(world).await;
    let wrong: Vec<&String> =
        built.keys().chain(clean.keys()).filter(|path| built.get(*path) != clean.get(*path)).collect();
    assert!(wrong.is_empty(), "{} paths differ, among them {:?}", wrong.len(), &wrong[..wrong.len().min(9)]);
}

/// The file at each path of the newest release.
async fn hashes(world: &World) -> BTreeMap<String, files::Hash> {
    let (site, release) = (world.site, world.newest().await);
    let list = move |tx: &mut store::Tx| files::list(tx, site, release, "", 1_000_000);
    let rows = world.store.read(list).await.unwrap();
    rows.into_iter().map(|file| (file.path, file.hash)).collect()
}

/// Leaves the rows of a worker that died in the middle of a large build.
async fn break_off_a_build(world: &World, rows: usize) {
    let paths: Vec<String> = hashes(world).await.into_keys().take(rows).collect();
    assert_eq!(paths.len(), rows);
    let (site, release) = (world.site, world.newest().await + 1);
    let write = move |tx: &mut store::Tx| {
        files::stage(tx, site, Some(release))?;
        files::close(tx, site, release, &paths)
    };
    world.store.write(write).await.unwrap();
}
