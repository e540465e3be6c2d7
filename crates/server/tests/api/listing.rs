//! `GET /pages`.

use serde_json::{Value, json};
use testing::Database;

use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    a_site_without_pages_lists_none,
    the_newest_update_comes_first,
    pages_of_one_moment_come_by_id,
    the_content_type_filters,
    the_site_is_chosen,
    a_limit_cuts_and_the_cursor_continues,
    a_walk_by_cursor_is_the_whole_list,
    a_walk_by_cursor_keeps_the_filter,
    a_cursor_alone_continues,
    the_whole_list_has_no_next_cursor,
    a_limit_is_a_number_from_1_to_1000,
    a_cursor_must_come_from_an_earlier_response,
    timestamps_have_three_decimals,
);

async fn a_site_without_pages_lists_none(database: &Database) {
    let app = spawn_app(database).await;
    app.client.get("/pages").await.is(200, json!({"pages": []}));
    app.client.get("/pages?limit=1").await.is(200, json!({"pages": [], "nextCursor": null}));
    app.client.get("/pages?contentType=docs").await.is(200, json!({"pages": []}));
}

fn slugs(pages: &Value) -> Vec<&str> {
    pages.as_array().unwrap().iter().map(|page| page["slug"].as_str().unwrap()).collect()
}

async fn the_newest_update_comes_first(database: &Database) {
    let app = spawn_app(database).await;
    for slug in ["a", "b", "c"] {
        app.client.page(json!({"slug": slug, "title": slug, "publishedAt": "2020-01-01"})).await;
    }
    assert_eq!(slugs(&app.client.list().await), ["c", "b", "a"]);
    app.client.page(json!({"slug": "a", "publishedAt": "2019-01-01"})).await;
    assert_eq!(slugs(&app.client.list().await), ["a", "c", "b"]);
    app.client.delete("/pages/c?contentType=blog").await;
    assert_eq!(slugs(&app.client.list().await), ["a", "b"]);
}

async fn pages_of_one_moment_come_by_id(database: &Database) {
    let app = spawn_app(database).await;
    let pages: Vec<Value> = (0..50).map(|number| json!({"title": format!("Page {number}")})).collect();
    app.client.pages(json!(pages)).await;
    app.client.page(json!({"slug": "page-7", "draft": true})).await;
    let listed = app.client.list().await;
    let ids: Vec<&str> = listed.as_array().unwrap().iter().map(|page| page["id"].as_str().unwrap()).collect();
    assert_eq!(listed[0]["slug"], "page-7");
    assert!(ids[1..].is_sorted(), "{ids:?}");
}

async fn the_content_type_filters(database: &Database) {
    let app = spawn_app(database).await;
    for place in ["blog//a", "docs//b", "docs/s/c", "homepage//d", "standalone//e"] {
        app.client.page_at(place).await;
    }
    let expected: [(&str, &[&str]); 4] =
        [("blog", &["a"]), ("docs", &["c", "b"]), ("homepage", &["d"]), ("standalone", &["e"])];
    for (content_type, expected) in expected {
        let answer = app.client.get(&format!("/pages?contentType={content_type}")).await;
        assert_eq!(slugs(&answer.body["pages"]), expected);
    }
    for wrong in ["", "Blog", "news", "blog,docs", "%00"] {
        app.client.get(&format!("/pages?contentType={wrong}")).await.is_failure(400);
    }
}

async fn the_site_is_chosen(database: &Database) {
    let app = spawn_app(database).await;
    let second = app.site("second").await;
    app.client.page_at("blog//first").await;
    app.client.post("/pages", json!({"siteId": second, "pages": [{"title": "Second"}]})).await;
    let check = async |query: &str, expected: &[&str]| {
        let answer = app.client.get(&format!("/pages{query}")).await;
        assert_eq!(slugs(&answer.body["pages"]), expected, "{query}");
    };
    check("", &["first"]).await;
    check(&format!("?siteId={}", app.acme.site), &["first"]).await;
    check(&format!("?siteId={second}"), &["second"]).await;
    check(&format!("?siteId={}&contentType=blog", second.to_uppercase()), &["second"]).await;
    for wrong in ["", "x", "1", "%00", "00000000"] {
        app.client.get(&format!("/pages?siteId={wrong}")).await.is_failure(400);
    }
}

/// Seven pages with four update times, three of them at the same time.
async fn seven_pages(app: &App<'_>) {
    app.client.page_at("docs//a").await;
    app.client.page_at("blog//b").await;
    let at_once = json!([{"title": "C"}, {"title": "D", "contentType": "docs"}, {"title": "E"}]);
    app.client.pages(at_once).await;
    app.client.pages(json!([{"title": "F"}, {"title": "G", "contentType": "docs"}])).await;
}

