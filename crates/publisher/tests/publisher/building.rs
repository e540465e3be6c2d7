//! Running builds: their files, how they end, and what they leave unchanged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use generator::SearchFile;
use model::{Clock, ManualClock, SiteId, Timestamp};
use publisher::{Found, Publisher, Settings, Worker};
use serde_json::json;
use testing::Database;
use tokio::sync::oneshot;
use tokio::time::timeout;
use uuid::Uuid;

use crate::{World, settings};

testing::on_both_databases!(
    a_queued_build_makes_a_release_that_goes_live,
    a_build_ends_as_a_success_with_its_times,
    drafts_and_deleted_pages_are_not_on_the_site,
    a_build_that_changes_nothing_publishes_nothing_new,
    a_change_renders_only_what_it_touches,
    queued_builds_of_a_site_end_together,
    a_build_of_a_dead_worker_is_run_again,
    rows_of_an_unfinished_build_are_undone,
    a_page_over_its_bounds_is_shown_as_its_source_with_a_warning,
    references_of_a_text_over_its_bounds_are_a_field_error,
    a_moved_page_redirects_from_its_old_url,
    settings_show_with_the_next_build,
    the_operator_may_forbid_html_in_the_head,
    a_purged_page_is_gone_although_no_build_saw_it_deleted,
    a_build_uses_the_texts_of_its_own_moment,
    texts_replaced_during_the_build_of_a_dead_worker_are_swept_after_its_lease,
    a_deleted_site_is_not_built,
);

pub(crate) fn worker(number: u128) -> Worker {
    Worker(Uuid::from_u128(number))
}

impl World {
    /// Runs the queued builds.
    pub(crate) async fn run(&self) {
        assert!(self.publisher.run_next_build().await.unwrap(), "a build is queued");
    }

    /// Queues a build and runs it.
    pub(crate) async fn rebuild(&self) {
        let site = self.publisher.site_find(&self.site.to_string()).await.unwrap();
        self.publisher.site_build(&site).await.unwrap();
        self.run().await;
        self.clock.advance(Duration::from_secs(1));
    }

    pub(crate) async fn live(&self) -> Option<i64> {
        let site = self
            .publisher
            .hosted_site("books.localhost")
            .await
            .unwrap()
            .expect("the site is found by its host");
        site.release
    }

    /// The response that a visitor gets at a path.
    pub(crate) async fn get(&self, path: &str) -> Option<String> {
        let release = self.live().await.expect("the site is built");
        found(&self.publisher, self.site, release, path).await
    }

    /// Every file of the newest release, including fragments, as it is stored.
    pub(crate) async fn files(&self) -> BTreeMap<String, String> {
        let (site, release) = (self.site, self.newest().await);
        let list = move |tx: &mut store::Tx| store::files::list(tx, site, release, "", 1_000_000);
        let rows = self.store.read(list).await.unwrap();
        let mut files = BTreeMap::new();
        for row in rows {
            let body =
                found(&self.publisher, site, release, &row.path).await.expect("a listed file is there");
            files.insert(row.path, body);
        }
        files
    }

    pub(crate) async fn newest(&self) -> i64 {
        let site = self.site;
        let newest = self.store.read(move |tx| store::releases::newest(tx, site)).await.unwrap();
        newest.map_or(0, |release| release.number)
    }
}

/// Files of the search index are shown in hexadecimal.
async fn found(publisher: &Publisher, site: SiteId, release: i64, path: &str) -> Option<String> {
    match publisher.find(site, release, path).await.unwrap()? {
        Found::Body { bytes, .. } if SearchFile::parse(path).is_some() => Some(format!("{bytes:x}")),
        Found::Body { bytes, .. } => Some(String::from_utf8(bytes.to_vec()).unwrap()),
        Found::Redirect(target) => Some(format!("→ {target}")),
    }
}

