//! A request as a whole: its members, order and limits, and that it is stored completely or not at all.

use serde_json::{Value, json};
use testing::Database;

use crate::app::spawn_app;
use crate::client::key;

testing::on_each_configuration!(
    the_response_keeps_the_order_of_the_request,
    an_empty_batch_is_fine,
    deleted_is_there_only_when_deletions_were_requested,
    pages_and_deletions_go_together,
    five_thousand_pages_pass_and_one_more_does_not,
    five_thousand_deletions_pass_and_one_more_does_not,
    pages_go_to_the_site_that_is_named,
    a_site_id_that_is_not_a_uuid_is_refused,
    members_of_a_wrong_type_are_refused,
    a_refused_request_leaves_everything_as_it_was,
    a_request_may_delete_and_create_under_one_slug_in_different_sections,
);

async fn the_response_keeps_the_order_of_the_request(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page(json!({"slug": "c", "title": "C"})).await;
    let pages: Vec<Value> =
        ["d", "c", "a", "b"].iter().map(|slug| json!({"slug": slug, "title": slug})).collect();
    let answer = app.client.pages(json!(pages)).await;
    let reported: Vec<String> = answer.body["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| format!("{} {}", page["slug"].as_str().unwrap(), page["status"].as_str().unwrap()))
        .collect();
    assert_eq!(reported, ["d created", "c updated", "a created", "b created"]);
}

async fn an_empty_batch_is_fine(database: &Database) {
    let app = spawn_app(database).await;
    let check = async |body: Value, expected: Value| app.client.post("/pages", body).await.is(200, expected);
    check(json!({"pages": []}), json!({"pages": []})).await;
    check(json!({"pages": [], "siteId": null, "build": null, "deleteSlugs": null}), json!({"pages": []}))
        .await;
    check(json!({"pages": [], "build": false}), json!({"pages": []})).await;
    check(json!({"pages": [], "siteId": app.acme.site}), json!({"pages": []})).await;
}

async fn deleted_is_there_only_when_deletions_were_requested(database: &Database) {
    let app = spawn_app(database).await;
    let answer = app.client.pages(json!([{"title": "A"}])).await;
    assert_eq!(answer.body.get("deleted"), None);
    let delete = json!([{"slug": "a", "contentType": "blog"}]);
    let body = json!({"deleteSlugs": delete});
    app.client.post("/pages", body.clone()).await.is(200, json!({"pages": [], "deleted": ["a"]}));
    app.client.post("/pages", body).await.is(200, json!({"pages": [], "deleted": []}));
}

async fn pages_and_deletions_go_together(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//old").await;
    let body = json!({
        "pages": [{"slug": "new", "title": "New"}],
        "deleteSlugs": [{"slug": "old", "contentType": "blog"}],
    });
    let answer = app.client.post("/pages", body).await;
    let page = answer.body["pages"][0].clone();
    answer.is(200, json!({"pages": [page], "deleted": ["old"]}));
    let listed = app.client.list().await;
    assert_eq!(listed.as_array().unwrap().iter().map(key).collect::<Vec<_>>(), ["blog//new"]);
}

fn numbered(count: usize, entry: impl Fn(String) -> Value) -> Vec<Value> {
    (0..count).map(|number| entry(format!("page-{number}"))).collect()
}

async fn five_thousand_pages_pass_and_one_more_does_not(database: &Database) {
    let app = spawn_app(database).await;
    let pages = |count| json!(numbered(count, |slug| json!({"slug": slug, "title": "T"})));
    app.client.pages(pages(5001)).await.is_failure(400);
    assert_eq!(app.client.list().await, json!([]));
    let answer = app.client.pages(pages(5000)).await;
    assert_eq!((answer.status, answer.body["pages"].as_array().unwrap().len()), (200, 5000));
    let again = app.client.pages(pages(5000)).await;
    let all_updated = again.body["pages"].as_array().unwrap().iter().all(|page| page["status"] == "updated");
    assert_eq!((again.status, all_updated), (200, true));
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 5000);
}

async fn five_thousand_deletions_pass_and_one_more_does_not(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//page-4999").await;
    let body =
        |count| json!({"deleteSlugs": numbered(count, |slug| json!({"slug": slug, "contentType": "blog"}))});
    app.client.post("/pages", body(5001)).await.is_failure(400);
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
    app.client.post("/pages", body(5000)).await.is(200, json!({"pages": [], "deleted": ["page-4999"]}));
}

