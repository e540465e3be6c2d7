//! Releases: rollback, deletion, merging of packs, export.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use testing::Database;

use crate::World;

testing::on_both_databases!(
    a_rollback_lasts_until_a_build_is_requested,
    old_releases_are_forgotten_and_their_bytes_reclaimed,
    many_small_packs_become_one,
    an_export_is_what_visitors_get,
    the_base_of_a_build_is_the_newest_release_not_the_live_one,
);

async fn built(world: &World, text: &str) {
    world.published(json!({"title": "Hello", "content": text})).await;
    world.rebuild().await;
}

async fn a_rollback_lasts_until_a_build_is_requested(database: &Database) {
    let world = World::new(database).await;
    built(&world, "first").await;
    built(&world, "second").await;
    let site = world.publisher.site_find("books").await.unwrap();
    assert_eq!(world.publisher.rollback(&site, None).await.unwrap(), 1);
    assert!(world.get("/blog/hello").await.unwrap().contains("first"));
    let releases = world.publisher.release_list(&site).await.unwrap();
    let shown: Vec<_> = releases.iter().map(|info| (info.release.number, info.live)).collect();
    assert_eq!(shown, [(2, false), (1, true)]);
    assert!(world.publisher.rollback(&site, None).await.is_err(), "there is none before the first");
    assert!(world.publisher.rollback(&site, Some(9)).await.is_err());

    // A page becomes due: the build creates a release, which does not replace the rollback.
    world.published(json!({"title": "Later", "publishedAt": "2026-01-02T09:05:00Z"})).await;
    world.clock.advance(Duration::from_secs(600));
    assert_eq!(world.publisher.queue_due(model::Timestamp::MIN).await.unwrap(), 1);
    world.run().await;
    assert_eq!((world.live().await, world.newest().await), (Some(1), 3));

    world.rebuild().await;
    assert_eq!(world.live().await, Some(3), "requested: the newest goes live, although nothing changed");
    assert!(world.get("/blog/later").await.is_some());
}

async fn the_base_of_a_build_is_the_newest_release_not_the_live_one(database: &Database) {
    let world = World::new(database).await;
    built(&world, "first").await;
    built(&world, "second").await;
    let site = world.publisher.site_find("books").await.unwrap();
    world.publisher.rollback(&site, None).await.unwrap();
    world.published(json!({"title": "Another"})).await;
    world.rebuild().await;
    assert_eq!(world.live().await, Some(3));
    assert!(world.get("/blog/hello").await.unwrap().contains("second"));
    assert!(world.get("/blog/another").await.is_some());
}

async fn old_releases_are_forgotten_and_their_bytes_reclaimed(database: &Database) {
    let world = World::new(database).await;
    for round in 1..=6 {
        built(&world, &format!("round {round}")).await;
    }
    let before = world.files().await;
    let tidied = world.publisher.tidy_releases().await.unwrap();
    assert_eq!(tidied.releases, 3, "three of six are kept");
    assert!(tidied.files > 0);
    let site = world.publisher.site_find("books").await.unwrap();
    let kept: Vec<i64> =
        world.publisher.release_list(&site).await.unwrap().iter().map(|info| info.release.number).collect();
    assert_eq!(kept, [6, 5, 4]);
    assert_eq!(world.files().await, before);
    world.publisher.rollback(&site, Some(4)).await.unwrap();
    assert!(world.get("/blog/hello").await.unwrap().contains("round 4"));
    // The live release is kept, however old it is.
    for round in 7..=12 {
        world
            .published(
                json!({"title": "Hello", "content": format!("round {round}"), "publishedAt": "2025-01-01"}),
            )
            .await;
        world.rebuild().await;
    }
    world.publisher.rollback(&site, Some(10)).await.unwrap();
    world.publisher.tidy_releases().await.unwrap();
    assert!(world.get("/blog/hello").await.unwrap().contains("round 10"));
}

async fn many_small_packs_become_one(database: &Database) {
    let world = World::new(database).await;
    for round in 0..70 {
        world.published(json!({"title": format!("Page {round}")})).await;
        world.rebuild().await;
    }
    let before = world.files().await;
    let packs = |world: &World| {
        let (store, site) = (world.store.clone(), world.site);
        async move { store.read(move |tx| store::packs::live(tx, site)).await.unwrap().len() }
    };
    assert_eq!(packs(&world).await, 70);
    let tidied = world.publisher.tidy_releases().await.unwrap();
    assert!(tidied.packs_joined > 0, "{tidied:?}");
    assert!(packs(&world).await < 5, "{} packs", packs(&world).await);
    assert_eq!(world.files().await, before);
    world.clock.advance(Duration::from_secs(2 * 3600));
    assert!(world.publisher.tidy_releases().await.unwrap().packs_deleted >= 60);
    assert_eq!(world.files().await, before, "nothing in use was deleted");
    built(&world, "after all").await;
    assert!(world.get("/blog/hello").await.unwrap().contains("after all"));
}

async fn an_export_is_what_visitors_get(database: &Database) {
    let world = World::new(database).await;
    let id = world.create(json!({"title": "Old name", "contentType": "docs", "section": "guides"})).await;
    world
        .published(json!({"pages": [{"title": "Hello", "content": "A *text*."}, {"title": "About", "contentType": "standalone"}]}))
        .await;
    world.rebuild().await;
    world.published(json!({"pages": [{"id": id, "slug": "new-name"}]})).await;
    world.rebuild().await;
    let directory = tempfile::tempdir().unwrap();
    let site = world.publisher.site_find("books").await.unwrap();
    let exported = world.publisher.export(&site, None, directory.path(), |_| {}).await.unwrap();
    assert_eq!((exported.release, exported.redirects > 0), (2, true));
    let read = |path: &str| std::fs::read_to_string(directory.path().join(path)).unwrap();
    for (path, file) in [
        ("/", "index.html"),
        ("/blog/hello", "blog/hello/index.html"),
        ("/docs/guides/new-name", "docs/guides/new-name/index.html"),
        ("/blog/hello.md", "blog/hello.md"),
        ("/sitemap.xml", "sitemap.xml"),
        ("/feed.xml", "feed.xml"),
        ("/404.html", "404.html"),
    ] {
        assert_eq!(Some(read(file)), world.get(path).await, "{path}");
    }
    assert!(read("rss.xml").contains("&lt;em&gt;text&lt;/em&gt;"));
    assert!(read("_redirects").lines().any(|line| line == "/docs/guides/old-name /docs/guides/new-name 301"));
    assert!(read("docs/guides/old-name/index.html").contains("url=/docs/guides/new-name"));
    let hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    assert!(!std::fs::read_dir(directory.path()).unwrap().any(|entry| hidden(&entry.unwrap().path())));
    assert!(world.publisher.export(&site, Some(77), directory.path(), |_| {}).await.is_err());
}
