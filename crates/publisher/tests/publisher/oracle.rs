//! The oracle: after any edits and incremental builds, a build from scratch of the same snapshot has the same files,
//! byte for byte.

use std::time::Duration;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use publisher::{Error, Publisher};
use serde_json::{Value, json};
use testing::Database;

use crate::World;

testing::on_both_databases!(step_by_step_is_the_same_as_from_scratch);

/// One request of a client, or one event of the server's life.
#[derive(Debug, Clone)]
enum Step {
    /// Upserts: a slug with some fields.
    Write(Vec<Value>),
    Delete(&'static str, &'static str, &'static str),
    Settings(&'static str, &'static str),
    /// Time passes, and pages become due.
    Wait(u64),
    /// The index is not cached any more.
    Restart,
    Build,
}

const SLUGS: [&str; 5] = ["a", "b", "guides", "index", "news"];
const SECTIONS: [&str; 3] = ["", "guides", "news"];
const TYPES: [&str; 4] = ["blog", "docs", "standalone", "homepage"];
const DATES: [&str; 4] = ["2025-12-30T00:00:00Z", "2026-01-01", "2025-11-05", "2026-01-02T09:30:00Z"];

fn page() -> impl Strategy<Value = Value> {
    let key = (prop::sample::select(&SLUGS), prop::sample::select(&SECTIONS), prop::sample::select(&TYPES));
    let fields = (
        prop::option::of("[A-C]{1,2}"),
        prop::option::of(prop::sample::select(vec!["", "One *two*.", "# Title\n\ntext", "[b](/blog/b)"])),
        prop::option::weighted(0.3, any::<bool>()),
        prop::option::of(prop::sample::subsequence(vec!["red", "Blue", "blue", "日本"], 0..3)),
        prop::option::of(prop::sample::select(&DATES)),
        prop::option::of(-2..3i32),
        prop::option::weighted(0.3, prop::sample::select(vec!["", "GET /x", "delete"])),
    );
    (key, fields).prop_map(|((slug, section, content_type), fields)| {
        let (title, content, draft, tags, published_at, weight, endpoint) = fields;
        let mut page = json!({"slug": slug, "section": section, "contentType": content_type, "title": "T"});
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                page[key] = value;
            }
        };
        put("title", title.map(Value::from));
        put("content", content.map(Value::from));
        put("draft", draft.map(Value::from));
        put("tags", tags.map(Value::from));
        put("publishedAt", published_at.map(Value::from));
        put("params", weight.map(|weight| json!({"weight": weight})));
        put("apiEndpoint", endpoint.map(Value::from));
        page
    })
}

fn step() -> impl Strategy<Value = Step> {
    let key = (prop::sample::select(&SLUGS), prop::sample::select(&SECTIONS), prop::sample::select(&TYPES));
    prop_oneof![
        6 => prop::collection::vec(page(), 1..4).prop_map(Step::Write),
        2 => key.prop_map(|(slug, section, content_type)| Step::Delete(slug, section, content_type)),
        1 => prop::sample::select(vec![("title", "Other"), ("title", ""), ("description", "Words")])
            .prop_map(|(key, value)| Step::Settings(key, value)),
        1 => (1..3600u64).prop_map(Step::Wait),
        1 => Just(Step::Restart),
        4 => Just(Step::Build),
    ]
}

async fn step_by_step_is_the_same_as_from_scratch(database: &Database) {
    let cases = if cfg!(debug_assertions) { 12 } else { 60 };
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let mut world = World::new(database).await.without_cooldown();
    let mut stored = 0;
    for case in 0..cases {
        let steps = prop::collection::vec(step(), 1..14).new_tree(&mut runner).unwrap().current();
        for step in &steps {
            stored += usize::from(take(&mut world, step).await);
        }
        world.rebuild().await;
        let (newest, files) = (world.newest().await, world.files().await);
        let spoil = |tx: &mut store::Tx| tx.execute("UPDATE releases SET made_with = ''", &[]);
        world.store.write(spoil).await.unwrap();
        world.rebuild().await;
        let clean = world.files().await;
        for (path, body) in &clean {
            assert_eq!(files.get(path), Some(body), "{path} in case {case} after {steps:#?}");
        }
        let paths =
            |files: &std::collections::BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(paths(&files), paths(&clean), "case {case} after {steps:#?}");
        assert!(world.newest().await <= newest + 1);
    }
    assert!(stored > cases as usize, "{stored} writes in {cases} cases");
}

/// Whether pages were stored.
async fn take(world: &mut World, step: &Step) -> bool {
    let mut is_stored = false;
    match step {
        Step::Write(pages) => match world.publish(json!({"pages": pages})).await {
            Ok(_) => is_stored = true,
            // Two entries of one key, a reserved slug: refused as a whole, which is fine too.
            Err(Error::Invalid(_) | Error::DuplicateSlugs(_) | Error::SlugConflict(_)) => {}
            Err(error) => panic!("{pages:?}: {error}"),
        },
        Step::Delete(slug, section, content_type) => {
            let delete = json!({"slug": slug, "section": section, "contentType": content_type});
            world.publish(json!({"deleteSlugs": [delete]})).await.unwrap();
        }
        Step::Settings(key, value) => {
            let site = world.publisher.site_find("books").await.unwrap();
            world.publisher.site_set(&site, vec![((*key).into(), (*value).into())]).await.unwrap();
        }
        Step::Wait(seconds) => world.clock.advance(Duration::from_secs(*seconds)),
        Step::Restart => {
            let settings = publisher::Settings { build_cooldown: Duration::ZERO, ..crate::settings() };
            world.publisher =
                Publisher::new(world.store.clone(), world.blob.clone(), world.clock.clone(), settings);
        }
        Step::Build => world.rebuild().await,
    }
    world.clock.advance(Duration::from_secs(1));
    is_stored
}
