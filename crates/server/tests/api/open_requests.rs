//! An account's requests at a time are limited, whatever addresses they come from.

use std::net::SocketAddr;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use futures_util::stream::poll_fn;
use testing::Database;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tower::ServiceExt;

use crate::app::{App, Options, spawn_app_with};
use crate::client::PREFIX;

testing::on_each_configuration!(other_accounts_do_not_notice_an_account_with_many_open_requests);

/// More than the requests of one client, which has at most 256 connections.
const MOST: usize = 256;

/// A publish of Acme's, from an address of its own, whose body never arrives. It reports when the body is read.
fn endless(app: &App<'_>, number: usize, reading: mpsc::UnboundedSender<()>) -> Request {
    let body = poll_fn(move |_| {
        let _ = reading.send(());
        Poll::<Option<Result<Bytes, axum::Error>>>::Pending
    });
    let request = Request::post(format!("{PREFIX}/pages"));
    let request = request.header(AUTHORIZATION, app.client.authorization());
    let mut request = request.header(CONTENT_TYPE, "application/json").body(Body::from_stream(body)).unwrap();
    let peer = SocketAddr::new([10, 0, (number / 250) as u8, (number % 250) as u8].into(), 4711);
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

async fn other_accounts_do_not_notice_an_account_with_many_open_requests(database: &Database) {
    let app = spawn_app_with(database, Options { dev: true, ..Options::default() }).await;
    let other = app.account("Other").await;
    let (reading, mut is_read) = mpsc::unbounded_channel();
    let mut open = JoinSet::new();
    for number in 0..MOST {
        open.spawn(app.router.clone().oneshot(endless(&app, number, reading.clone())));
    }
    for _ in 0..MOST {
        timeout(Duration::from_secs(300), is_read.recv()).await.unwrap().unwrap();
    }
    let list = app.client.request(reqwest::Method::GET, "/pages");
    let refused = app.client.send_to_a_broken_server(list).await;
    assert!(refused.is_failure(503).contains("too many open requests"), "{refused:?}");
    assert_eq!(other.client.get("/pages").await.status, 200);
    open.shutdown().await;
    assert_eq!(app.client.get("/pages").await.status, 200);
}