async fn pages_go_to_the_site_that_is_named(database: &Database) {
    let app = spawn_app(database).await;
    let second = app.site("second").await;
    let check = async |site: Value, list: &str| {
        let answer = app.client.post("/pages", json!({"siteId": site, "pages": [{"title": "A"}]})).await;
        let page = &answer.body["pages"][0];
        assert_eq!(page["status"], "created", "{answer:?}");
        let listed = app.client.get(list).await;
        assert_eq!(listed.body["pages"][0]["id"], page["id"]);
        assert_eq!(listed.body["pages"].as_array().unwrap().len(), 1);
        let deleted = format!("/pages/a?contentType=blog&{}", list.split_once('?').unwrap_or_default().1);
        assert_eq!(app.client.delete(&deleted).await.status, 204);
    };
    check(json!(second), &format!("/pages?siteId={second}")).await;
    check(json!(second.to_uppercase()), &format!("/pages?siteId={second}")).await;
    check(json!(app.acme.site), "/pages").await;
    check(json!(null), "/pages").await;
}

async fn a_site_id_that_is_not_a_uuid_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    let forms =
        [json!("default"), json!(""), json!("123"), json!("\0"), json!(5), json!(true), json!([]), json!({})];
    for site in forms {
        app.client.post("/pages", json!({"siteId": site, "pages": []})).await.is_failure(400);
        app.client.post("/pages", json!({"siteId": site, "title": "A"})).await.is_failure(400);
        app.client.post("/builds", json!({"siteId": site})).await.is_failure(400);
    }
}

async fn members_of_a_wrong_type_are_refused(database: &Database) {
    let app = spawn_app(database).await;
    let wrong = [
        ("pages", vec![json!(null), json!({}), json!("a"), json!(1), json!(true)]),
        ("deleteSlugs", vec![json!({}), json!("a"), json!(1), json!(true)]),
        ("build", vec![json!("true"), json!(1), json!(0), json!([]), json!({})]),
    ];
    for (member, values) in wrong {
        for value in values {
            let mut body = json!({"pages": [{"title": "A"}]});
            body[member] = value;
            let message = app.client.post("/pages", body).await;
            assert!(message.is_failure(400).contains(member), "{message:?}");
        }
    }
    for entry in [json!(null), json!("a"), json!(1), json!(true), json!([]), json!([{}])] {
        let answer = app.client.pages(json!([{"title": "A"}, entry])).await;
        assert!(answer.is_failure(400).contains("pages[1]"), "{answer:?}");
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn a_refused_request_leaves_everything_as_it_was(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page_at("docs/guides/a").await;
    app.client.page_at("blog//b").await;
    assert_eq!(app.client.build().await.status, 202);
    let seen = async || (app.client.list().await, app.client.get("/builds/latest").await.body);
    let good = json!({"slug": "b", "title": "Changed", "content": "Changed", "tags": ["changed"]});
    let new = json!({"slug": "new", "title": "New", "content": "text", "params": {"a": 1}});
    let deletes = json!([{"slug": "a", "contentType": "docs", "section": "guides"}]);
    let with = |wrong: Value| json!({"pages": [good, new, wrong], "deleteSlugs": deletes, "build": true});
    let refused = [
        ("a field", with(json!({"slug": "c", "title": "C", "tags": 1}))),
        ("no title", with(json!({"slug": "c"}))),
        ("no entry", with(json!(5))),
        ("an unknown id", with(json!({"id": "00000000-0000-4000-8000-000000000000"}))),
        ("a duplicate", with(json!({"slug": "new", "title": "Again"}))),
        ("a conflict", with(json!({"id": page["id"], "title": "Again"}))),
        (
            "a taken key",
            json!({"pages": [good, new, {"id": page["id"], "contentType": "blog", "section": "",
            "slug": "taken"}, {"slug": "x", "title": " "}], "build": true}),
        ),
        ("a delete entry", json!({"pages": [good, new], "deleteSlugs": [{"slug": "a"}], "build": true})),
        (
            "the site",
            json!({"pages": [good, new], "build": true,
            "siteId": "00000000-0000-4000-8000-000000000000"}),
        ),
        ("a member", json!({"pages": [good, new], "build": "yes"})),
    ];
    let (before, dump) = (seen().await, database.dump());
    for (what, body) in refused {
        let answer = app.client.post("/pages", body).await;
        assert!(matches!(answer.status, 400 | 403), "{what}: {answer:?}");
        assert_eq!(database.dump(), dump, "{what}");
    }
    let cut = json!({"pages": [good, new], "build": true}).to_string();
    assert_eq!(app.client.post_text("/pages", cut[..cut.len() - 1].to_owned()).await.status, 400);
    assert_eq!(database.dump(), dump);
    assert_eq!(seen().await, before);
}

async fn a_request_may_delete_and_create_under_one_slug_in_different_sections(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("docs/old/a").await;
    let body = json!({
        "pages": [{"slug": "a", "contentType": "docs", "section": "new", "title": "A"}],
        "deleteSlugs": [{"slug": "a", "contentType": "docs", "section": "old"}],
    });
    let answer = app.client.post("/pages", body).await;
    assert_eq!((answer.status, &answer.body["deleted"]), (200, &json!(["a"])), "{answer:?}");
    assert_eq!(key(&answer.body["pages"][0]), "docs/new/a");
}
