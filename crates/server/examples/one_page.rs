//! Serves one page of 10 KB, for a benchmark:
//!
//! ```text
//! cargo run --release -p recto-server --example one_page -- 8099
//! wrk -t2 -c64 -d5s --latency -H 'Host: acme.localhost' http://127.0.0.1:8099/page
//! ```

#![allow(clippy::unwrap_used, clippy::print_stdout)]

extern crate recto_server as server;

#[path = "../tests/sites/release_writer.rs"]
mod release_writer;

use std::sync::Arc;
use std::time::Duration;

use blob::Blob;
use limits::Backend;
use model::{AccountName, Plan, SystemClock};
use publisher::{Publisher, Settings, UploadSettings};
use server::{ListenLimits, Sites, SitesSettings};
use store::{Location, Store};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::release_writer::{Content, ReleaseWriter};

// The same allocator as the server.
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

#[tokio::main]
async fn main() {
    let port = std::env::args().nth(1).map_or(8099, |port| port.parse().unwrap());
    let page = std::env::args().nth(2).map_or_else(text, |file| std::fs::read_to_string(file).unwrap());
    let directory = tempfile::tempdir().unwrap();
    let location = Location::Sqlite { path: directory.path().join("recto.db"), group: 256 };
    let blob = Blob::directory(&directory.path().join("objects")).unwrap();
    let releases = ReleaseWriter { store: Store::open(&location).unwrap(), blob };
    let settings = Settings {
        plans: Plan::shipped(),
        build_cooldown: Duration::ZERO,
        postpone_builds: false,
        site_url: "http://{site}.localhost:8081".into(),
        domain_scheme: "http",
        purge_after: Duration::from_secs(3600),
        keep_releases: 3,
        custom_head: true,
        private_hubs: false,
        build_time_limit: Duration::from_secs(600),
        disks: vec![],
        min_free: None,
        // Nothing is uploaded here.
        uploads: UploadSettings::new(std::env::temp_dir(), "recto".into()),
    };
    let clock = Arc::new(SystemClock);
    let publisher = Publisher::new(releases.store.clone(), releases.blob.clone(), clock.clone(), settings);
    publisher.account_create(AccountName::parse("Acme").unwrap(), "pro").await.unwrap();
    let site = publisher.site_find("acme").await.unwrap();
    let home = Content::Redirect("/page".into());
    releases.release(site.id, &[("/", home), ("/page", Content::Text(page))]).await;
    let settings = SitesSettings {
        clock,
        trusted_proxies: Vec::new(),
        secure_cookies: false,
        cache_bytes: 64 << 20,
        list_sites: false,
        limits: Backend::Memory,
    };
    let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    println!("http://acme.localhost:{port}/page");
    let sites = Sites::new(publisher, settings);
    server::serve(listener, sites, ListenLimits::default(), CancellationToken::new()).await;
}

/// Words that compress about as well as prose does.
fn text() -> String {
    let words =
        ["recto", "verso", "folio", "quire", "rubric", "serif", "colophon", "gutter", "measure", "leading"];
    let mut state = 1u64;
    let mut text = String::new();
    while text.len() < 10 * 1024 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        text += words[(state >> 33) as usize % words.len()];
        text.push(if state >> 60 == 0 { '\n' } else { ' ' });
    }
    text.truncate(10 * 1024);
    text
}
