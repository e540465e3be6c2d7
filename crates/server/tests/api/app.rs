//! The server under test.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use limits::{Backend, Limiter};
use model::{
    AccountId, AccountName, ByteSize, Clock, ManualClock, PageId, Plan, SiteId, SiteName, Timestamp, TokenId,
    TokenName,
};
use publisher::{Publisher, Settings, UploadSettings};
use serde_json::{Value, json};
use server::{AppParts, ListenLimits};
use testing::Database;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::engines::engines;

pub const START: &str = "2026-01-02T03:04:05.678Z";

/// The operator's settings: the defaults, unless a test changes them.
pub struct Options {
    pub cooldown: Duration,
    pub dev: bool,
    pub max_body: u64,
    pub trusted_proxies: &'static [&'static str],
    pub plan: &'static str,
    /// The minimum free space on the disk.
    pub min_free: u64,
    /// Whether sites may add HTML to the head of their pages.
    pub custom_head: bool,
    /// The address of the dashboard.
    pub url: &'static str,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            cooldown: Duration::from_secs(30),
            dev: false,
            max_body: 2 << 30,
            trusted_proxies: &[],
            plan: "pro",
            min_free: 0,
            custom_head: true,
            url: "http://127.0.0.1:8080",
        }
    }
}

pub struct App<'d> {
    pub database: &'d Database,
    pub publisher: Publisher,
    pub clock: Arc<ManualClock>,
    pub address: SocketAddr,
    /// The router itself, for requests from peer addresses that a test does not have.
    pub router: axum::Router,
    /// "Acme", the account that most tests are about.
    pub acme: Account,
    /// Acme's.
    pub client: Client,
    limits: Backend,
}

impl Drop for App<'_> {
    fn drop(&mut self) {
        // Without Redis the server counts by itself, and the test would not notice.
        assert!(std::thread::panicking() || !self.limits.is_degraded(), "the connection to Redis was lost");
    }
}

pub struct Account {
    pub id: AccountId,
    pub site: String,
    pub deploy_url: String,
    pub token_id: TokenId,
    pub client: Client,
}

pub async fn spawn_app(database: &Database) -> App<'_> {
    spawn_app_with(database, Options::default()).await
}

pub async fn spawn_app_with(database: &Database, options: Options) -> App<'_> {
    let clock = Arc::new(ManualClock::new(Timestamp::parse_iso(START).unwrap()));
    let (blob, limits) = engines(database).await;
    let uploads = UploadSettings::new(std::env::temp_dir().join("recto-tests"), testing::recto());
    let settings = Settings {
        plans: plans(),
        build_cooldown: options.cooldown,
        postpone_builds: false,
        site_url: "http://{site}.localhost:8081".into(),
        domain_scheme: "https",
        purge_after: Duration::from_secs(30 * 24 * 3600),
        keep_releases: 3,
        custom_head: options.custom_head,
        private_hubs: false,
        build_time_limit: Duration::from_secs(600),
        disks: vec![std::env::temp_dir()],
        min_free: Some(ByteSize(options.min_free)),
        uploads: UploadSettings { limits: limits.clone(), ..uploads },
    };
    let publisher = Publisher::new(database.store().clone(), blob, clock.clone(), settings);
    let app = server::App::new(AppParts {
        publisher: publisher.clone(),
        limiter: Limiter::new(limits.clone()),
        clock: clock.clone(),
        trusted_proxies: options.trusted_proxies.iter().map(|net| net.parse().unwrap()).collect(),
        dev: options.dev,
        max_body: options.max_body,
        url: options.url.into(),
    });
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = server::router(app);
    tokio::spawn(server::serve(listener, router.clone(), ListenLimits::default(), CancellationToken::new()));
    let anonymous = Client::new(address, clock.clone());
    let acme = create_account(&publisher, &anonymous, "Acme", options.plan).await;
    let client = acme.client.clone();
    App { database, publisher, clock, address, router, acme, client, limits }
}

/// The built-in plans and a tiny one.
fn plans() -> Vec<Plan> {
    let tiny = Plan { name: "tiny".into(), pages: 3, text: ByteSize(100), ..Plan::largest() };
    Plan::shipped().into_iter().chain([tiny]).collect()
}

async fn create_account(publisher: &Publisher, anonymous: &Client, name: &str, plan: &str) -> Account {
    let made = publisher.account_create(AccountName::parse(name).unwrap(), plan).await.unwrap();
    Account {
        id: made.account_id,
        site: made.site_id.to_string(),
        deploy_url: made.deploy_url,
        token_id: made.token_id,
        client: anonymous.with_token(&made.token),
    }
}

impl App<'_> {
    /// A client without a token.
    pub fn anonymous(&self) -> Client {
        Client::new(self.address, self.clock.clone())
    }

    pub async fn account(&self, name: &str) -> Account {
        create_account(&self.publisher, &self.anonymous(), name, "pro").await
    }

    /// Creates another site of Acme's, a second later: the first site is the default.
    pub async fn site(&self, name: &str) -> String {
        self.advance(Duration::from_secs(1));
        let site = self.publisher.site_create(self.acme.id, SiteName::parse(name).unwrap()).await;
        site.unwrap().id.to_string()
    }

    /// Another token of Acme's.
    pub async fn token(&self) -> Client {
        let token = self.publisher.token_create(self.acme.id, TokenName::default()).await.unwrap();
        self.anonymous().with_token(&token.token)
    }

    pub fn now(&self) -> String {
        self.clock.now().to_string()
    }

    pub fn advance(&self, time: Duration) {
        self.clock.advance(time);
    }

    /// Stored fields of a page that the API does not return; the site is built from them.
    pub async fn stored(&self, page: &Value) -> Value {
        let site = SiteId::parse(&self.acme.site).unwrap();
        let id = PageId::parse(page["id"].as_str().unwrap()).unwrap();
        let stored = self.database.store().read(move |tx| {
            let page = store::pages::by_ids(tx, site, std::iter::once(id))?.remove(0);
            let mut text = |id: Option<store::texts::TextId>| match id {
                Some(id) => store::texts::body(tx, id),
                None => Ok(None),
            };
            Ok::<_, store::Error>((
                text(page.content.map(|text| text.id))?,
                text(page.params.map(|text| text.id))?,
                page.api_endpoint,
            ))
        });
        let (content, params, api_endpoint) = stored.await.unwrap();
        let params: Value = serde_json::from_str(&params.unwrap_or("{}".into())).unwrap();
        json!({"content": content.unwrap_or_default(), "params": params, "apiEndpoint": api_endpoint})
    }
}

/// Sent a minute later, when the windows of a minute are empty.
pub fn a_minute_later(app: &App) {
    app.advance(Duration::from_secs(60));
}