async fn a_queued_build_makes_a_release_that_goes_live(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"pages": [{"title": "Hello", "content": "Some *words*."}], "build": true})).await;
    assert_eq!(world.live().await, None);
    world.run().await;
    assert_eq!(world.live().await, Some(1));
    let page = world.get("/blog/hello").await.unwrap();
    assert!(page.contains("Some <em>words</em>."), "{page}");
    assert_eq!(world.get("/blog/hello.md").await.unwrap(), "Some *words*.");
    assert!(world.get("/blog").await.unwrap().contains("/blog/hello"));
    assert_eq!(world.get("/blog/nothing").await, None);
}

async fn a_build_ends_as_a_success_with_its_times(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Hello", "build": true})).await;
    world.run().await;
    let latest = world.publisher.latest_build(&world.caller, None).await.unwrap();
    let expected = json!({
        "id": latest.id, "status": "success", "triggeredBy": "publish", "durationMs": 0,
        "startedAt": "2026-01-02T09:00:01.000Z", "completedAt": "2026-01-02T09:00:01.000Z",
        "createdAt": "2026-01-02T09:00:00.000Z",
    });
    assert_eq!(serde_json::to_value(latest).unwrap(), expected);
    assert!(!world.publisher.run_next_build().await.unwrap(), "nothing is left to build");
}

async fn drafts_and_deleted_pages_are_not_on_the_site(database: &Database) {
    let world = World::new(database).await;
    world
        .published(json!({"pages": [
            {"title": "Seen"}, {"title": "Draft", "draft": true}, {"title": "Later deleted"},
        ]}))
        .await;
    world.rebuild().await;
    assert!(world.get("/blog/later-deleted").await.is_some());
    assert_eq!(world.get("/blog/draft").await, None);
    world.published(json!({"deleteSlugs": [{"slug": "later-deleted", "contentType": "blog"}]})).await;
    world.published(json!({"slug": "seen", "draft": true})).await;
    world.rebuild().await;
    for path in ["/blog/seen", "/blog/draft", "/blog/later-deleted", "/blog/seen.md"] {
        assert_eq!(world.get(path).await, None, "{path}");
    }
    assert!(!world.get("/blog").await.unwrap().contains("/blog/seen"));
    world.published(json!({"slug": "draft", "draft": false})).await;
    world.rebuild().await;
    assert!(world.get("/blog/draft").await.is_some());
}

async fn a_build_that_changes_nothing_publishes_nothing_new(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Hello"})).await;
    world.rebuild().await;
    world.rebuild().await;
    assert_eq!(world.newest().await, 1);
    // A hidden page changes nothing that visitors see.
    world.published(json!({"title": "Hidden", "draft": true})).await;
    world.rebuild().await;
    assert_eq!(world.newest().await, 1);
    let latest = world.publisher.latest_build(&world.caller, None).await.unwrap();
    assert_eq!(latest.status, "success");
}

async fn a_change_renders_only_what_it_touches(database: &Database) {
    let world = World::new(database).await;
    let pages: Vec<_> = (0..300)
        .map(|n| json!({"title": format!("Page {n:03}"), "contentType": "docs", "section": "guides", "content": "x"}))
        .collect();
    world.published(json!({"pages": pages})).await;
    world.rebuild().await;
    let before = rows(&world).await;
    assert!(before > 600, "{before}");
    world
        .published(json!({"slug": "page-150", "contentType": "docs", "section": "guides", "content": "y"}))
        .await;
    world.rebuild().await;
    let one_edit = rows(&world).await - before;
    assert!((2..12).contains(&one_edit), "{one_edit} files for one edit");
    assert!(world.get("/docs/guides/page-150").await.unwrap().contains("<p>y</p>"));
    assert!(world.get("/docs/guides/page-151").await.unwrap().contains("<p>x</p>"));
}

/// Rows of files, of all releases.
async fn rows(world: &World) -> usize {
    let site = world.site;
    world.store.read(move |tx| store::files::packed_files(tx, site, None, 1_000_000)).await.unwrap().len()
}

