//! The use cases, on SQLite and on PostgreSQL. One module for each concern; shared code is here.

#![allow(clippy::unwrap_used)]

extern crate recto_publisher as publisher;

mod access;
mod accounts;
mod autosaves;
mod bounds;
mod building;
mod builds;
mod decide;
mod decide_model;
mod endings;
mod hub;
mod installation;
mod large;
mod listing;
mod many_changes;
mod media;
mod oracle;
mod publish;
mod races;
mod refused;
mod releases;
mod schedule;
mod search_index;
mod trash;
mod unbuilt;
mod verify;

use std::sync::Arc;
use std::time::Duration;

use blob::Blob;
use model::{AccountName, ManualClock, PageKey, Plan, SiteId, Timestamp};
use publisher::{Caller, Draft, Error, Publisher, Settings, UploadSettings};
use serde_json::{Value, json};
use store::Store;
use store::pages::Page;
use testing::Database;

const DAY: Duration = Duration::from_secs(24 * 3600);

fn settings() -> Settings {
    Settings {
        plans: Plan::shipped(),
        build_cooldown: Duration::from_secs(30),
        postpone_builds: false,
        site_url: "http://{site}.localhost:8081".into(),
        domain_scheme: "https",
        purge_after: 30 * DAY,
        keep_releases: 3,
        custom_head: true,
        private_hubs: true,
        build_time_limit: Duration::from_secs(600),
        disks: vec![],
        min_free: None,
        uploads: UploadSettings::new(std::env::temp_dir().join("recto-tests"), testing::recto()),
    }
}

/// A publisher with one account and one site, in the morning of 2 January 2026.
struct World {
    publisher: Publisher,
    store: Store,
    blob: Blob,
    clock: Arc<ManualClock>,
    token: String,
    caller: Caller,
    site: SiteId,
}

impl World {
    async fn new(database: &Database) -> World {
        World::with(database, Blob::memory(), settings()).await
    }

    async fn with(database: &Database, blob: Blob, settings: Settings) -> World {
        let store = database.store().clone();
        let clock = Arc::new(ManualClock::new(Timestamp::parse_iso("2026-01-02T09:00:00Z").unwrap()));
        let publisher = Publisher::new(store.clone(), blob.clone(), clock.clone(), settings);
        let account = publisher.account_create(AccountName::parse("Books").unwrap(), "pro").await.unwrap();
        let caller = publisher.authenticate(&account.token).await.unwrap();
        World { publisher, store, blob, clock, token: account.token, caller, site: account.site_id }
    }

    /// Sends a body the way the server does: member by member, the arrays entry by entry.
    async fn publish(&self, body: Value) -> Result<Value, Error> {
        publish(&self.publisher, &self.caller, body).await
    }

    /// Publishes, and advances the clock by a second, so that no two publishes have the same time.
    async fn published(&self, body: Value) -> Value {
        let answer = self.publish(body).await.unwrap();
        self.clock.advance(Duration::from_secs(1));
        answer
    }

    /// Publishes a new page and returns its id.
    async fn create(&self, page: Value) -> String {
        let answer = self.published(json!({"pages": [page]})).await;
        assert_eq!(answer["pages"][0]["status"], "created");
        answer["pages"][0]["id"].as_str().unwrap().to_owned()
    }

    /// The row of a live page, which must be the only one with its slug.
    async fn page(&self, slug: &str) -> Page {
        let mut found = self.pages(slug).await;
        assert_eq!(found.len(), 1, "{slug}");
        found.remove(0)
    }

    async fn pages(&self, slug: &str) -> Vec<Page> {
        let (site, slug) = (self.site, slug.to_owned());
        let read = move |tx: &mut store::Tx| store::pages::by_slugs(tx, site, std::iter::once(slug.as_str()));
        self.store.read(read).await.unwrap()
    }

    async fn content(&self, slug: &str) -> Option<String> {
        self.text(self.page(slug).await.content).await
    }

    async fn params(&self, slug: &str) -> Option<String> {
        self.text(self.page(slug).await.params).await
    }

    async fn text(&self, text: Option<store::texts::Text>) -> Option<String> {
        let id = text?.id;
        let body = self.store.read(move |tx| store::texts::body(tx, id)).await.unwrap();
        Some(body.expect("a live page's text is there"))
    }

    async fn text_count(&self) -> i64 {
        self.store.read(store::texts::count).await.unwrap()
    }

    /// Sweeps after every lease has expired.
    async fn sweep_all(&self) -> u64 {
        self.clock.advance(2 * DAY);
        self.publisher.upkeep().await.unwrap().texts_swept
    }

    async fn list(&self) -> Value {
        let json = self.publisher.list(&self.caller, publisher::ListQuery::default()).await.unwrap();
        serde_json::from_slice(&json.concat()).unwrap()
    }
}

async fn publish(publisher: &Publisher, caller: &Caller, body: Value) -> Result<Value, Error> {
    let mut draft = Draft::new(publisher, caller);
    for (key, value) in body.as_object().unwrap() {
        match (key.as_str(), value) {
            ("pages", Value::Array(pages)) => {
                draft.begin_batch();
                for page in pages {
                    draft.page(&page.to_string()).await?;
                    draft.work_ahead().await?;
                }
            }
            ("deleteSlugs", Value::Array(deletes)) => {
                draft.begin_batch();
                for delete in deletes {
                    draft.delete(&delete.to_string())?;
                }
            }
            _ => draft.member(key, &value.to_string())?,
        }
    }
    Ok(serde_json::to_value(draft.publish(caller).await?).unwrap())
}

/// `docs/guides/intro`; `blog//hello` has no section.
fn key(text: &str) -> PageKey {
    let parts: Vec<&str> = text.split('/').collect();
    let [content_type, section, slug] = parts[..] else { panic!("{text} is no key") };
    PageKey {
        content_type: model::ContentType::parse(content_type).unwrap(),
        section: model::Section::parse(section).unwrap(),
        slug: model::Slug::parse(slug).unwrap(),
    }
}

/// The field errors of a refusal, as in the response.
fn field_errors(error: Error) -> Value {
    match error {
        Error::Invalid(errors) => serde_json::to_value(errors).unwrap(),
        other => panic!("no validation error: {other:?}"),
    }
}
