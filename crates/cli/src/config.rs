//! Configuration: defaults, then the file, then the environment. What is unknown or wrong stops the start with a
//! message that names it.

mod raw;
mod variables;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use ipnet::IpNet;
use media::Sandbox;
use model::{ByteSize, Plan};
use store::{LeaseClock, Location};
use tracing_subscriber::EnvFilter;

use self::raw::{Raw, RawPlan};
pub use self::variables::Variables;
use crate::Global;

/// Checked, complete, and with paths below the data directory.
#[derive(Debug)]
pub struct Config {
    pub data: PathBuf,
    pub api_listen: SocketAddr,
    pub trusted_proxies: Vec<IpNet>,
    pub max_body: ByteSize,
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    pub sites_listen: SocketAddr,
    pub site_url: String,
    /// `http` or `https`: that of the sites' addresses.
    pub site_scheme: &'static str,
    /// The most that the files of sites may take in memory.
    pub site_cache: ByteSize,
    /// `None`: off.
    pub admin_listen: Option<SocketAddr>,
    pub store: Location,
    /// The space that must be left on the disks; `None`: the larger of 1 GB and 2 %.
    pub min_free: Option<ByteSize>,
    /// Where uploads and what builds make are kept: `file:` and a directory, or `s3://` and a bucket.
    pub objects: String,
    pub build_cooldown: Duration,
    pub postpone_builds: bool,
    /// Builds at a time.
    pub build_workers: usize,
    /// Of each site, for rollbacks.
    pub keep_releases: usize,
    /// A build that takes longer has failed.
    pub build_time_limit: Duration,
    /// Large files that arrive at a time.
    pub large_uploads: usize,
    /// Files that are opened at a time.
    pub upload_workers: usize,
    /// Around what opens them.
    pub sandbox: Sandbox,
    pub purge_after: Duration,
    pub log_json: bool,
    pub log_filter: EnvFilter,
    pub plans: Vec<Plan>,
}

/// A build waits at most as long as one that failed.
const LONGEST_POSTPONED: u64 = store::building::LONGEST_PAUSE.as_secs();
const MANY: usize = 1_000_000;
/// Each may use every core; more of them only take memory from each other.
const MOST_WORKERS: usize = 64;

impl Config {
    pub fn load(global: &Global) -> Result<Config> {
        let text = match &global.config {
            Some(path) => std::fs::read_to_string(path)
                .with_context(|| format!("read the configuration {}", path.display()))?,
            None => String::new(),
        };
        let (raw, unknown) = Raw::parse(&text, environment())?;
        if let Some(name) = unknown.first() {
            let hint = match variables::meant(name) {
                Some(meant) => format!("did you mean {meant}?"),
                None => "the README lists them".to_owned(),
            };
            bail!("the variable {name} is none of recto's settings; {hint}");
        }
        Config::check(raw, &global.data)
    }

    /// A machine of one's own, as far as the settings say: sites are served to it alone, under names that only it knows,
    /// and behind no proxy.
    pub fn is_local(&self) -> bool {
        let host = self.site_url.split("://").nth(1).and_then(|rest| rest.split(['/', ':']).next());
        self.sites_listen.ip().is_loopback()
            && self.trusted_proxies.is_empty()
            && host.is_some_and(|host| host.ends_with(".localhost"))
    }

    fn check(raw: Raw, data: &Path) -> Result<Config> {
        let address = |key: &str, text: &str| -> Result<SocketAddr> {
            text.parse().map_err(|_| anyhow!("{key}: {text:?} is no address; it looks like 127.0.0.1:8080"))
        };
        if !raw.sites.url.contains("{site}") {
            bail!("sites.url: {:?} does not say {{site}} where the site's name belongs", raw.sites.url);
        }
        only_embedded("limits.url", &raw.limits.url, "memory:")?;
        Ok(Config {
            api_listen: address("api.listen", &raw.api.listen)?,
            trusted_proxies: raw
                .api
                .trusted_proxies
                .iter()
                .map(|text| network(text))
                .collect::<Result<_>>()?,
            max_body: size("api.max_body", &raw.api.max_body)?,
            max_connections: limit("api.max_connections", raw.api.max_connections, MANY)?,
            max_connections_per_address: limit(
                "api.max_connections_per_address",
                raw.api.max_connections_per_address,
                MANY,
            )?,
            sites_listen: address("sites.listen", &raw.sites.listen)?,
            site_url: raw.sites.url.trim_end_matches('/').to_owned(),
            site_scheme: scheme(&raw.sites.url)?,
            site_cache: size("sites.cache", &raw.sites.cache)?,
            admin_listen: match raw.admin.listen.as_str() {
                "" => None,
                text => Some(address("admin.listen", text)?),
            },
            store: location(&raw.store, data)?,
            min_free: match raw.store.min_free.as_str() {
                "" => None,
                text => Some(size("store.min_free", text)?),
            },
            objects: objects(&raw.objects.url, data)?,
            build_cooldown: Duration::from_secs(raw.builds.cooldown_seconds),
            postpone_builds: match raw.builds.cooldown_seconds {
                LONGEST_POSTPONED.. if raw.builds.postpone => {
                    bail!("builds.postpone needs a builds.cooldown_seconds below {LONGEST_POSTPONED}")
                }
                _ => raw.builds.postpone,
            },
            build_workers: limit("builds.workers", raw.builds.workers, MOST_WORKERS)?,
            keep_releases: limit("builds.keep_releases", raw.builds.keep_releases, MANY)?,
            build_time_limit: Duration::from_secs(
                60 * limit("builds.time_limit_minutes", raw.builds.time_limit_minutes, MANY)? as u64,
            ),
            large_uploads: limit("uploads.large", raw.uploads.large, MANY)?,
            upload_workers: limit("uploads.workers", raw.uploads.workers, MOST_WORKERS)?,
            sandbox: match raw.uploads.sandbox.as_str() {
                "on" => Sandbox::Required,
                "off" => Sandbox::Off,
                other => bail!("uploads.sandbox: {other:?} is neither on nor off"),
            },
            purge_after: Duration::from_secs(raw.pages.purge_after_days.saturating_mul(24 * 3600)),
            log_json: match raw.log.format.as_str() {
                "text" => false,
                "json" => true,
                other => bail!("log.format: {other:?} is neither text nor json"),
            },
            log_filter: filter(&raw.log.filter)?,
            plans: plans(raw.plans)?,
            data: data.to_owned(),
        })
    }
}

