//! Concurrent requests.

use std::time::Duration;

use serde_json::{Value, json};
use testing::Database;

use crate::answer::Answer;
use crate::app::{Options, spawn_app, spawn_app_with};

testing::on_each_configuration!(
    concurrent_upserts_of_one_new_slug_make_one_page,
    concurrent_upserts_of_one_title_make_one_page,
    concurrent_deletes_of_one_page_delete_it_once,
    concurrent_batches_are_stored_completely,
    concurrent_moves_to_one_key_let_one_through,
    concurrent_builds_keep_the_cooldown,
    concurrent_builds_keep_the_quota,
    concurrent_publishes_keep_the_quota_across_sites,
    concurrent_writes_keep_their_window,
    concurrent_requests_keep_the_addresss_window,
    concurrent_builds_keep_their_window,
);

/// Sends the requests of all numbers at once.
async fn at_once<F>(count: usize, request: impl Fn(usize) -> F) -> Vec<Answer>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let tasks: Vec<_> = (0..count).map(|number| tokio::spawn(request(number))).collect();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    answers
}

fn with_status(answers: &[Answer], status: u16) -> usize {
    answers.iter().filter(|answer| answer.status == status).count()
}

fn make_one_page(answers: &[Answer]) {
    assert_eq!(with_status(answers, 200), answers.len(), "{answers:?}");
    let count = |status: &str| answers.iter().filter(|a| a.body["pages"][0]["status"] == status).count();
    assert_eq!((count("created"), count("updated")), (1, answers.len() - 1));
    let id = &answers[0].body["pages"][0]["id"];
    assert!(answers.iter().all(|answer| answer.body["pages"][0]["id"] == *id));
}

async fn concurrent_upserts_of_one_new_slug_make_one_page(database: &Database) {
    let app = spawn_app(database).await;
    let answers = at_once(16, |number| {
        let client = app.client.hasty();
        async move { client.pages(json!([{"slug": "new", "title": format!("Title {number}")}])).await }
    })
    .await;
    make_one_page(&answers);
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
}

async fn concurrent_upserts_of_one_title_make_one_page(database: &Database) {
    let app = spawn_app(database).await;
    let answers = at_once(16, |_| {
        let client = app.client.hasty();
        async move { client.post("/pages", json!({"title": "One title"})).await }
    })
    .await;
    make_one_page(&answers);
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
}

async fn concurrent_deletes_of_one_page_delete_it_once(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//a").await;
    let answers = at_once(10, |_| {
        let client = app.client.hasty();
        async move { client.delete("/pages/a?contentType=blog").await }
    })
    .await;
    assert_eq!((with_status(&answers, 204), with_status(&answers, 404)), (1, 9));
}

/// Batches with the same pages in different orders: no deadlock, and the last batch wins completely.
async fn concurrent_batches_are_stored_completely(database: &Database) {
    let app = spawn_app(database).await;
    let answers = at_once(12, |number| {
        let client = app.client.hasty();
        let mut pages: Vec<Value> = (0..20)
            .map(|page| json!({"slug": format!("p{page}"), "title": format!("By {number}"), "content": "text"}))
            .collect();
        if number % 2 == 0 {
            pages.reverse();
        }
        async move { client.pages(json!(pages)).await }
    })
    .await;
    assert_eq!(with_status(&answers, 200), 12, "{answers:?}");
    let listed = app.client.list().await;
    let titles: Vec<&Value> = listed.as_array().unwrap().iter().map(|page| &page["title"]).collect();
    assert_eq!(titles.len(), 20);
    assert!(titles.iter().all(|title| *title == titles[0]), "{titles:?}");
}

