//! Search on sites, from publishing a page to the results that a visitor gets.

use serde_json::{Value, json};
use testing::Database;

use crate::builds::publish;
use crate::server_under_test::{Server, start};
use crate::visitor::Ask;

testing::on_each_configuration!(
    a_page_is_found_after_its_build,
    hidden_pages_are_not_found,
    after_a_rollback_the_former_release_is_searched,
    a_result_leads_to_the_best_heading,
    the_total_does_not_depend_on_the_limit,
    a_query_that_cannot_be_answered_is_explained,
    the_page_of_the_search_shows_the_results,
    a_protected_site_is_not_searched_without_its_password,
    the_files_of_the_index_are_not_served,
);

async fn search(server: &Server, query: &str) -> Value {
    let answer = server.get(&format!("/search.json?q={query}")).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")), "{answer:?}");
    serde_json::from_str(answer.text()).unwrap()
}

async fn urls(server: &Server, query: &str) -> Vec<String> {
    let found = search(server, query).await;
    let results = found["results"].as_array().unwrap();
    assert_eq!(found["total"], results.len());
    results.iter().map(|result| result["url"].as_str().unwrap().to_owned()).collect()
}

async fn a_page_is_found_after_its_build(database: &Database) {
    let server = start(database).await;
    publish(
        &server,
        json!({"pages": [
            {"title": "Lamps", "content": "A lamp for every harbour.", "section": "craft"},
            {"title": "Tides", "content": "The harbour at night. 港の夜は静かです。"},
        ]}),
    )
    .await;
    assert_eq!(
        search(&server, "LAMP").await,
        json!({"query": "LAMP", "total": 1, "results": [{
            "url": "/blog/craft/lamps", "title": "Lamps", "section": "craft", "excerpt": "A lamp for every harbour.",
        }]})
    );
    assert_eq!(urls(&server, "night+harbour").await, ["/blog/tides"]);
    assert_eq!(urls(&server, "harb").await.len(), 2);
    assert_eq!(urls(&server, "%E6%B8%AF%E3%81%AE").await, ["/blog/tides"]);
    assert_eq!(urls(&server, "harbuor").await.len(), 2);
    assert_eq!(urls(&server, "moon").await, [""; 0]);
    assert_eq!(search(&server, "").await, json!({"query": "", "total": 0, "results": []}));

    publish(&server, json!({"pages": [{"title": "Tides", "content": "The moon does it."}]})).await;
    assert_eq!(urls(&server, "moon").await, ["/blog/tides"]);
    assert_eq!(urls(&server, "night").await, [""; 0]);
    publish(&server, json!({"deleteSlugs": [{"slug": "tides", "contentType": "blog"}]})).await;
    assert_eq!(urls(&server, "moon").await, [""; 0]);
}

async fn hidden_pages_are_not_found(database: &Database) {
    let server = start(database).await;
    publish(
        &server,
        json!({"pages": [
            {"title": "Draft", "content": "lantern", "draft": true},
            {"title": "Future", "content": "lantern", "publishedAt": "2199-01-01"},
            {"title": "Secret", "content": "lantern", "params": {"noindex": true}},
            {"title": "Shown", "content": "lantern"},
        ]}),
    )
    .await;
    assert_eq!(urls(&server, "lantern").await, ["/blog/shown"]);
}

async fn after_a_rollback_the_former_release_is_searched(database: &Database) {
    let server = start(database).await;
    publish(&server, json!({"pages": [{"title": "A", "content": "first"}]})).await;
    publish(&server, json!({"pages": [{"title": "A", "content": "second"}]})).await;
    assert_eq!(urls(&server, "second").await, ["/blog/a"]);
    server.publisher.rollback(&server.acme, None).await.unwrap();
    assert_eq!(urls(&server, "first").await, ["/blog/a"]);
    assert_eq!(urls(&server, "second").await, [""; 0]);
}

