//! `GET /tls/ask`: a proxy asks whether it may request a certificate.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use reqwest::{Method, Response};
use testing::Database;
use tower::ServiceExt;

use crate::app::{App, Options, spawn_app, spawn_app_with};

testing::on_each_configuration!(
    certificates_are_allowed_only_for_hosts_of_sites,
    the_domain_is_required,
    the_question_counts_in_no_window,
    other_peers_get_a_404,
    a_forwarded_request_is_not_the_proxys_own,
);

async fn ask(app: &App<'_>, query: &str) -> Response {
    app.anonymous().request_outside(Method::GET, &format!("/tls/ask{query}")).send().await.unwrap()
}

async fn certificates_are_allowed_only_for_hosts_of_sites(database: &Database) {
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

async fn the_question_counts_in_no_window(database: &Database) {
    let app = spawn_app(database).await;
    for _ in 0..130 {
        let answer = ask(&app, "?domain=acme.localhost").await;
        assert_eq!(answer.status(), 200);
        assert!(!answer.headers().contains_key("x-ratelimit-limit"));
    }
}

/// The status for a peer with this address.
async fn status(app: &App<'_>, peer: &str, method: Method, path: &str) -> (u16, Vec<u8>) {
    let mut request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
    let peer = SocketAddr::new(peer.parse().unwrap(), 4711);
    request.extensions_mut().insert(ConnectInfo(peer));
    let response = app.router.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    (status, axum::body::to_bytes(response.into_body(), 10_000).await.unwrap().to_vec())
}

async fn other_peers_get_a_404(database: &Database) {
    let app =
        spawn_app_with(database, Options { trusted_proxies: &["10.0.0.0/8"], ..Options::default() }).await;
    let question = "/tls/ask?domain=acme.localhost";
    for peer in ["127.0.0.1", "::1", "10.1.2.3", "::ffff:10.1.2.3", "::ffff:127.0.0.1"] {
        assert_eq!(status(&app, peer, Method::GET, question).await.0, 200, "{peer}");
        assert_eq!(status(&app, peer, Method::POST, question).await.0, 405, "{peer}");
    }
    for peer in ["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "11.0.0.1"] {
        for method in [Method::GET, Method::HEAD, Method::POST] {
            let nothing = status(&app, peer, method.clone(), "/no/such/route").await;
            assert_eq!(nothing.0, 404);
            assert_eq!(status(&app, peer, method, question).await, nothing, "{peer}");
        }
    }
}

async fn a_forwarded_request_is_not_the_proxys_own(database: &Database) {
    let app =
        spawn_app_with(database, Options { trusted_proxies: &["127.0.0.0/8"], ..Options::default() }).await;
    let ask = async |header: &str, value: &str| {
        let request = app.anonymous().request_outside(Method::GET, "/tls/ask?domain=acme.localhost");
        request.header(header, value).send().await.unwrap().status().as_u16()
    };
    assert_eq!(ask("x-forwarded-for", "192.0.2.1").await, 404);
    assert_eq!(ask("forwarded", "for=192.0.2.1").await, 404);
    assert_eq!(ask("x-other", "192.0.2.1").await, 200);
}