async fn concurrent_moves_to_one_key_let_one_through(database: &Database) {
    let app = spawn_app(database).await;
    let mut ids = Vec::new();
    for slug in 0..8 {
        ids.push(app.client.page_at(&format!("blog//p{slug}")).await["id"].clone());
    }
    let answers = at_once(8, |number| {
        let (client, id) = (app.client.hasty(), ids[number].clone());
        async move { client.pages(json!([{"id": id, "slug": "goal"}])).await }
    })
    .await;
    assert_eq!((with_status(&answers, 200), with_status(&answers, 400)), (1, 7), "{answers:?}");
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 8);
}

async fn concurrent_builds_keep_the_cooldown(database: &Database) {
    let app = spawn_app(database).await;
    for _ in 0..2 {
        let answers = at_once(8, |_| {
            let client = app.client.hasty();
            async move { client.build().await }
        })
        .await;
        assert_eq!((with_status(&answers, 202), with_status(&answers, 429)), (1, 7), "{answers:?}");
        app.advance(Duration::from_secs(30));
    }
}

fn free_without_cooldown() -> Options {
    Options { plan: "free", cooldown: Duration::ZERO, ..Options::default() }
}

async fn concurrent_builds_keep_the_quota(database: &Database) {
    let app = spawn_app_with(database, free_without_cooldown()).await;
    let answers = at_once(10, |_| {
        let client = app.client.hasty();
        async move { client.build().await }
    })
    .await;
    assert_eq!((with_status(&answers, 202), with_status(&answers, 402)), (3, 7), "{answers:?}");
    assert_eq!(database.dump().iter().filter(|row| row.starts_with("builds:")).count(), 3);
}

async fn concurrent_publishes_keep_the_quota_across_sites(database: &Database) {
    let app = spawn_app_with(database, free_without_cooldown()).await;
    let sites = [app.acme.site.clone(), app.site("second").await, app.site("third").await];
    let answers = at_once(12, |number| {
        let (client, site) = (app.client.hasty(), sites[number % 3].clone());
        async move {
            let page = json!({"slug": format!("p{number}"), "title": "A"});
            client.post("/pages", json!({"siteId": site, "pages": [page], "build": true})).await
        }
    })
    .await;
    assert_eq!(with_status(&answers, 200), 12);
    let queued = answers.iter().filter(|answer| answer.body["build"]["status"] == "queued").count();
    let refused =
        answers.iter().filter(|answer| answer.body["build"]["error"] == "build quota exceeded").count();
    assert_eq!((queued, refused), (3, 9));
}

async fn concurrent_writes_keep_their_window(database: &Database) {
    let app = spawn_app(database).await;
    let other_token = app.token().await;
    let answers = at_once(80, |number| {
        let client = if number % 2 == 0 { app.client.hasty() } else { other_token.hasty() };
        async move { client.pages(json!([{"slug": format!("p{number}"), "title": "A"}])).await }
    })
    .await;
    assert_eq!((with_status(&answers, 200), with_status(&answers, 429)), (60, 20));
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 60);
    let mut remaining: Vec<u64> = answers.iter().map(|answer| answer.window().1).collect();
    remaining.sort_unstable();
    let expected: Vec<u64> = std::iter::repeat_n(0, 20).chain(0..60).collect();
    assert_eq!(remaining, expected);
}

async fn concurrent_requests_keep_the_addresss_window(database: &Database) {
    let app = spawn_app(database).await;
    let answers = at_once(150, |number| {
        let client = if number % 2 == 0 { app.client.hasty() } else { app.anonymous().hasty() };
        async move { client.get("/pages").await }
    })
    .await;
    let passed = with_status(&answers, 200) + with_status(&answers, 401);
    assert_eq!((passed, with_status(&answers, 429)), (120, 30));
}

async fn concurrent_builds_keep_their_window(database: &Database) {
    let app = spawn_app_with(database, Options { cooldown: Duration::ZERO, ..Options::default() }).await;
    let answers = at_once(30, |_| {
        let client = app.client.hasty();
        async move { client.build().await }
    })
    .await;
    assert_eq!((with_status(&answers, 202), with_status(&answers, 429)), (20, 10));
}
