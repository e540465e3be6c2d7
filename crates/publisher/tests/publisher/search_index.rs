//! The search index of a release: which pages it has, and what a change replaces of it.

use std::collections::BTreeMap;
use std::time::Duration;

use blob::Blob;
use bytes::Bytes;
use futures_util::future::try_join_all;
use generator::SearchFile;
use publisher::{Found, Publisher};
use search::{Leaf, LeafName, Query, Texts};
use serde_json::{Value, json};
use testing::Database;

use crate::World;

testing::on_both_databases!(
    a_page_is_found_by_its_present_text,
    what_the_site_does_not_show_is_not_found,
    a_rollback_finds_what_its_release_shows,
    other_forms_are_those_of_the_language_of_the_release,
    other_forms_are_found_again_when_a_site_has_fewer_terms,
    an_edit_replaces_the_files_of_one_leaf,
    leaves_that_are_split_or_merged_equal_those_of_a_clean_build,
    a_damaged_leaf_makes_the_next_build_start_from_scratch,
    an_index_that_exceeds_its_memory_is_searched_completely,
    concurrent_first_searches_find_the_same,
    a_repeated_search_reads_nothing,
    an_index_without_one_of_its_files_is_an_error,
);

impl World {
    /// The URLs that a search of the live release finds, best first, each with its excerpt.
    async fn search(&self, query: &str) -> Vec<(String, String)> {
        let release = self.live().await.unwrap();
        let names = self.search_file(release, SearchFile::Leaves).await;
        let (mut terms, mut texts) = (Vec::new(), Vec::new());
        for name in std::str::from_utf8(&names).unwrap().lines() {
            let leaf = LeafName::parse(name).unwrap();
            terms.push(self.search_file(release, SearchFile::Terms(leaf)).await);
            texts.push(self.search_file(release, SearchFile::Texts(leaf)).await);
        }
        let leaves: Vec<Leaf> = terms.iter().map(|bytes| Leaf::open(bytes).unwrap()).collect();
        let found = search::search(&leaves, &Query::parse(query).unwrap(), 1000).unwrap();
        let snippet = |hit: &search::Hit| {
            search::snippet(&Texts::open(&texts[hit.leaf]).unwrap(), hit.page, &found.query).unwrap()
        };
        found.hits.iter().map(|hit| (hit.url.clone(), snippet(hit).excerpt)).collect()
    }

    async fn urls(&self, query: &str) -> Vec<String> {
        self.search(query).await.into_iter().map(|(url, _)| url).collect()
    }

    async fn search_file(&self, release: i64, file: SearchFile) -> Bytes {
        match self.publisher.find(self.site, release, &file.to_string()).await.unwrap() {
            Some(Found::Body { bytes, .. }) => bytes,
            other => panic!("{file}: {other:?}"),
        }
    }

    /// The files of the search index of the newest release.
    async fn search_files(&self) -> BTreeMap<String, String> {
        let is_search = |(path, _): &(String, String)| SearchFile::parse(path).is_some();
        self.files().await.into_iter().filter(is_search).collect()
    }

    /// Publishes, and builds.
    async fn release(&self, body: Value) {
        self.published(body).await;
        self.rebuild().await;
    }
}

fn pages(numbers: std::ops::Range<usize>) -> Value {
    let page = |number| json!({"title": format!("Page {number}"), "content": format!("Word{number} same.")});
    json!({"pages": numbers.map(page).collect::<Vec<Value>>()})
}

async fn a_page_is_found_by_its_present_text(database: &Database) {
    let world = World::new(database).await;
    world.release(json!({"title": "Hello", "content": "The first text."})).await;
    assert_eq!(world.search("first").await, [("/blog/hello".to_owned(), "The first text.".to_owned())]);
    world.release(json!({"title": "Hello", "content": "The second text."})).await;
    assert_eq!(world.search("second").await, [("/blog/hello".to_owned(), "The second text.".to_owned())]);
    assert!(world.search("first").await.is_empty());
}

