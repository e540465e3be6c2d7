//! A folder that is being edited, as `recto dev` shows it: before its first build, and after it.

use std::net::Ipv4Addr;
use std::sync::Arc;

use model::{Clock, ContentType, PageKey, Section, Slug};
use publisher::{PreviewPage, SiteSettings, UnbuiltSite};
use serde_json::json;
use server::{ListenLimits, Preview, PreviewState};
use testing::Database;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::builds::publish;
use crate::server_under_test::start;
use crate::visitor::Ask;

testing::on_both_databases!(a_page_is_shown_before_the_first_build);

async fn a_page_is_shown_before_the_first_build(database: &Database) {
    let server = start(database).await;
    let page = PreviewPage {
        key: PageKey {
            content_type: ContentType::Docs,
            section: Section::none(),
            slug: Slug::parse("install").unwrap(),
        },
        section_spelling: None,
        title: "Install".to_owned(),
        description: None,
        tags: vec![],
        published_at: None,
        api_endpoint: None,
        params: "{}".to_owned(),
        content: "Some *words*.".to_owned(),
    };
    let origin = server.publisher.settings().deploy_url(&server.acme.name);
    let unbuilt = UnbuiltSite::new(&origin, "acme", SiteSettings::default(), vec![page], server.clock.now());
    let (state, states) =
        watch::channel(PreviewState { unbuilt: Some(Arc::new(unbuilt)), ..PreviewState::default() });
    let preview = Preview::new(server.sites.clone(), "acme.localhost:8081".parse().unwrap(), states);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve(listener, preview, ListenLimits::default(), CancellationToken::new()));
    let get = async |path: &str| Ask::get(path).send(address).await;

    let before = get("/docs/install").await;
    assert_eq!(before.status, 200, "{before:?}");
    let before = before.text();
    assert!(
        before.contains("Some <em>words</em>.") && before.contains("<script data-version=\"0\">"),
        "{before}"
    );
    let style = before.split('"').find(|part| part.ends_with(".css")).expect("it has a style sheet");
    assert_eq!(get(style).await.status, 200);
    for path in ["/", "/docs", "/feed.xml", "/search?q=words", "/docs/missing"] {
        let soon = get(path).await;
        assert_eq!(soon.status, 503, "{path}: only a build can make it");
        assert!(soon.text().contains("after its first build"), "{path}");
    }

    let page = json!({"title": "Install", "contentType": "docs", "content": "Some *words*."});
    publish(&server, json!({"pages": [page]})).await;
    state.send_modify(|state| (state.version, state.unbuilt) = (1, None));
    let after = get("/docs/install").await;
    assert_eq!(before.replace("data-version=\"0\"", "data-version=\"1\""), after.text());
    assert_eq!(get("/docs/missing").await.status, 404);
}
