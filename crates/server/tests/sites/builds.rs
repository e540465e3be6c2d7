//! From publishing a page to a visitor's response, with real builds.

use publisher::Draft;
use serde_json::{Value, json};
use testing::Database;

use crate::server_under_test::{Server, start};
use crate::visitor::Ask;

testing::on_each_configuration!(
    a_published_page_is_served_after_its_build,
    a_deleted_page_is_gone_after_its_build,
    a_moved_page_is_found_at_both_addresses,
);

/// Publishes, and builds until nothing is queued.
pub async fn publish(server: &Server, body: Value) {
    let caller = server.publisher.authenticate(&server.token).await.unwrap();
    let mut draft = Draft::new(&server.publisher, &caller);
    draft.begin_batch();
    for page in body["pages"].as_array().into_iter().flatten() {
        draft.page(&page.to_string()).await.unwrap();
    }
    for delete in body["deleteSlugs"].as_array().into_iter().flatten() {
        draft.delete(&delete.to_string()).unwrap();
    }
    draft.member("build", "true").unwrap();
    draft.publish(&caller).await.unwrap();
    while server.publisher.run_next_build().await.unwrap() {}
    server.clock.advance(std::time::Duration::from_secs(1));
}

async fn a_published_page_is_served_after_its_build(database: &Database) {
    let server = start(database).await;
    publish(&server, json!({"pages": [{"title": "Hello", "content": "A *first* page."}]})).await;
    let page = server.get("/blog/hello").await;
    assert_eq!((page.status, page.release()), (200, 1));
    assert!(page.text().contains("<em>first</em>"), "{}", page.text());
    assert!(server.get("/blog").await.text().contains("Hello"));
    assert_eq!(
        server.get("/blog/hello.md").await.header("content-type"),
        Some("text/markdown; charset=utf-8")
    );
    let missing = server.get("/nothing").await;
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("</html>"));
    let style = page.text().split("/assets/site.").nth(1).expect("a style sheet").split('"').next().unwrap();
    let style = server.ask(Ask::get(&format!("/assets/site.{style}")).accept("br")).await;
    assert_eq!((style.status, style.header("content-encoding")), (200, Some("br")));
    assert_eq!(style.header("cache-control"), Some("public, max-age=31536000, immutable"));

    publish(&server, json!({"pages": [{"title": "Hello", "content": "Another text."}]})).await;
    let page = server.get("/blog/hello").await;
    assert!(page.text().contains("Another text.") && page.release() == 2, "{}", page.text());
}

async fn a_deleted_page_is_gone_after_its_build(database: &Database) {
    let server = start(database).await;
    publish(&server, json!({"pages": [{"title": "Hello"}, {"title": "Other"}]})).await;
    assert_eq!(server.get("/blog/hello").await.status, 200);
    publish(&server, json!({"deleteSlugs": [{"slug": "hello", "contentType": "blog"}]})).await;
    assert_eq!(server.get("/blog/hello").await.status, 404);
    assert_eq!(server.get("/blog/hello.md").await.status, 404);
    assert!(!server.get("/blog").await.text().contains("Hello"));
    assert_eq!(server.get("/blog/other").await.status, 200);
}

async fn a_moved_page_is_found_at_both_addresses(database: &Database) {
    let server = start(database).await;
    publish(&server, json!({"pages": [{"title": "Hello", "slug": "old"}]})).await;
    let site = server.acme.id;
    let first = move |tx: &mut store::Tx| store::pages::by_slugs(tx, site, std::iter::once("old"));
    let id = server.releases.store.read(first).await.unwrap()[0].id;
    publish(&server, json!({"pages": [{"id": id, "slug": "new"}]})).await;
    assert_eq!(server.get("/blog/old?a=b").await.location(), (301, "/blog/new?a=b"));
    assert_eq!(server.get("/blog/new").await.status, 200);
}
