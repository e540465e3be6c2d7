//! Feeds that changed are announced to the hub of their site.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use publisher::Settings;
use serde_json::json;
use testing::Database;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use crate::{World, settings};
use blob::Blob;

testing::on_both_databases!(
    changed_feeds_are_announced,
    a_hub_that_fails_is_asked_again,
    a_rollback_is_announced,
    a_hub_without_https_is_refused,
);

/// A hub on this machine, and the forms that it received.
struct Hub {
    url: String,
    forms: Arc<Mutex<Vec<String>>>,
}

impl Hub {
    /// It answers its first requests with 503, and the others with 202.
    async fn failing(times: usize) -> Hub {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hub", listener.local_addr().unwrap());
        let forms: Arc<Mutex<Vec<String>>> = Arc::default();
        let received = forms.clone();
        tokio::spawn(async move {
            for answered in 0.. {
                let (mut stream, _) = listener.accept().await.unwrap();
                let form = read_form(&mut stream).await;
                received.lock().unwrap().push(form);
                let status = if answered < times { "503 Busy" } else { "202 Accepted" };
                let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Hub { url, forms }
    }

    /// In the order of their URLs; the requests are sent at the same time.
    fn take(&self) -> Vec<String> {
        let mut forms = std::mem::take(&mut *self.forms.lock().unwrap());
        forms.sort();
        forms
    }
}

async fn read_form(stream: &mut tokio::net::TcpStream) -> String {
    let (mut reader, mut length, mut line) = (BufReader::new(stream), 0, String::new());
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).await.unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut form = vec![0; length];
    reader.read_exact(&mut form).await.unwrap();
    String::from_utf8(form).unwrap()
}

async fn world(database: &Database, hub: &Hub) -> World {
    let world = World::new(database).await;
    set_hub(&world, &hub.url).await.unwrap();
    world
}

async fn set_hub(world: &World, url: &str) -> Result<publisher::SiteSettings, publisher::Error> {
    let site = world.publisher.site_find("books").await.unwrap();
    world.publisher.site_set(&site, vec![("hub".to_owned(), url.to_owned())]).await
}

async fn publish(world: &World, content_type: &str, slug: &str, title: &str) {
    let page = json!({"title": title, "slug": slug, "contentType": content_type, "content": "Text."});
    world.published(json!({"pages": [page], "build": true})).await;
    world.clock.advance(Duration::from_secs(60));
    while world.publisher.run_next_build().await.unwrap() {}
}

async fn ping(world: &World) -> bool {
    world.publisher.run_next_ping().await.unwrap()
}

fn announced() -> Vec<String> {
    let form = |feed| format!("hub.mode=publish&hub.url=http%3A%2F%2Fbooks.localhost%3A8081%2F{feed}");
    ["feed.json", "feed.xml", "rss.xml"].map(form).to_vec()
}

async fn changed_feeds_are_announced(database: &Database) {
    let hub = Hub::failing(0).await;
    let world = world(database, &hub).await;
    publish(&world, "blog", "hello", "Hello").await;
    assert!(ping(&world).await);
    assert_eq!(hub.take(), announced());
    publish(&world, "docs", "guide", "No post").await;
    assert!(!ping(&world).await, "the feeds are the same");
    publish(&world, "blog", "hello", "Hello again").await;
    assert!(ping(&world).await && !ping(&world).await);
    assert_eq!(hub.take(), announced());
}

async fn a_hub_that_fails_is_asked_again(database: &Database) {
    let hub = Hub::failing(1).await;
    let world = world(database, &hub).await;
    publish(&world, "blog", "hello", "Hello").await;
    assert!(ping(&world).await && !ping(&world).await);
    assert_eq!(hub.take(), announced());
    world.clock.advance(Duration::from_secs(60));
    assert!(ping(&world).await && !ping(&world).await);
    assert_eq!(hub.take(), announced());
}

async fn a_rollback_is_announced(database: &Database) {
    let hub = Hub::failing(0).await;
    let world = world(database, &hub).await;
    publish(&world, "blog", "one", "One").await;
    publish(&world, "blog", "two", "Two").await;
    assert!(ping(&world).await && !ping(&world).await, "one ping for both releases");
    hub.take();
    let site = world.publisher.site_find("books").await.unwrap();
    world.publisher.rollback(&site, None).await.unwrap();
    assert!(ping(&world).await);
    assert_eq!(hub.take(), announced());
}

async fn a_hub_without_https_is_refused(database: &Database) {
    let settings = Settings { private_hubs: false, ..settings() };
    let world = World::with(database, Blob::memory(), settings).await;
    let refused = set_hub(&world, "http://hub.example.com/").await.unwrap_err().to_string();
    assert!(refused.contains("sites.private_hubs"), "{refused}");
    set_hub(&world, "https://hub.example.com/").await.unwrap();
}
