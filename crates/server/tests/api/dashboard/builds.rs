//! Builds and releases: how a build goes on, what changed with a release, and which page a message is about.

use std::time::Duration;

use model::Role;
use serde_json::{Value, json};
use testing::Database;

use super::browser::{Browser, Seen};
use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    a_build_is_followed_until_it_ends,
    the_screen_loads_itself_again_while_a_build_is_open,
    a_session_follows_few_builds_at_once,
    a_release_says_which_pages_it_added_changed_and_removed,
    what_changed_is_unknown_without_the_release_before,
    a_long_list_of_changes_goes_on,
    a_message_leads_to_its_page,
    older_builds_are_listed_behind_the_newest,
);

async fn writer(app: &App<'_>) -> Browser {
    Browser::of_member(app, app.acme.id, "bob@example.com", Role::Writer).await
}

fn at(app: &App, path: &str) -> String {
    format!("/dashboard/sites/{}/{path}", app.acme.site)
}

/// Publishes, and builds.
async fn build(app: &App<'_>, body: Value) {
    let answer = app.client.post("/pages", body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    rebuild(app).await;
}

async fn rebuild(app: &App<'_>) {
    let site = app.publisher.site_find(&app.acme.site).await.unwrap();
    app.publisher.site_build(&site).await.unwrap();
    assert!(app.publisher.run_next_build().await.unwrap());
    app.advance(Duration::from_secs(1));
}

/// The events of a stream that has ended.
fn events(seen: &Seen) -> Vec<Value> {
    assert_eq!((seen.status, &seen.headers["content-type"]), (200, &"text/event-stream".parse().unwrap()));
    let lines = seen.html.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn a_build_is_followed_until_it_ends(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    app.client.page(json!({"title": "One"})).await;
    browser.post(&at(&app, "builds"), &[]).await.redirects_to(&at(&app, "builds?done=queued"));
    let mut follower = browser.clone();
    let path = at(&app, "builds/events");
    let following = async {
        let mut seen = Vec::new();
        // A stream ends after some seconds; then the browser asks again.
        loop {
            seen.extend(events(&follower.get(&path).await));
            if seen.last().is_some_and(|event| event["open"] == false) {
                return seen;
            }
        }
    };
    let building = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(app.publisher.run_next_build().await.unwrap());
    };
    let (seen, ()) = tokio::join!(following, building);
    assert_eq!(
        (&seen[0]["open"], &seen[0]["state"]),
        (&json!(true), &json!("A build is waiting for its turn."))
    );
    let last = seen.last().unwrap();
    assert_eq!(last["state"], "");
    let lists = last["lists"].as_str().unwrap();
    assert!(lists.contains(">success</span>") && lists.contains(">live</span>"), "{lists}");
    // Without a build the stream ends at once.
    assert_eq!(events(&browser.get(&path).await).len(), 1);
}

async fn the_screen_loads_itself_again_while_a_build_is_open(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    browser.post(&at(&app, "builds"), &[]).await.redirects_to(&at(&app, "builds?done=queued"));
    let screen = browser.get(&at(&app, "builds")).await;
    let events = format!("data-events=\"{}\"", at(&app, "builds/events"));
    screen.shows(200, "<noscript><meta http-equiv=\"refresh\"").shows(200, &events);
    let policy = screen.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("script-src 'self'; connect-src 'self'"), "{policy}");
    let script = screen.between("type=\"module\" src=\"", "\"");
    let script = browser.get(&script).await;
    script.shows(200, "EventSource");
    assert_eq!(script.headers["content-type"], "text/javascript; charset=utf-8");
    assert!(app.publisher.run_next_build().await.unwrap());
    let screen = browser.get(&at(&app, "builds")).await;
    assert!(!screen.html.contains("http-equiv") && !screen.html.contains("data-events"), "{}", screen.html);
}

async fn a_session_follows_few_builds_at_once(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    browser.post(&at(&app, "builds"), &[]).await.redirects_to(&at(&app, "builds?done=queued"));
    let mut open = Vec::new();
    for _ in 0..8 {
        let request = browser.request(reqwest::Method::GET, &at(&app, "builds/events"));
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        open.push(response);
    }
    assert_eq!(browser.get(&at(&app, "builds/events")).await.status, 429);
    assert!(app.publisher.run_next_build().await.unwrap());
    for response in open {
        response.text().await.unwrap();
    }
    assert_eq!(browser.get(&at(&app, "builds/events")).await.status, 200);
}

