//! Missing pages.

use testing::Database;

use crate::server_under_test::{Options, start, start_with};
use crate::visitor::Ask;

testing::on_each_configuration!(
    a_missing_page_is_the_sites_own_404,
    a_site_without_such_a_page_has_a_plain_one,
    a_missing_page_has_no_tag_and_no_ranges,
    a_missing_page_appears_with_the_next_release,
    requests_for_missing_paths_do_not_evict_pages,
    media_is_not_there_yet,
);

async fn a_missing_page_is_the_sites_own_404(database: &Database) {
    let server = start(database).await;
    let own = format!("<h1>Lost</h1>{}", " and lost".repeat(200));
    server.release(&[("/", "home"), ("/404.html", &own)]).await;
    for path in ["/nothing", "/blog/nothing", "/..", "/.hidden", "/404.html"] {
        let answer = server.get(path).await;
        assert_eq!(answer.status_and_body(), (404, own.as_str()), "{path}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(answer.header("cache-control"), Some("public, max-age=0, must-revalidate"));
        assert_eq!(answer.release(), 1);
        let packed = server.ask(Ask::get(path).accept("gzip")).await;
        assert_eq!((packed.status, packed.header("content-encoding")), (404, Some("gzip")), "{path}");
    }
}

async fn a_site_without_such_a_page_has_a_plain_one(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "home")]).await;
    let answer = server.get("/nothing").await;
    assert_eq!((answer.status, answer.release()), (404, 1));
    assert!(answer.text().contains("Page not found"), "{answer:?}");
}

async fn a_missing_page_has_no_tag_and_no_ranges(database: &Database) {
    let server = start(database).await;
    server.release(&[("/404.html", "missing")]).await;
    let ask = Ask::get("/nothing").header("if-none-match", "*").header("range", "bytes=0-1");
    let answer = server.ask(ask).await;
    assert_eq!(answer.status_and_body(), (404, "missing"));
    assert_eq!((answer.header("etag"), answer.header("accept-ranges")), (None, None));
}

async fn a_missing_page_appears_with_the_next_release(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "home")]).await;
    assert_eq!(server.get("/new").await.status, 404);
    server.release(&[("/", "home"), ("/new", "new")]).await;
    assert_eq!(server.get("/new").await.status_and_body(), (200, "new"));
    server.release(&[("/", "home")]).await;
    assert_eq!(server.get("/new").await.status, 404);
}

/// Checked without the database, which is only needed for pages that are not in the cache.
async fn requests_for_missing_paths_do_not_evict_pages(database: &Database) {
    let server = start_with(database, Options { cache_bytes: 1 << 20, ..Options::default() }).await;
    let page = "page ".repeat(2000);
    server.release(&[("/a", page.as_str())]).await;
    assert_eq!(server.get("/a").await.status, 200);
    for number in 0..500 {
        assert_eq!(server.get(&format!("/made-up-{number}/{}", "x".repeat(1500))).await.status, 404);
    }
    database.execute("DELETE FROM release_files");
    assert_eq!(server.get("/a").await.status_and_body(), (200, page.as_str()));
}

async fn media_is_not_there_yet(database: &Database) {
    let server = start(database).await;
    server.release(&[("/404.html", "missing")]).await;
    assert_eq!(server.get("/media/0123456789ab/a.png").await.status_and_body(), (404, "missing"));
}
