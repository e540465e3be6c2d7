//! `GET /tls/ask`: a proxy asks whether it may get a certificate.

use reqwest::{Method, Response};
use testing::Database;

use crate::app::{App, spawn_app};

testing::on_both_databases!(
    a_certificate_may_be_got_for_the_hosts_of_sites_only,
    the_domain_is_required,
    asking_counts_in_no_window,
);

async fn ask(app: &App<'_>, query: &str) -> Response {
    app.nobody().request_outside(Method::GET, &format!("/tls/ask{query}")).send().await.unwrap()
}

async fn a_certificate_may_be_got_for_the_hosts_of_sites_only(database: &Database) {
    let app = spawn_app(database).await;
    let check = async |domain: &str, status: u16| {
        let answer = ask(&app, &format!("?domain={domain}")).await;
        assert_eq!(answer.status().as_u16(), status, "{domain}");
    };
    check("acme.localhost", 200).await;
    check("ACME.localhost.", 200).await;
    check("other.localhost", 404).await;
    check("localhost", 404).await;
    check("docs.example.com", 404).await;
    check("", 404).await;
    check("a%20b", 404).await;

    let site = app.publisher.site_find("acme").await.unwrap();
    app.publisher.domain_add(&site, "docs.example.com").await.unwrap();
    check("docs.example.com", 200).await;
    check("Docs.Example.com", 200).await;
    check("www.docs.example.com", 404).await;
    app.publisher.domain_remove(&site, "docs.example.com").await.unwrap();
    check("docs.example.com", 404).await;
}

async fn the_domain_is_required(database: &Database) {
    let app = spawn_app(database).await;
    assert_eq!(ask(&app, "").await.status(), 400);
    assert_eq!(ask(&app, "?domain=a&domain=b").await.status(), 400);
}

async fn asking_counts_in_no_window(database: &Database) {
    let app = spawn_app(database).await;
    for _ in 0..130 {
        let answer = ask(&app, "?domain=acme.localhost").await;
        assert_eq!(answer.status(), 200);
        assert!(!answer.headers().contains_key("x-ratelimit-limit"));
    }
}