async fn what_the_site_does_not_show_is_not_found(database: &Database) {
    let world = World::new(database).await;
    let page = |title: &str| json!({"title": title, "content": "Same."});
    let later = json!({"title": "Later", "content": "Same.", "publishedAt": "2026-01-02T10:00:00Z"});
    world.release(json!({"pages": [page("One"), page("Two"), page("Three"), page("Four"), later]})).await;
    assert_eq!(world.urls("same").await, ["/blog/four", "/blog/one", "/blog/three", "/blog/two"]);
    let hidden = json!({"title": "Two", "content": "Same.", "draft": true});
    let excluded = json!({"title": "Three", "content": "Same.", "params": {"noindex": true}});
    world
        .release(
            json!({"pages": [hidden, excluded], "deleteSlugs": [{"slug": "one", "contentType": "blog"}]}),
        )
        .await;
    assert_eq!(world.urls("same").await, ["/blog/four"]);
    world.clock.advance(Duration::from_secs(3600));
    world.rebuild().await;
    assert_eq!(world.urls("same").await, ["/blog/four", "/blog/later"]);

    let site = world.publisher.site_find("books").await.unwrap();
    world.publisher.site_set(&site, vec![("noindex".into(), "yes".into())]).await.unwrap();
    world.rebuild().await;
    assert!(world.urls("same").await.is_empty());
}

async fn a_rollback_finds_what_its_release_shows(database: &Database) {
    let world = World::new(database).await;
    world.release(json!({"title": "Hello", "content": "The first text."})).await;
    world.release(json!({"title": "Hello", "content": "The second text."})).await;
    let site = world.publisher.site_find("books").await.unwrap();
    world.publisher.rollback(&site, None).await.unwrap();
    assert_eq!((world.urls("first").await.len(), world.urls("second").await.len()), (1, 0));
}

async fn other_forms_are_those_of_the_language_of_the_release(database: &Database) {
    let world = World::new(database).await;
    world.release(json!({"title": "Hello", "content": "Den Häusern sind connected."})).await;
    let found = async |words: &str| {
        let site = world.publisher.site_find("books").await.unwrap();
        world.publisher.search_live(&site, Query::parse(words).unwrap(), 5).await.unwrap()
    };
    assert_eq!((found("hauses den").await.total, found("connecting den").await.total), (0, 1));
    assert_eq!(found("connecting den").await.hits[0].excerpt, "Den Häusern sind connected.");

    let site = world.publisher.site_find("books").await.unwrap();
    world.publisher.site_set(&site, vec![("language".into(), "de-AT".into())]).await.unwrap();
    world.rebuild().await;
    assert_eq!((found("hauses den").await.total, found("connecting den").await.total), (1, 0));
    world.publisher.rollback(&site, None).await.unwrap();
    assert_eq!((found("hauses den").await.total, found("connecting den").await.total), (0, 1));
}

async fn other_forms_are_found_again_when_a_site_has_fewer_terms(database: &Database) {
    let world = World::new(database).await;
    world.release(json!({"title": "Hello", "content": "The lamps are connected."})).await;
    let site = world.publisher.site_find("books").await.unwrap();
    let small = world.publisher.with_search_memory(64 << 10);
    let total = async || {
        let query = Query::parse("connecting lamps").unwrap();
        small.search_live(&site, query, 5).await.unwrap().total
    };
    assert_eq!(total().await, 1);
    world.release(pages(0..300)).await;
    assert_eq!(total().await, 0, "the memory is for fewer terms");
    let slugs = (0..300).map(|number| json!({"slug": format!("page-{number}"), "contentType": "blog"}));
    world.release(json!({"pages": [], "deleteSlugs": slugs.collect::<Vec<_>>()})).await;
    assert_eq!(total().await, 1);
}

async fn an_edit_replaces_the_files_of_one_leaf(database: &Database) {
    let world = World::new(database).await;
    world.release(pages(0..300)).await;
    assert_eq!(world.urls("same").await.len(), 300);
    let before = world.search_files().await;
    assert!(before.len() > 2 * 300 / 64, "{} files", before.len());
    world.release(json!({"title": "Page 7", "content": "Other."})).await;
    assert_eq!(world.urls("other").await, ["/blog/page-7"]);
    assert_eq!((world.urls("same").await.len(), world.urls("word8 same").await.len()), (299, 1));
    let after = world.search_files().await;
    assert!(before.keys().eq(after.keys()));
    let replaced: Vec<&String> = after.keys().filter(|path| before[*path] != after[*path]).collect();
    assert_eq!(replaced.len(), 2, "{replaced:?}");
    let site = world.site;
    let count = "SELECT count(*) FROM release_files WHERE site_id = $1 AND from_release = 2 AND path LIKE '/.search/%'";
    let rows = world.store.read(move |tx| tx.query_one(count, &[&site.0], |row| row.get::<i64>(0)));
    assert_eq!(rows.await.unwrap(), Some(2));
}

