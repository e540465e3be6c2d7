//! The store, on SQLite and on PostgreSQL. One module for each concern; shared code is here.

#![allow(clippy::unwrap_used)]

extern crate recto_store as store;

mod accounts;
mod attempts;
mod audit;
mod autosaves;
mod building;
mod builds;
mod changed;
mod checkpoint;
mod clocks;
mod connections;
mod copies;
mod deadlines;
mod deletion;
mod fences;
mod files;
mod former;
mod hosts;
mod listing;
mod lock_order;

mod mark;
mod media;
mod media_races;
mod mentions;
mod migrations;
mod objects;
mod packs;
mod pages;
mod passkeys;
mod people;
mod pings;
mod processes;
mod races;
mod releases;
mod relocation;
mod replaced_texts;
mod schedule;
mod sites;
mod staging;
mod texts;
mod tls;
mod tokens;
mod transactions;
mod transcodes;
mod transfer;
mod turns;
mod upgrades;
mod usage;

use model::{
    AccountId, AccountName, ContentType, PageId, PageKey, Section, SiteId, SiteName, Slug, TextHash,
    Timestamp,
};
use store::pages::Page;
use store::sites::Site;
use store::texts::{Text, TextId};
use store::usage::Change;
use store::{Error, Store, Tx};

/// A time, in seconds since some start.
fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000)
}

/// Inserts an account.
async fn account(store: &Store, name: &str) -> AccountId {
    let id = AccountId::new(at(0));
    let name = AccountName::parse(name).unwrap();
    store.write(move |tx| store::accounts::insert(tx, id, &name, "pro", at(0))).await.unwrap();
    id
}

fn site_named(account: AccountId, name: &str) -> Site {
    Site {
        id: SiteId::new(at(0)),
        account,
        name: SiteName::parse(name).unwrap(),
        version: 0,
        created_at: at(0),
    }
}

/// Inserts a site, and its account.
async fn site(store: &Store, name: &str) -> Site {
    let site = site_named(account(store, name).await, name);
    let row = site.clone();
    assert!(store.write(move |tx| store::sites::insert(tx, &row)).await.unwrap());
    site
}

/// `docs/guides/intro`; `blog//hello` has no section.
fn key(text: &str) -> PageKey {
    let parts: Vec<&str> = text.split('/').collect();
    let [content_type, section, slug] = parts[..] else { panic!("{text} is no key") };
    PageKey {
        content_type: ContentType::parse(content_type).unwrap(),
        section: Section::parse(section).unwrap(),
        slug: Slug::parse(slug).unwrap(),
    }
}

fn text(id: i64, bytes: i64) -> Text {
    Text { id: TextId(id), bytes }
}

/// A page with every field filled, so that none can be lost unnoticed.
fn page(name: &str) -> Page {
    Page {
        id: PageId::new(at(0)),
        key: key(name),
        title: format!("Title of {name}"),
        description: Some("“Quoted”, 💡".into()),
        draft: true,
        tags: r#"["a","b"]"#.into(),
        api_endpoint: Some("GET /users".into()),
        content: Some(text(7, 70)),
        params: Some(text(8, 80)),
        content_hash: Some(TextHash::of("content")),
        params_hash: Some(TextHash::of("params")),
        section_spelling: Some("Typed".into()),
        published_at: at(1),
        created_at: at(2),
        updated_at: at(3),
    }
}

/// Writes pages to a site as one publish would.
async fn insert(store: &Store, site: SiteId, pages: &[Page]) {
    let pages = pages.to_vec();
    write(store, move |tx| {
        let version = store::sites::next_version(tx, site)?.unwrap();
        let text = pages.iter().flat_map(|page| [page.content, page.params]).flatten().map(|text| text.bytes);
        let change = Change { pages: pages.len() as i64, text: text.sum(), ..Change::default() };
        store::usage::count(tx, site, change)?;
        store::pages::insert(tx, site, version, &pages.iter().collect::<Vec<_>>())
    })
    .await;
}

/// Deletes pages as one publish would; returns its version.
async fn delete(store: &Store, site: SiteId, pages: &[PageId], second: i64) -> i64 {
    let pages = pages.to_vec();
    write(store, move |tx| {
        let version = store::sites::next_version(tx, site)?.unwrap();
        store::usage::count(tx, site, Change { pages: -(pages.len() as i64), ..Change::default() })?;
        store::pages::delete(tx, site, version, &pages, at(second))?;
        Ok(version)
    })
    .await
}

/// Deletes a site with all its rows, step by step.
async fn delete_site(store: &Store, site: SiteId, second: i64) {
    assert!(write(store, move |tx| store::sites::delete(tx, site, at(second))).await);
    while write(store, move |tx| store::sites::remove_some(tx, site, 100, at(second))).await {}
}

/// A write that must not fail.
async fn write<T: Send + 'static>(
    store: &Store,
    work: impl FnMut(&mut Tx) -> Result<T, Error> + Send + 'static,
) -> T {
    store.write(work).await.unwrap()
}

/// A read that must not fail.
async fn read<T: Send + 'static>(
    store: &Store,
    work: impl FnMut(&mut Tx) -> Result<T, Error> + Send + 'static,
) -> T {
    store.read(work).await.unwrap()
}

/// Runs the same work in many tasks at once and collects the results.
async fn at_once<T, F>(tasks: usize, work: impl Fn(usize) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let tasks: Vec<_> = (0..tasks).map(|task| tokio::spawn(work(task))).collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap());
    }
    results
}
