//! A page while it is written, as its writer sees it.

use std::time::Duration;

use model::{Email, Role, Secret};
use publisher::Typed;
use serde_json::{Value, json};
use testing::Database;
use uuid::Uuid;

use crate::builds::publish;
use crate::server_under_test::{Server, start};
use crate::visitor::Ask;

testing::on_each_configuration!(
    a_preview_shows_what_is_typed_as_the_site_would,
    a_preview_before_the_first_build_has_its_style,
    a_preview_is_in_a_sandbox,
    a_preview_is_found_by_its_secret_only_and_for_an_hour,
);

/// Types something; the path of its preview.
async fn typed(server: &Server, fields: Value) -> String {
    let email = Email::parse(&format!("{}@example.com", Uuid::new_v4())).unwrap();
    let made = server.publisher.user_create(email, server.account, Role::Writer, false).await.unwrap();
    let preview = Secret::generate().unwrap();
    let path = format!("/.preview/{}", preview.as_str());
    let fields = fields.to_string();
    let typed = Typed { form: Uuid::new_v4(), version: 0, revision: 1, seen: 0, fields, preview };
    server.publisher.autosave(&server.acme, made.user, typed).await.unwrap();
    path
}

async fn a_preview_shows_what_is_typed_as_the_site_would(database: &Database) {
    let server = start(database).await;
    publish(
        &server,
        json!({"pages": [{"title": "About us", "contentType": "standalone", "params": {"nav": true}}]}),
    )
    .await;
    let fields = json!({"title": "Typed <now>", "content_type": "docs", "section": "Guides", "tags": "one, two",
        "content": "Some **bold** words.", "description": "What it is about",
        "slug": "Not a slug", "published_at": "never", "params": "{"});
    let preview = server.get(&typed(&server, fields).await).await;
    assert_eq!(preview.status, 200, "{preview:?}");
    let html = preview.text();
    for part in ["Some <strong>bold</strong> words.", "Typed &lt;now&gt;", "About us"] {
        assert!(
            html.contains(part) || html.contains(&part.replace("&lt;", "&#60;").replace("&gt;", "&#62;")),
            "{part}: {html}"
        );
    }
    assert_eq!(server.get("/docs/guides/typed-now").await.status, 404, "nothing is published");
}

async fn a_preview_before_the_first_build_has_its_style(database: &Database) {
    let server = start(database).await;
    let preview = server.get(&typed(&server, json!({"content": "words"})).await).await;
    assert_eq!(preview.status, 200);
    assert!(preview.text().contains("<style>") && !preview.text().contains("rel=\"stylesheet\""));
}

async fn a_preview_is_in_a_sandbox(database: &Database) {
    let server = start(database).await;
    publish(&server, json!({"pages": [{"title": "Home"}]})).await;
    let preview = server.get(&typed(&server, json!({"content": "words"})).await).await;
    let policy = preview.header("content-security-policy").unwrap();
    assert!(policy.starts_with("sandbox; default-src 'none'") && !policy.contains("script-src"), "{policy}");
    assert_eq!(
        (preview.header("x-frame-options"), preview.header("cache-control")),
        (None, Some("no-store"))
    );
    let font = preview.text().split("/assets/fonts/").nth(1).unwrap().split(['"', ')']).next().unwrap();
    let font = server.get(&format!("/assets/fonts/{font}")).await;
    assert_eq!((font.status, font.header("access-control-allow-origin")), (200, Some("*")));
}

async fn a_preview_is_found_by_its_secret_only_and_for_an_hour(database: &Database) {
    let server = start(database).await;
    server.site("other").await;
    let path = typed(&server, json!({"content": "secret words"})).await;
    for wrong in ["/.preview/", "/.preview/x", &format!("/.preview/{}", "0".repeat(64))] {
        assert_eq!(server.get(wrong).await.status, 404, "{wrong}");
    }
    assert_eq!(server.ask(Ask::get(&path).host("other.localhost:8081")).await.status, 404);
    assert_eq!(server.get(&path).await.status, 200);
    server.clock.advance(Duration::from_secs(3601));
    assert_eq!(server.get(&path).await.status, 404);
}