async fn leaves_that_are_split_or_merged_equal_those_of_a_clean_build(database: &Database) {
    let world = World::new(database).await;
    world.release(pages(0..60)).await;
    let deleted = |numbers: std::ops::Range<usize>| {
        let page = |number| json!({"slug": format!("page-{number}"), "contentType": "blog"});
        json!({"deleteSlugs": numbers.map(page).collect::<Vec<Value>>()})
    };
    for change in [pages(60..70), pages(70..300), deleted(100..290), deleted(10..80)] {
        world.release(change).await;
        let incremental = world.search_files().await;
        let spoil = |tx: &mut store::Tx| tx.execute("UPDATE releases SET made_with = ''", &[]);
        world.store.write(spoil).await.unwrap();
        world.rebuild().await;
        assert_eq!(incremental, world.search_files().await);
    }
    assert_eq!(world.urls("same").await.len(), 40);
}

async fn a_damaged_leaf_makes_the_next_build_start_from_scratch(database: &Database) {
    let directory = tempfile::tempdir().unwrap();
    let blob = Blob::directory(directory.path()).unwrap();
    let world = World::with(database, blob, crate::settings()).await;
    world.release(pages(0..3)).await;
    let path = crate::verify::pack(directory.path());
    let (mut bytes, leaf) = (std::fs::read(&path).unwrap(), b"rsl1");
    let at = bytes.windows(leaf.len()).position(|window| window == leaf).unwrap();
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).unwrap();

    // The first attempt finds the damage, the second renders all pages.
    world.release(json!({"title": "Page 1", "content": "Other."})).await;
    assert_eq!(world.newest().await, 1);
    world.clock.advance(Duration::from_secs(60));
    world.run().await;
    assert_eq!((world.live().await, world.newest().await), (Some(2), 2));
    assert_eq!(world.urls("page").await, ["/blog/page-0", "/blog/page-1", "/blog/page-2"]);
    assert_eq!(world.urls("other").await, ["/blog/page-1"]);
}

async fn an_index_that_exceeds_its_memory_is_searched_completely(database: &Database) {
    let world = World::new(database).await;
    world.release(pages(0..300)).await;
    let site = world.publisher.site_find("books").await.unwrap();
    let search = async |publisher: &Publisher, words: &str| {
        publisher.search_live(&site, Query::parse(words).unwrap(), 50).await.unwrap()
    };
    let all = search(&world.publisher, "same").await;
    assert_eq!(all.total, 300);
    let whole = world.publisher.search_memory();
    // The terms of one leaf fit, not of two. The texts of results are read leaf by leaf.
    let small = world.publisher.with_search_memory(whole / 4);
    for _ in 0..3 {
        assert_eq!(search(&small, "same").await, all);
        assert_eq!(search(&small, "word299").await.hits[0].title, "Page 299");
        assert!(small.search_memory() <= whole / 4, "{} of {whole} bytes", small.search_memory());
    }
}

async fn concurrent_first_searches_find_the_same(database: &Database) {
    let world = World::new(database).await;
    world.release(pages(0..100)).await;
    let site = world.publisher.site_find("books").await.unwrap();
    let searches = (0..8).map(|_| world.publisher.search_live(&site, Query::parse("same").unwrap(), 5));
    let found = try_join_all(searches).await.unwrap();
    assert!(found.iter().all(|results| *results == found[0] && results.total == 100), "{found:?}");
}

async fn a_repeated_search_reads_nothing(database: &Database) {
    let world = World::new(database).await;
    world.release(pages(0..100)).await;
    let site = world.publisher.site_find("books").await.unwrap();
    let first = world.publisher.search_live(&site, Query::parse("same").unwrap(), 50).await.unwrap();
    assert_eq!(first.hits.len(), 50);
    let without_packs = world.publisher.with_objects(Blob::memory());
    let again = without_packs.search_live(&site, Query::parse("same").unwrap(), 50).await.unwrap();
    assert_eq!(again, first);
}

async fn an_index_without_one_of_its_files_is_an_error(database: &Database) {
    let world = World::new(database).await;
    world.release(pages(0..3)).await;
    let site = world.publisher.site_find("books").await.unwrap();
    database.execute("DELETE FROM release_files WHERE path LIKE '/.search/%.text'");
    let searched = world.publisher.search_live(&site, Query::parse("same").unwrap(), 5).await;
    let message = searched.unwrap_err().to_string();
    assert!(message.contains("a file of the index is missing"), "{message}");
}