async fn a_result_leads_to_the_best_heading(database: &Database) {
    let server = start(database).await;
    let content = "Intro.\n\n## Install\n\nUse the package.\n\n## Remove\n\nBurn the *wick* <b>now</b>.";
    publish(&server, json!({"pages": [{"title": "Guide", "content": content, "contentType": "docs"}]})).await;
    let found = search(&server, "wick").await;
    assert_eq!(found["results"][0]["url"], "/docs/guide#remove");
    assert_eq!(found["results"][0]["excerpt"], "Burn the wick now.");
}

async fn the_total_does_not_depend_on_the_limit(database: &Database) {
    let server = start(database).await;
    let pages: Vec<Value> =
        (0..25).map(|n| json!({"title": format!("Page {n}"), "content": "the same lantern"})).collect();
    publish(&server, json!({"pages": pages})).await;
    let found = search(&server, "lantern").await;
    assert_eq!((found["total"].as_u64(), found["results"].as_array().unwrap().len()), (Some(25), 20));
    let found = search(&server, "lantern&limit=3").await;
    assert_eq!((found["total"].as_u64(), found["results"].as_array().unwrap().len()), (Some(25), 3));
}

async fn a_query_that_cannot_be_answered_is_explained(database: &Database) {
    let server = start(database).await;
    publish(&server, json!({"pages": [{"title": "A"}]})).await;
    let check = async |query: &str, message: &str| {
        let answer = server.get(&format!("/search.json?{query}")).await;
        let expected = json!({"error": "bad request", "message": message});
        assert_eq!(
            (answer.status, serde_json::from_str(answer.text()).ok()),
            (400, Some(expected)),
            "{query}"
        );
        assert_eq!(server.get(&format!("/search?{query}")).await.status, 400, "{query}");
    };
    check(&format!("q={}", "x".repeat(201)), "q must be at most 200 characters").await;
    check("q=a&limit=0", "limit must be a number from 1 to 50").await;
    check("q=a&limit=51", "limit must be a number from 1 to 50").await;
    assert_eq!(server.get(&format!("/search.json?q={}", "x".repeat(200))).await.status, 200);
    assert_eq!(server.ask(Ask::new("POST", "/search")).await.status, 405);
    assert_eq!(server.ask(Ask::head("/search.json?q=a")).await.status, 200);
}

async fn the_page_of_the_search_shows_the_results(database: &Database) {
    let server = start(database).await;
    publish(
        &server,
        json!({"pages": [{"title": "Lamps & <tides>", "content": "A lantern.", "slug": "lamps"}]}),
    )
    .await;
    let page = server.get("/search?q=lantern").await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(
        page.text().contains("<a href=\"/blog/lamps\" dir=\"auto\">Lamps &amp; &lt;tides&gt;</a>"),
        "{}",
        page.text()
    );
    assert!(page.text().contains("value=\"lantern\""), "{}", page.text());
    let nothing = server.get("/search?q=%3Cscript%3E").await;
    assert!(nothing.text().contains("Nothing found for “&lt;script&gt;”"), "{}", nothing.text());
    assert!(!server.get("/search").await.text().contains("role=\"status\""));
}

async fn a_protected_site_is_not_searched_without_its_password(database: &Database) {
    let server = start(database).await;
    publish(&server, json!({"pages": [{"title": "A", "content": "secret"}]})).await;
    server.publisher.protect(&server.acme, "open sesame").await.unwrap();
    for path in ["/search?q=secret", "/search.json?q=secret"] {
        let answer = server.get(path).await;
        assert!(answer.status == 401 && !answer.text().contains("/blog/a"), "{answer:?}");
    }
}

async fn the_files_of_the_index_are_not_served(database: &Database) {
    let server = start(database).await;
    publish(&server, json!({"pages": [{"title": "A", "content": "secret"}]})).await;
    for path in ["/.search/leaves", "/.search/", "/.search"] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
}