async fn a_limit_cuts_and_the_cursor_continues(database: &Database) {
    let app = spawn_app(database).await;
    seven_pages(&app).await;
    let all = app.client.list().await;
    let first = app.client.get("/pages?limit=3").await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    first.is(200, json!({"pages": all.as_array().unwrap()[..3], "nextCursor": cursor}));
    let rest = app.client.get(&format!("/pages?limit=4&cursor={cursor}")).await;
    rest.is(200, json!({"pages": all.as_array().unwrap()[3..], "nextCursor": null}));
    // A limit of exactly the number of pages returns the last part.
    app.client.get("/pages?limit=7").await.is(200, json!({"pages": all, "nextCursor": null}));
    app.client.get("/pages?limit=1000").await.is(200, json!({"pages": all, "nextCursor": null}));
}

/// The pages of all parts.
async fn walk(app: &App<'_>, query: &str) -> Value {
    let mut pages = Vec::new();
    let mut cursor = String::new();
    loop {
        let mut answer = app.client.get(&format!("/pages?{query}{cursor}")).await;
        let keys: Vec<&String> = answer.body.as_object().unwrap().keys().collect();
        assert_eq!((answer.status, keys.len()), (200, 2), "{answer:?}");
        pages.append(answer.body["pages"].as_array_mut().unwrap());
        match &answer.body["nextCursor"] {
            Value::String(next) => cursor = format!("&cursor={next}"),
            end => {
                assert_eq!(end, &Value::Null);
                return json!(pages);
            }
        }
    }
}

async fn a_walk_by_cursor_is_the_whole_list(database: &Database) {
    let app = spawn_app(database).await;
    seven_pages(&app).await;
    let all = app.client.list().await;
    for limit in 1..=8 {
        assert_eq!(walk(&app, &format!("limit={limit}")).await, all, "{limit}");
    }
}

async fn a_walk_by_cursor_keeps_the_filter(database: &Database) {
    let app = spawn_app(database).await;
    seven_pages(&app).await;
    for content_type in ["blog", "docs", "homepage"] {
        let all = app.client.get(&format!("/pages?contentType={content_type}")).await;
        for limit in 1..=4 {
            let walked = walk(&app, &format!("contentType={content_type}&limit={limit}")).await;
            assert_eq!(walked, all.body["pages"]);
        }
    }
}

async fn a_cursor_alone_continues(database: &Database) {
    let app = spawn_app(database).await;
    seven_pages(&app).await;
    let all = app.client.list().await;
    let first = app.client.get("/pages?limit=2").await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let rest = app.client.get(&format!("/pages?cursor={cursor}")).await;
    rest.is(200, json!({"pages": all.as_array().unwrap()[2..], "nextCursor": null}));
}

async fn the_whole_list_has_no_next_cursor(database: &Database) {
    let app = spawn_app(database).await;
    let pages: Vec<Value> = (0..1200).map(|number| json!({"title": format!("Page {number}")})).collect();
    app.client.pages(json!(pages)).await;
    let answer = app.client.get("/pages").await;
    assert_eq!(answer.body["pages"].as_array().unwrap().len(), 1200);
    assert_eq!(answer.body.get("nextCursor"), None);
    assert_eq!(walk(&app, "limit=1000").await, answer.body["pages"]);
}

async fn a_limit_is_a_number_from_1_to_1000(database: &Database) {
    let app = spawn_app(database).await;
    for limit in ["1", "1000"] {
        assert_eq!(app.client.get(&format!("/pages?limit={limit}")).await.status, 200);
    }
    for limit in ["", "0", "1001", "-1", "1.5", "ten", "99999999999999999999", "1e2", "0x10", "%201", "1%00"]
    {
        app.client.get(&format!("/pages?limit={limit}")).await.is_failure(400);
    }
}

async fn a_cursor_must_come_from_an_earlier_response(database: &Database) {
    let app = spawn_app(database).await;
    for cursor in ["", "x", "0", "%00", "%FF", "1.2.3", "null", "00000000-0000-4000-8000-000000000000"] {
        app.client.get(&format!("/pages?cursor={cursor}")).await.is_failure(400);
    }
}

async fn timestamps_have_three_decimals(database: &Database) {
    let app = spawn_app(database).await;
    for micros in [0, 1, 999, 1_000, 321_999] {
        app.advance(std::time::Duration::from_micros(micros));
        let page = app.client.page(json!({"title": "A"})).await;
        let listed = app.client.listed(&page).await;
        for text in [&page["createdAt"], &page["updatedAt"], &listed["publishedAt"], &listed["updatedAt"]] {
            let text = text.as_str().unwrap();
            let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{text}");
        }
    }
}