async fn queued_builds_of_a_site_end_together(database: &Database) {
    let world = World::new(database).await.without_cooldown();
    for title in ["One", "Two", "Three"] {
        world.published(json!({"title": title, "build": true})).await;
    }
    world.run().await;
    assert!(!world.publisher.run_next_build().await.unwrap(), "all of them are over");
    assert_eq!(world.newest().await, 1);
    assert!(world.get("/blog/three").await.is_some());
    assert_eq!(world.publisher.latest_build(&world.caller, None).await.unwrap().status, "success");
}

async fn a_build_of_a_dead_worker_is_run_again(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Hello", "build": true})).await;
    claim(&world, worker(7)).await;
    assert_eq!(world.publisher.latest_build(&world.caller, None).await.unwrap().status, "running");
    assert!(!world.publisher.run_next_build().await.unwrap(), "the other worker may be alive");
    // The lease, and the pause before the next attempt.
    world.clock.advance(Duration::from_secs(11));
    assert!(!world.publisher.run_next_build().await.unwrap(), "there is a pause before the next attempt");
    world.clock.advance(Duration::from_secs(1));
    world.run().await;
    assert_eq!(world.publisher.latest_build(&world.caller, None).await.unwrap().status, "success");
    assert!(world.get("/blog/hello").await.is_some());
}

/// Claims the site's builds like a worker that then does nothing.
async fn claim(world: &World, worker: Worker) {
    let (site, now) = ((world.site, world.caller.account), model::Clock::now(&*world.clock));
    let claim = move |tx: &mut store::Tx| store::building::claim(tx, site, worker, now);
    assert!(world.store.write(claim).await.unwrap().is_some());
}

async fn rows_of_an_unfinished_build_are_undone(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"pages": [{"title": "One"}, {"title": "Two"}]})).await;
    world.rebuild().await;
    let before = world.files().await;
    let site = world.site;
    world
        .store
        .write(move |tx| {
            // As after a worker that died between two steps of a large build.
            store::files::stage(tx, site, Some(2))?;
            store::files::forget_pages(tx, site, 2, &store::files::Cursor::default(), 100)?;
            store::files::close(tx, site, 2, &["/blog/one".into(), "/blog".into()])
        })
        .await
        .unwrap();
    assert_eq!(world.files().await, before, "the live release is as it was");
    world.rebuild().await;
    assert_eq!(world.newest().await, 1, "nothing has changed");
    assert_eq!(world.files().await, before);
}

/// Nested too deeply: a deep line, and many lines that it stays open for.
fn over_its_bounds() -> String {
    format!("{}\n{}", ">".repeat(40_000), "lazy\n".repeat(5_000))
}

async fn a_page_over_its_bounds_is_shown_as_its_source_with_a_warning(database: &Database) {
    let world = World::new(database).await;
    world
        .published(json!({"pages": [{"title": "Fine"}, {"title": "Deep", "content": over_its_bounds()}]}))
        .await;
    let warnings = async || {
        world.rebuild().await;
        let latest = world.publisher.latest_build(&world.caller, None).await.unwrap();
        assert_eq!(latest.status, "success");
        latest.warnings
    };
    let first = warnings().await;
    let [warning] = first.as_deref().unwrap() else { panic!("{first:?}") };
    assert_eq!(warning.url, "/blog/deep");
    assert!(warning.message.contains("line 1 nests quotes or lists too deeply"), "{}", warning.message);
    let shown = world.get("/blog/deep").await.unwrap();
    assert!(shown.contains(&"&gt;".repeat(40_000)) && !shown.contains("<blockquote"), "the source is shown");
    world.published(json!({"title": "Another"})).await;
    assert_eq!(warnings().await, first, "still reported, though the page was not rendered again");
    let id = world.page("deep").await.id.to_string();
    world.published(json!({"pages": [{"id": id, "content": "> fine"}]})).await;
    assert_eq!(warnings().await, None);
    assert!(world.get("/blog/deep").await.unwrap().contains("<blockquote"));
}

async fn references_of_a_text_over_its_bounds_are_a_field_error(database: &Database) {
    let world = World::new(database).await;
    let content = format!("![a](file:a.png)\n{}", over_its_bounds());
    let error = world.publish(json!({"title": "Deep", "content": content})).await.unwrap_err();
    let errors = crate::field_errors(error);
    let message = errors["0"]["content"].as_str().unwrap();
    assert!(message.contains("line 2 nests quotes or lists too deeply"), "{message}");
}

