//! Isolation of accounts: another account's data gets exactly the response of data that does not exist.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testing::Database;

use crate::answer::Answer;
use crate::app::spawn_app;
use crate::client::Client;

testing::on_each_configuration!(
    another_accounts_data_looks_as_if_it_did_not_exist,
    pages_of_two_accounts_never_meet,
    a_cursor_of_another_account_shows_nothing_of_it,
    accounts_of_one_name_get_sites_of_their_own,
);

/// A position in a request that takes an identifier.
struct Position {
    name: &'static str,
    method: Method,
    /// Path and body with the identifier in them.
    request: fn(&str) -> (String, Value),
    identifier: Identifier,
    /// The status for the account's own identifier, and for an invalid one.
    own: u16,
    malformed: u16,
}

#[derive(Clone, Copy)]
enum Identifier {
    Site,
    Page,
    Slug,
}

fn positions() -> Vec<Position> {
    use Identifier::{Page, Site, Slug};
    let position = |name, method, identifier, own, malformed, request| Position {
        name,
        method,
        request,
        identifier,
        own,
        malformed,
    };
    vec![
        position("publish: siteId", Method::POST, Site, 200, 400, |id| {
            ("/pages".into(), json!({"siteId": id, "pages": [{"slug": "own", "title": "Own"}]}))
        }),
        position("publish nothing: siteId", Method::POST, Site, 200, 400, |id| {
            ("/pages".into(), json!({"siteId": id, "pages": []}))
        }),
        position("publish in the original format: siteId", Method::POST, Site, 200, 400, |id| {
            ("/pages".into(), json!({"siteId": id, "slug": "own", "title": "Own"}))
        }),
        position("publish and delete: siteId", Method::POST, Site, 200, 400, |id| {
            let delete = json!([{"slug": "secret", "contentType": "blog"}]);
            ("/pages".into(), json!({"siteId": id, "deleteSlugs": delete}))
        }),
        position("publish, wrong: siteId", Method::POST, Site, 400, 400, |id| {
            ("/pages".into(), json!({"siteId": id, "pages": [{"slug": "secret", "title": 5}]}))
        }),
        position("publish and build: siteId", Method::POST, Site, 200, 400, |id| {
            ("/pages".into(), json!({"siteId": id, "build": true}))
        }),
        position("list: siteId", Method::GET, Site, 200, 400, |id| {
            (format!("/pages?siteId={id}"), json!(null))
        }),
        position("list a part: siteId", Method::GET, Site, 200, 400, |id| {
            (format!("/pages?siteId={id}&limit=1&contentType=blog"), json!(null))
        }),
        position("delete nothing: siteId", Method::DELETE, Site, 404, 400, |id| {
            (format!("/pages/secret?contentType=blog&siteId={id}"), json!(null))
        }),
        position("read nothing: siteId", Method::GET, Site, 404, 400, |id| {
            (format!("/pages/nothing?contentType=blog&siteId={id}"), json!(null))
        }),
        position("dry run: siteId", Method::POST, Site, 200, 400, |id| {
            ("/pages".into(), json!({"siteId": id, "dryRun": true, "pages": [{"title": "Own"}]}))
        }),
        position("build: siteId", Method::POST, Site, 429, 400, |id| {
            ("/builds".into(), json!({"siteId": id}))
        }),
        position("latest build: siteId", Method::GET, Site, 200, 400, |id| {
            (format!("/builds/latest?siteId={id}"), json!(null))
        }),
        position("wait for a build: siteId", Method::GET, Site, 200, 400, |id| {
            (format!("/builds/latest?wait=0&siteId={id}"), json!(null))
        }),
        position("read settings: siteId", Method::GET, Site, 200, 400, |id| {
            (format!("/sites/{id}/settings"), json!(null))
        }),
        position("change settings: siteId", Method::PATCH, Site, 200, 400, |id| {
            (format!("/sites/{id}/settings"), json!({"title": "Mine"}))
        }),
        position("change settings, wrong: siteId", Method::PATCH, Site, 400, 400, |id| {
            (format!("/sites/{id}/settings"), json!({"accent": "reddish"}))
        }),
        position("publish: id", Method::POST, Page, 200, 400, |id| {
            ("/pages".into(), json!({"pages": [{"id": id}]}))
        }),
        position("publish: id and all", Method::POST, Page, 200, 400, |id| {
            ("/pages".into(), json!({"pages": [{"id": id, "slug": "own", "title": "Own", "section": ""}]}))
        }),
        position("publish in the original format: id", Method::POST, Page, 200, 400, |id| {
            ("/pages".into(), json!({"id": id, "title": "Own"}))
        }),
        position("publish: slug without a title", Method::POST, Slug, 200, 400, |slug| {
            ("/pages".into(), json!({"pages": [{"slug": slug}]}))
        }),
        position("publish: deleteSlugs", Method::POST, Slug, 200, 200, |slug| {
            ("/pages".into(), json!({"deleteSlugs": [{"slug": slug, "contentType": "blog"}]}))
        }),
        position("read: slug", Method::GET, Slug, 200, 404, |slug| {
            (format!("/pages/{slug}?contentType=blog"), json!(null))
        }),
        position("delete: slug", Method::DELETE, Slug, 204, 404, |slug| {
            (format!("/pages/{slug}?contentType=blog"), json!(null))
        }),
    ]
}