async fn a_release_says_which_pages_it_added_changed_and_removed(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let pages = json!([{"title": "Same"}, {"title": "Edited", "content": "old"}, {"title": "Gone"}]);
    build(&app, json!({"pages": pages})).await;
    let changes = json!([{"title": "Edited", "content": "new"}, {"title": "New <page>"}]);
    build(&app, json!({"pages": changes, "deleteSlugs": [{"slug": "gone", "contentType": "blog"}]})).await;
    let first = browser.get(&at(&app, "builds/1")).await;
    first.shows(200, "3 added, 0 changed, 0 removed");
    let second = browser.get(&at(&app, "builds/2")).await;
    second.shows(200, "1 added, 1 changed, 1 removed").shows(200, "New &#60;page&#62;</a>");
    second.shows(200, "<td>Gone</td>").shows(200, "/blog/edited");
    assert!(!second.html.contains("/blog/same"), "{}", second.html);
    // Everything is generated again, and no page changed.
    let site = app.publisher.site_find(&app.acme.site).await.unwrap();
    app.publisher.site_set(&site, vec![("title".into(), "Other".into())]).await.unwrap();
    rebuild(&app).await;
    browser.get(&at(&app, "builds/3")).await.shows(200, "No page changed");
    assert_eq!(browser.get(&at(&app, "builds/4")).await.status, 404);
}

async fn what_changed_is_unknown_without_the_release_before(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    for number in 1..=5 {
        build(&app, json!({"pages": [{"title": "One", "content": number.to_string()}]})).await;
    }
    app.publisher.tidy_releases().await.unwrap();
    browser.get(&at(&app, "builds/3")).await.shows(200, "the release before it is not kept any more");
    browser.get(&at(&app, "builds/4")).await.shows(200, "0 added, 1 changed, 0 removed");
    assert_eq!(browser.get(&at(&app, "builds/2")).await.status, 404);
}

async fn a_long_list_of_changes_goes_on(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let pages: Vec<Value> = (0..101).map(|number| json!({"title": format!("Page {number}")})).collect();
    build(&app, json!({"pages": pages})).await;
    let first = browser.get(&at(&app, "builds/1")).await;
    first.shows(200, "101 added, 0 changed");
    let next = first.between("class=\"more\"><a href=\"", "\"");
    let second = browser.get(&next).await;
    let rows = |seen: &Seen| seen.html.matches("<span class=\"mark added\">").count();
    assert_eq!((rows(&first), rows(&second)), (100, 1));
    assert!(!second.html.contains("rel=\"next\""), "{}", second.html);
}

async fn a_message_leads_to_its_page(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    // So deep that it is shown as its source.
    let deep = format!("{}\n{}", ">".repeat(40_000), "lazy\n".repeat(5_000));
    let page = app.client.page(json!({"title": "Deep", "content": deep})).await;
    let home = app.client.page(json!({"title": "Home", "contentType": "homepage"})).await;
    rebuild(&app).await;
    let screen = browser.get(&at(&app, "builds")).await;
    let link = at(&app, "builds/page?url=%2Fblog%2Fdeep");
    screen.shows(200, &format!("href=\"{link}\"><code>/blog/deep</code>"));
    let editor = |page: &Value| at(&app, &format!("pages/{}", page["id"].as_str().unwrap()));
    browser.get(&link).await.redirects_to(&editor(&page));
    browser.get(&at(&app, "builds/page?url=%2F")).await.redirects_to(&editor(&home));
    assert_eq!(browser.get(&at(&app, "builds/page?url=%2Fblog%2Fother")).await.status, 404);
}

async fn older_builds_are_listed_behind_the_newest(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let site = app.publisher.site_find(&app.acme.site).await.unwrap();
    for _ in 0..31 {
        app.publisher.site_build(&site).await.unwrap();
        app.advance(Duration::from_secs(1));
    }
    let first = browser.get(&at(&app, "builds")).await;
    let second = browser.get(&first.between("class=\"more\"><a href=\"", "\"")).await;
    let rows = |seen: &Seen| seen.html.matches("<span class=\"mark queued\">").count();
    assert_eq!((rows(&first), rows(&second)), (30, 1));
}