async fn a_moved_page_redirects_from_its_old_url(database: &Database) {
    let world = World::new(database).await;
    let id = world.create(json!({"title": "Hello"})).await;
    world.rebuild().await;
    world.published(json!({"pages": [{"id": id, "slug": "goodbye"}]})).await;
    world.rebuild().await;
    assert_eq!(world.get("/blog/hello").await.unwrap(), "→ /blog/goodbye");
    world.published(json!({"pages": [{"id": id, "contentType": "docs", "section": "guides"}]})).await;
    world.rebuild().await;
    assert_eq!(world.get("/blog/hello").await.unwrap(), "→ /docs/guides/goodbye");
    assert_eq!(world.get("/blog/goodbye").await.unwrap(), "→ /docs/guides/goodbye");
    // A live page takes precedence over a former URL.
    world.create(json!({"title": "Hello"})).await;
    world.rebuild().await;
    assert!(world.get("/blog/hello").await.unwrap().contains("<h1"));
    world
        .published(json!({"deleteSlugs": [{"slug": "goodbye", "contentType": "docs", "section": "guides"}]}))
        .await;
    world.rebuild().await;
    assert_eq!(world.get("/blog/goodbye").await, None, "the page is gone");
}

async fn settings_show_with_the_next_build(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Hello"})).await;
    world.rebuild().await;
    let site = world.publisher.site_find("books").await.unwrap();
    let set = |key: &str, value: &str| world.publisher.site_set(&site, vec![(key.into(), value.into())]);
    set("title", "The Keeper & Sons").await.unwrap();
    assert!(!world.get("/blog/hello").await.unwrap().contains("Keeper"));
    world.rebuild().await;
    assert!(world.get("/blog/hello").await.unwrap().contains("The Keeper"));
    let refused = set("colour", "red").await.unwrap_err().to_string();
    assert!(refused.contains("colour"), "{refused}");
    world.publisher.domain_add(&site, "Keeper.Example.com").await.unwrap();
    world.rebuild().await;
    assert!(world.get("/blog/hello").await.unwrap().contains("https://keeper.example.com/blog/hello"));
}

async fn the_operator_may_forbid_html_in_the_head(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Hello"})).await;
    let site = world.publisher.site_find("books").await.unwrap();
    let head = |value: &str| vec![("head".to_owned(), value.to_owned())];
    world.publisher.site_set(&site, head("<!-- mine -->")).await.unwrap();
    world.rebuild().await;
    assert!(world.get("/blog/hello").await.unwrap().contains("<!-- mine -->"));

    let settings = Settings { custom_head: false, ..settings() };
    let publisher = Publisher::new(world.store.clone(), world.blob.clone(), world.clock.clone(), settings);
    let world = World { publisher, ..world };
    let refused = world.publisher.site_set(&site, head("<!-- other -->")).await.unwrap_err().to_string();
    assert!(refused.contains("sites.custom_head"), "{refused}");
    world.rebuild().await;
    assert!(!world.get("/blog/hello").await.unwrap().contains("<!-- mine -->"));
    world.publisher.site_set(&site, head("")).await.unwrap();
}

async fn a_purged_page_is_gone_although_no_build_saw_it_deleted(database: &Database) {
    let world = World::new(database).await;
    let id = world.create(json!({"title": "Hello"})).await;
    world.create(json!({"title": "Other"})).await;
    world.rebuild().await;
    world.published(json!({"deleteSlugs": [{"slug": "hello", "contentType": "blog"}]})).await;
    let (site, page) = (world.site, model::PageId::parse(&id).unwrap());
    let now = model::Clock::now(&*world.clock);
    let purge =
        move |tx: &mut store::Tx| store::trash::purge(tx, site, store::trash::Purge::One(page), 1, now);
    assert_eq!(world.store.write(purge).await.unwrap(), 1);
    world.rebuild().await;
    assert_eq!(world.get("/blog/hello").await, None);
    assert!(!world.get("/blog").await.unwrap().contains("/blog/hello"));
    assert!(world.get("/blog/other").await.is_some());
}