async fn ask(client: &Client, position: &Position, identifier: &str) -> Answer {
    let (path, body) = (position.request)(identifier);
    let request = client.request(position.method.clone(), &path);
    client.send(request.header(CONTENT_TYPE, "application/json").body(body.to_string())).await
}

async fn another_accounts_data_looks_as_if_it_did_not_exist(database: &Database) {
    let app = spawn_app(database).await;
    let other = app.account("Other").await;
    let own_page = app.client.page_at("blog//own").await;
    let secret = other.client.page_at("blog//secret").await;
    other.client.page_at("blog//nothing-here").await;
    other.client.delete("/pages/nothing-here?contentType=blog").await;
    other.client.build().await;
    let seen_by_other = async || (other.client.list().await, other.client.get("/builds/latest").await.body);
    let before = seen_by_other().await;

    let unknown = "00000000-0000-4000-8000-000000000000";
    for position in positions() {
        let (own, others, unknown) = match position.identifier {
            Identifier::Site => (app.acme.site.as_str(), other.site.as_str(), unknown),
            Identifier::Page => (own_page["id"].as_str().unwrap(), secret["id"].as_str().unwrap(), unknown),
            Identifier::Slug => ("mine", "secret", "no-such-page"),
        };
        if let Identifier::Slug = position.identifier {
            app.client.page_at("blog//mine").await;
        }
        let others = ask(&app.client, &position, others).await;
        let unknown = ask(&app.client, &position, unknown).await;
        assert_eq!((others.status, &others.text), (unknown.status, &unknown.text), "{}", position.name);
        let headers = |answer: &Answer| {
            let mut names: Vec<String> = answer.headers.keys().map(|name| name.to_string()).collect();
            names.sort();
            names
        };
        assert_eq!(headers(&others), headers(&unknown), "{}", position.name);
        match position.identifier {
            Identifier::Site => drop(others.is_failure(403)),
            Identifier::Page => others.is_invalid(json!({"0": {"id": crate::answer::ID_NOT_FOUND}})),
            Identifier::Slug => {}
        }
        let own = ask(&app.client, &position, own).await;
        assert_eq!(own.status, position.own, "{}: {own:?}", position.name);
        let malformed = ask(&app.client, &position, "NoSuchForm").await;
        assert_eq!(malformed.status, position.malformed, "{}: {malformed:?}", position.name);
    }
    assert_eq!(seen_by_other().await, before, "and nothing of the other account has changed");
}

async fn pages_of_two_accounts_never_meet(database: &Database) {
    let app = spawn_app(database).await;
    let other = app.account("Other").await;
    let mine = app.client.page_at("blog//same").await;
    let theirs = other.client.page_at("blog//same").await;
    assert_eq!((&mine["status"], &theirs["status"]), (&json!("created"), &json!("created")));
    assert_ne!(mine["id"], theirs["id"]);
    app.client.page(json!({"slug": "same", "title": "Mine"})).await;
    assert_eq!(other.client.listed(&theirs).await["title"], theirs["title"]);
    app.client.post("/pages", json!({"deleteSlugs": [{"slug": "same", "contentType": "blog"}]})).await;
    assert_eq!(app.client.list().await, json!([]));
    assert_eq!(other.client.list().await.as_array().unwrap().len(), 1);
    app.client.delete("/pages/same?contentType=blog").await.is_failure(404);
    assert_eq!(other.client.list().await.as_array().unwrap().len(), 1);
}

async fn a_cursor_of_another_account_shows_nothing_of_it(database: &Database) {
    let app = spawn_app(database).await;
    let other = app.account("Other").await;
    let mine = app.client.page_at("blog//mine").await;
    other.client.pages(json!([{"title": "A"}, {"title": "B"}, {"title": "C"}])).await;
    let part = other.client.get("/pages?limit=1").await;
    let cursor = part.body["nextCursor"].as_str().unwrap();
    let answer = app.client.get(&format!("/pages?cursor={cursor}")).await;
    answer.is(200, json!({"pages": [app.client.listed(&mine).await], "nextCursor": null}));
}

async fn accounts_of_one_name_get_sites_of_their_own(database: &Database) {
    let app = spawn_app(database).await;
    let (second, third) = (app.account("Acme").await, app.account("ACME!").await);
    let urls = [&app.acme.deploy_url, &second.deploy_url, &third.deploy_url];
    assert_eq!(
        urls,
        ["http://acme.localhost:8081", "http://acme-2.localhost:8081", "http://acme-3.localhost:8081"]
    );
    let queued = second.client.build().await;
    assert_eq!(queued.body["deployUrl"], "http://acme-2.localhost:8081");
}
