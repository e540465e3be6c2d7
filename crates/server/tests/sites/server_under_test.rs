//! A server with an account and its site, `acme`.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use blob::Blob;
use limits::Backend;
use model::{AccountId, AccountName, ManualClock, Plan, SiteId, SiteName, Timestamp};
use publisher::{Publisher, Settings, UploadSettings};
use server::{ListenLimits, Sites, SitesSettings};
use store::Store;
use store::sites::Site;
use testing::Database;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::engines::engines;
use crate::release_writer::{Content, ReleaseWriter};
use crate::visitor::{Answer, Ask};

pub struct Server {
    pub publisher: Publisher,
    pub clock: Arc<ManualClock>,
    pub releases: ReleaseWriter,
    pub address: SocketAddr,
    pub account: AccountId,
    pub token: String,
    pub acme: Site,
    pub sites: Sites,
}

pub struct Options {
    pub secure_cookies: bool,
    pub trusted_proxies: &'static [&'static str],
    pub cache_bytes: u64,
    pub list_sites: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { secure_cookies: false, trusted_proxies: &[], cache_bytes: 64 << 20, list_sites: false }
    }
}

pub async fn start(database: &Database) -> Server {
    start_with(database, Options::default()).await
}

pub async fn start_with(database: &Database, options: Options) -> Server {
    start_on(database.store().clone(), engines(database).await, options).await
}

pub async fn start_on(store: Store, (blob, limits): (Blob, Backend), options: Options) -> Server {
    let clock = Arc::new(ManualClock::new(Timestamp::parse_iso("2026-01-02T09:00:00Z").unwrap()));
    let releases = ReleaseWriter { store, blob };
    let publisher = publisher(&releases, &clock);
    let made = publisher.account_create(AccountName::parse("Acme").unwrap(), "pro").await.unwrap();
    let acme = publisher.site_find("acme").await.unwrap();
    let sites = Sites::new(
        publisher.clone(),
        SitesSettings {
            clock: clock.clone(),
            trusted_proxies: options.trusted_proxies.iter().map(|net| net.parse().unwrap()).collect(),
            secure_cookies: options.secure_cookies,
            cache_bytes: options.cache_bytes,
            list_sites: options.list_sites,
            limits,
        },
    );
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve(listener, sites.clone(), ListenLimits::default(), CancellationToken::new()));
    Server { publisher, clock, releases, address, account: made.account_id, token: made.token, acme, sites }
}

/// A publisher like that of another process, if its store is another.
pub fn publisher(releases: &ReleaseWriter, clock: &Arc<ManualClock>) -> Publisher {
    let settings = Settings {
        plans: Plan::shipped(),
        build_cooldown: Duration::ZERO,
        postpone_builds: false,
        site_url: "http://{site}.localhost:8081".into(),
        domain_scheme: "http",
        purge_after: Duration::from_secs(30 * 24 * 3600),
        keep_releases: 3,
        custom_head: true,
        private_hubs: false,
        build_time_limit: Duration::from_secs(600),
        disks: vec![],
        min_free: None,
        uploads: UploadSettings::new(std::env::temp_dir().join("recto-tests"), testing::recto()),
    };
    Publisher::new(releases.store.clone(), releases.blob.clone(), clock.clone(), settings)
}

impl Server {
    /// A release of Acme's site.
    pub async fn release<P: Clone + Into<Content>>(&self, files: &[(&str, P)]) -> i64 {
        self.release_of(self.acme.id, files).await
    }

    pub async fn release_of<P: Clone + Into<Content>>(&self, site: SiteId, files: &[(&str, P)]) -> i64 {
        let files: Vec<_> = files.iter().map(|(path, content)| (*path, content.clone().into())).collect();
        self.releases.release(site, &files).await
    }

    pub async fn site(&self, name: &str) -> Site {
        self.publisher.site_create(self.account, SiteName::parse(name).unwrap()).await.unwrap()
    }

    pub async fn ask(&self, ask: Ask) -> Answer {
        ask.send(self.address).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask(Ask::get(path)).await
    }
}