/// A clock that blocks at one read of the time.
struct PausingClock {
    time: Arc<ManualClock>,
    pause: Mutex<Option<Pause>>,
}

struct Pause {
    /// How often the time is read before the read that waits.
    reads_before: usize,
    reached: oneshot::Sender<()>,
    /// Dropping the sender ends the pause.
    end: mpsc::Receiver<()>,
}

impl Clock for PausingClock {
    fn now(&self) -> Timestamp {
        let due = self.pause.lock().unwrap().take_if(|pause| {
            let left = pause.reads_before;
            pause.reads_before = left.saturating_sub(1);
            left == 0
        });
        if let Some(Pause { reached, end, .. }) = due {
            reached.send(()).unwrap();
            end.recv().unwrap_err();
        }
        self.time.now()
    }
}

/// A build reads the time when it checks for work, when it claims its site, and when it takes its snapshot.
const READS_BEFORE_SNAPSHOT: usize = 2;

async fn a_build_uses_the_texts_of_its_own_moment(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Hello", "content": "first", "build": true})).await;
    let (reached, paused) = oneshot::channel();
    let (resume, end) = mpsc::channel();
    let pause = Pause { reads_before: READS_BEFORE_SNAPSHOT, reached, end };
    let clock = PausingClock { time: world.clock.clone(), pause: Mutex::new(Some(pause)) };
    let builder = Publisher::new(world.store.clone(), world.blob.clone(), Arc::new(clock), crate::settings());
    let build = tokio::spawn(async move { builder.run_next_build().await.unwrap() });
    // The snapshot knows the ids of the texts by now, but has not read them.
    timeout(Duration::from_secs(30), paused).await.unwrap().unwrap();
    assert_eq!(world.publisher.latest_build(&world.caller, None).await.unwrap().status, "running");
    world.published(json!({"slug": "hello", "content": "second"})).await;
    assert_eq!(world.publisher.upkeep().await.unwrap().texts_swept, 0);
    drop(resume);
    assert!(build.await.unwrap());
    assert_eq!(world.publisher.latest_build(&world.caller, None).await.unwrap().status, "success");
    assert!(world.get("/blog/hello").await.unwrap().contains("first"));
    assert_eq!(world.publisher.upkeep().await.unwrap().texts_swept, 1, "no build needs it any more");
    world.rebuild().await;
    assert!(world.get("/blog/hello").await.unwrap().contains("second"));
}

async fn texts_replaced_during_the_build_of_a_dead_worker_are_swept_after_its_lease(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Hello", "content": "first"})).await;
    world.rebuild().await;
    let site = world.publisher.site_find("books").await.unwrap();
    world.publisher.site_build(&site).await.unwrap();
    claim(&world, worker(7)).await;
    world.published(json!({"slug": "hello", "content": "second"})).await;
    assert_eq!(world.publisher.upkeep().await.unwrap().texts_swept, 0);
    world.clock.advance(Duration::from_secs(12));
    assert!(!world.publisher.run_next_build().await.unwrap());
    assert_eq!(world.publisher.upkeep().await.unwrap().texts_swept, 1, "the worker died");
    world.clock.advance(Duration::from_secs(1));
    world.run().await;
    assert!(world.get("/blog/hello").await.unwrap().contains("second"));
}

async fn a_deleted_site_is_not_built(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"title": "Hello", "build": true})).await;
    world.run().await;
    let site = world.publisher.site_find("books").await.unwrap();
    world.publisher.site_build(&site).await.unwrap();
    world.publisher.site_delete(&site).await.unwrap();
    assert_eq!(world.publisher.hosted_site("books.localhost").await.unwrap(), None);
    assert!(!world.publisher.run_next_build().await.unwrap());
    // Its packs are deleted, objects and all.
    world.clock.advance(Duration::from_secs(2 * 3600));
    assert!(world.publisher.tidy_releases().await.unwrap().packs_deleted >= 1);
}
