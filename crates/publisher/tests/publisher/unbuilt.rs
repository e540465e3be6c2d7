//! A page before the first build is the page after it.

use model::{ApiEndpoint, Clock, Section, Timestamp};
use publisher::{PreviewPage, SiteSettings, UnbuiltSite};
use serde_json::json;
use testing::Database;

use crate::{World, key};

testing::on_both_databases!(a_page_is_the_same_before_and_after_the_first_build);

/// Published on different days: of those with one date, the order is that of their ids.
fn page(day: u8, at: &str, title: &str, content: &str) -> PreviewPage {
    let key = key(at);
    PreviewPage {
        section_spelling: (key.section == Section::parse("guides").unwrap()).then(|| "Guides".to_owned()),
        key,
        title: title.to_owned(),
        description: None,
        tags: vec!["Red".to_owned()],
        published_at: Timestamp::parse_iso(&format!("2026-01-0{day}")).ok(),
        api_endpoint: (title == "List").then(|| ApiEndpoint::parse("GET /users").unwrap().unwrap()),
        params: r#"{"weight":3}"#.to_owned(),
        content: content.to_owned(),
    }
}

async fn a_page_is_the_same_before_and_after_the_first_build(database: &Database) {
    let world = World::new(database).await;
    let text = "## One\n\nSome *words*, and a [link](/docs/guides/list).\n\n```rust\nfn main() {}\n```\n";
    let pages = vec![
        page(1, "docs/guides/intro", "Intro", text),
        page(1, "docs/guides/list", "List", "Users."),
        page(1, "docs//start", "Start", text),
        page(1, "blog//hello", "Hello", text),
        page(2, "blog/guides/other", "Other", ""),
        page(1, "standalone//about", "About", text),
    ];
    let entry = |page: &PreviewPage| {
        json!({
            "slug": page.key.slug.as_str(), "contentType": page.key.content_type.as_str(),
            "section": page.section_spelling, "title": page.title, "tags": page.tags, "content": page.content,
            "apiEndpoint": page.api_endpoint.as_ref().map(ApiEndpoint::as_str), "params": {"weight": 3},
            "publishedAt": page.published_at.map(|at| at.to_string()),
        })
    };
    let (paths, now): (Vec<String>, _) =
        (pages.iter().map(|page| page.key.path()).collect(), world.clock.now());
    let body = json!({ "pages": pages.iter().map(entry).collect::<Vec<_>>() });
    let unbuilt =
        UnbuiltSite::new("http://books.localhost:8081", "books", SiteSettings::default(), pages, now);
    world.published(body).await;
    world.rebuild().await;
    for path in &paths {
        let before = unbuilt.file(path).unwrap_or_else(|| panic!("{path} is shown"));
        assert_eq!(String::from_utf8_lossy(&before), world.get(path).await.unwrap(), "{path}");
    }
    let page = world.get("/blog/hello").await.unwrap();
    let style =
        page.split("href=\"").find_map(|rest| rest.split('"').next().filter(|href| href.ends_with(".css")));
    assert!(unbuilt.file(style.expect("the page has a style sheet")).is_some());
    // These show the beginnings of texts, or do not exist.
    for path in ["/", "/blog", "/feed.xml", "/search", "/missing"] {
        assert_eq!(unbuilt.file(path), None, "{path}");
    }
}
