//! The database or the object store is unavailable: cached files are still served, others get a 503 with Retry-After.

use std::path::{Path, PathBuf};

use blob::{Blob, Key};
use limits::Backend;
use store::{LeaseClock, Location, Store};
use testing::Database;
use tokio::io::copy_bidirectional;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use crate::server_under_test::{Options, Server, start, start_on};
use crate::visitor::{Answer, Ask};

testing::on_each_configuration!(without_the_object_store_cached_pages_are_still_served);

fn is_away(answer: &Answer) {
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")), "{answer:?}");
    assert!(answer.text().contains("try again in a moment"), "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

async fn without_the_object_store_cached_pages_are_still_served(database: &Database) {
    let server = start(database).await;
    let long = "long ".repeat(500);
    server.release(&[("/a", "a"), ("/b", "b"), ("/long", &long), ("/404.html", "missing")]).await;
    assert_eq!(server.get("/a").await.status, 200);
    assert_eq!(server.get("/long").await.status, 200);
    let site = server.acme.id;
    let packs = server.releases.store.read(move |tx| store::packs::live(tx, site)).await.unwrap();
    for pack in packs {
        server.releases.blob.delete(&Key::pack(pack.id)).await.unwrap();
    }
    assert_eq!(server.get("/a").await.status_and_body(), (200, "a"));
    let packed = server.ask(Ask::get("/long").accept("br")).await;
    assert_eq!((packed.status, packed.header("content-encoding")), (200, Some("br")));
    is_away(&server.get("/b").await);
    is_away(&server.get("/nothing").await);
}

/// PostgreSQL behind a socket that the test can cut off.
struct Relay {
    directory: tempfile::TempDir,
    /// The name of the socket, which contains the port.
    socket: String,
    real: PathBuf,
    relaying: tokio::task::JoinHandle<()>,
}

impl Relay {
    fn start(url: &str) -> (Relay, String) {
        let directory = tempfile::tempdir_in("/tmp").unwrap();
        let server = url.split('@').nth(1).unwrap().split('/').next().unwrap();
        let (encoded, port) = server.split_once(':').unwrap_or((server, "5432"));
        let socket = format!(".s.PGSQL.{port}");
        let real = Path::new(&encoded.replace("%2F", "/")).join(&socket);
        let relayed = url.replace(encoded, &directory.path().to_str().unwrap().replace('/', "%2F"));
        let relaying = relay(&directory.path().join(&socket), real.clone());
        (Relay { directory, socket, real, relaying }, relayed)
    }

    /// Closes all connections and accepts no new ones.
    async fn stop(&mut self) {
        self.relaying.abort();
        let _ = (&mut self.relaying).await;
        std::fs::remove_file(self.directory.path().join(&self.socket)).unwrap();
    }

    fn start_again(&mut self) {
        self.relaying = relay(&self.directory.path().join(&self.socket), self.real.clone());
    }
}

fn relay(from: &Path, to: PathBuf) -> tokio::task::JoinHandle<()> {
    let listener = UnixListener::bind(from).unwrap();
    tokio::spawn(async move {
        let mut connections = JoinSet::new();
        loop {
            let (mut near, _) = listener.accept().await.unwrap();
            let to = to.clone();
            connections.spawn(async move {
                let mut far = UnixStream::connect(to).await.unwrap();
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    })
}

async fn without_its_database(database: &Database) -> (Server, Relay) {
    let (relay, url) = Relay::start(&database.url());
    let open = move || {
        Store::open(&Location::Postgres { url, connections: 4, leases: LeaseClock::Database }).unwrap()
    };
    let store = tokio::task::spawn_blocking(open).await.unwrap();
    (start_on(store, (Blob::memory(), Backend::Memory), Options::default()).await, relay)
}

#[test]
fn without_the_database_cached_pages_are_still_served() {
    let Some(database) = Database::postgres() else { return };
    testing::block_on(async {
        let (server, mut relay) = without_its_database(&database).await;
        server.release(&[("/a", "a"), ("/b", "b"), ("/404.html", "missing")]).await;
        assert_eq!(server.get("/a").await.status, 200);
        assert_eq!(server.get("/nothing").await.status, 404);

        relay.stop().await;
        for _ in 0..3 {
            assert_eq!(server.get("/a").await.status_and_body(), (200, "a"));
            assert_eq!(server.get("/a/").await.location(), (308, "/a"));
            assert_eq!(server.get("/nothing").await.status_and_body(), (404, "missing"));
            is_away(&server.get("/b").await);
            is_away(&server.ask(Ask::get("/").host("other.localhost")).await);
        }

        relay.start_again();
        for _ in 0..100 {
            if server.get("/b").await.status == 200 {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("the server does not recover");
    });
}