/// Others' variables may hold any bytes; ours that do will be refused as the value they become.
fn environment() -> impl Iterator<Item = (String, String)> {
    let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    std::env::vars_os().map(move |(name, value)| (lossy(name), lossy(value)))
}

/// Redis is for several machines, which this version does not run on yet.
fn only_embedded(key: &str, url: &str, scheme: &str) -> Result<()> {
    if !url.starts_with(scheme) {
        bail!("{key}: {url:?} is not supported by this version; use {scheme}");
    }
    Ok(())
}

fn objects(url: &str, data: &Path) -> Result<String> {
    match (url.strip_prefix("file:"), url.strip_prefix("s3://")) {
        (Some(""), _) => bail!("objects.url: {url:?} names no directory; it looks like file:objects"),
        (_, Some("")) => bail!("objects.url: {url:?} names no bucket; it looks like s3://bucket/prefix"),
        (Some(path), _) => Ok(format!("file:{}", data.join(path).display())),
        (_, Some(_)) => Ok(url.to_owned()),
        (None, None) => bail!("objects.url: {url:?} begins with neither file: nor s3://"),
    }
}

fn scheme(url: &str) -> Result<&'static str> {
    let known = ["http", "https"].into_iter().find(|scheme| url.starts_with(&format!("{scheme}://")));
    known.ok_or_else(|| anyhow!("sites.url: {url:?} begins with neither http:// nor https://"))
}

fn network(text: &str) -> Result<IpNet> {
    let network = text.parse().or_else(|_| text.parse().map(|ip: std::net::IpAddr| IpNet::from(ip)));
    network.map_err(|_| {
        anyhow!("api.trusted_proxies: {text:?} is neither an address nor a network such as 10.0.0.0/8")
    })
}

fn size(key: &str, text: &str) -> Result<ByteSize> {
    ByteSize::parse(text).map_err(|message| anyhow!("{key}: {text:?} {message}"))
}

fn filter(text: &str) -> Result<EnvFilter> {
    let example = "it looks like info, or like info,recto_store=debug";
    EnvFilter::builder().parse(text).map_err(|error| anyhow!("log.filter: {text:?}: {error}; {example}"))
}

/// How many of something there may be: at least one.
fn limit(key: &str, number: u64, most: usize) -> Result<usize> {
    let number = usize::try_from(number).ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| anyhow!("{key} must be from 1 to {most}"))
}

fn location(raw: &raw::Store, data: &Path) -> Result<Location> {
    let url = raw.url.as_str();
    if let Some(path) = url.strip_prefix("sqlite:") {
        return Ok(Location::Sqlite {
            path: data.join(path),
            group: limit("store.group_commit", raw.group_commit, MANY)?,
        });
    }
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        let connections = limit("store.connections", raw.connections, MANY)?;
        return Ok(Location::Postgres { url: url.to_owned(), connections, leases: LeaseClock::Database });
    }
    bail!("store.url: {url:?} begins with neither sqlite: nor postgres://")
}

/// The shipped plans, each key overridden where the configuration says so, and the operator's own.
fn plans(raw: BTreeMap<String, RawPlan>) -> Result<Vec<Plan>> {
    let mut plans = Plan::shipped();
    for (name, changes) in raw {
        let key = |key: &str| format!("plans.{name}.{key}");
        let file_size = changes.file_size.map(|text| size(&key("file_size"), &text)).transpose()?;
        let storage = changes.storage.map(|text| size(&key("storage"), &text)).transpose()?;
        let (builds, pages) = (changes.builds_per_month, changes.pages);
        let text = changes.text.map(|text| size(&key("text"), &text)).transpose()?;
        if let Some(plan) = plans.iter_mut().find(|plan| plan.name == name) {
            plan.file_size = file_size.unwrap_or(plan.file_size);
            plan.storage = storage.unwrap_or(plan.storage);
            plan.builds_per_month = builds.unwrap_or(plan.builds_per_month);
            plan.pages = pages.unwrap_or(plan.pages);
            plan.text = text.unwrap_or(plan.text);
            continue;
        }
        let needed = "a new plan needs file_size, storage and builds_per_month";
        let missing = |wanted: &str| anyhow!("{} is missing; {needed}", key(wanted));
        // Plans that were written before these limits have those of the largest shipped one.
        let largest = Plan::largest();
        plans.push(Plan {
            pages: pages.unwrap_or(largest.pages),
            text: text.unwrap_or(largest.text),
            file_size: file_size.ok_or_else(|| missing("file_size"))?,
            storage: storage.ok_or_else(|| missing("storage"))?,
            builds_per_month: builds.ok_or_else(|| missing("builds_per_month"))?,
            name,
        });
    }
    Ok(plans)
}

#[cfg(test)]
mod tests;
