//! Configuration: defaults, overridden by the file, overridden by environment variables. Unknown keys and invalid values
//! are errors.

mod raw;
mod variables;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use ipnet::IpNet;
use limits::Backend;
use media::Sandbox;
use model::{ByteSize, Plan};
use publisher::host_of;
use store::{LeaseClock, Location, Schema};
use tracing_subscriber::filter::Targets;

use self::raw::{Raw, RawPlan};
pub use self::variables::Variables;
use crate::Global;

/// The checked, complete configuration. Relative paths are resolved against the data directory.
#[derive(Debug)]
pub struct Config {
    pub data: PathBuf,
    pub api_listen: SocketAddr,
    /// How people reach the dashboard, without a slash at the end.
    pub api_url: String,
    pub trusted_proxies: Vec<IpNet>,
    pub max_body: ByteSize,
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    pub sites_listen: SocketAddr,
    pub site_url: String,
    /// `http` or `https`: the scheme of the sites' URLs.
    pub site_scheme: &'static str,
    /// The most memory for cached files of sites.
    pub site_cache: ByteSize,
    /// The most bytes of a remote object store that are kept on the local disk; 0: none.
    pub site_disk_cache: ByteSize,
    /// `None`: off.
    pub admin_listen: Option<SocketAddr>,
    pub store: Location,
    /// What the server and commands that write do about an old schema.
    pub schema: Schema,
    /// The minimum free space on the disks; `None`: the larger of 1 GB and 2 %.
    pub min_free: Option<ByteSize>,
    /// The object store, for uploads and built files: `file:` and a directory, or `s3://` and a bucket.
    pub objects: String,
    /// Where rate limits are counted.
    pub limits: Backend,
    /// `None`: no scheduled backups.
    pub backup: Option<BackupSchedule>,
    pub build_cooldown: Duration,
    pub postpone_builds: bool,
    /// Concurrent builds.
    pub build_workers: usize,
    /// Whether owners may add HTML to the head of their pages.
    pub custom_head: bool,
    pub private_hubs: bool,
    /// Releases that are kept per site, for rollbacks.
    pub keep_releases: usize,
    /// A build that takes longer fails.
    pub build_time_limit: Duration,
    /// Concurrent uploads of large files.
    pub large_uploads: usize,
    /// Uploaded files that are processed concurrently.
    pub upload_workers: usize,
    /// For the process that processes uploaded files.
    pub sandbox: Sandbox,
    pub purge_after: Duration,
    pub log_json: bool,
    pub log_filter: Targets,
    pub plans: Vec<Plan>,
}

/// Backups that a server makes by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupSchedule {
    /// `file:` and a directory, or `s3://` and a bucket.
    pub url: String,
    pub every: Duration,
    /// Older ones are deleted.
    pub keep: usize,
}

/// A build is postponed at most as long as a failed build is paused.
const MAX_COOLDOWN_SECONDS: u64 = store::building::LONGEST_PAUSE.as_secs();
const MAX_COUNT: usize = 1_000_000;
/// Each may use every core, so more of them only need more memory.
const MAX_WORKERS: usize = 64;

impl Config {
    pub fn load(global: &Global) -> Result<Config> {
        let text = match &global.config {
            Some(path) => std::fs::read_to_string(path)
                .with_context(|| format!("read the configuration {}", path.display()))?,
            None => String::new(),
        };
        let (raw, unknown) = Raw::parse(&text, environment())?;
        if let Some(name) = unknown.first() {
            let hint = match variables::closest_setting(name) {
                Some(meant) => format!("did you mean {meant}?"),
                None => "the README lists all settings".to_owned(),
            };
            bail!("the environment variable {name} is not a Recto setting; {hint}");
        }
        Config::check(raw, &global.data)
    }

    /// For a site that is shown while it is written: nothing of the environment, no limits.
    pub fn for_preview(data: &Path, sites: SocketAddr) -> Result<Config> {
        let mut raw = Raw::default();
        raw.sites.url = format!("http://{{site}}.localhost:{}", sites.port());
        raw.store.min_free = "1 MB".into();
        raw.builds.cooldown_seconds = 0;
        raw.log.filter = "warn".into();
        let mut config = Config::check(raw, data)?;
        config.sites_listen = sites;
        for plan in &mut config.plans {
            plan.builds_per_month = u64::from(u32::MAX);
        }
        Ok(config)
    }

    /// Whether this is a local setup: sites are only reachable from this machine, under `.localhost`, without a proxy.
    pub fn is_local(&self) -> bool {
        self.sites_listen.ip().is_loopback()
            && self.trusted_proxies.is_empty()
            && host_of(&self.site_url).ends_with(".localhost")
    }

    fn check(raw: Raw, data: &Path) -> Result<Config> {
        let address = |key: &str, text: &str| -> Result<SocketAddr> {
            text.parse().map_err(|_| anyhow!("{key}: {text:?} is not an address such as 127.0.0.1:8080"))
        };
        if !raw.sites.url.contains("{site}") {
            bail!(
                "sites.url: {:?} does not contain {{site}}, which stands for the site's name",
                raw.sites.url
            );
        }
        Ok(Config {
            api_listen: address("api.listen", &raw.api.listen)?,
            api_url: api_url(&raw.api)?,
            trusted_proxies: raw
                .api
                .trusted_proxies
                .iter()
                .map(|text| network(text))
                .collect::<Result<_>>()?,
            max_body: size("api.max_body", &raw.api.max_body)?,
            max_connections: limit("api.max_connections", raw.api.max_connections, MAX_COUNT)?,
            max_connections_per_address: limit(
                "api.max_connections_per_address",
                raw.api.max_connections_per_address,
                MAX_COUNT,
            )?,
            sites_listen: address("sites.listen", &raw.sites.listen)?,
            site_url: raw.sites.url.trim_end_matches('/').to_owned(),
            site_scheme: scheme(&raw.sites.url)?,
            site_cache: size("sites.cache", &raw.sites.cache)?,
            site_disk_cache: size("sites.disk_cache", &raw.sites.disk_cache)?,
            admin_listen: match raw.admin.listen.as_str() {
                "" => None,
                text => Some(address("admin.listen", text)?),
            },
            store: location(&raw.store, data)?,
            schema: match raw.store.upgrade.as_str() {
                "auto" => Schema::Upgrade,
                "manual" => Schema::Create,
                other => bail!("store.upgrade: {other:?} is neither auto nor manual"),
            },
            min_free: match raw.store.min_free.as_str() {
                "" => None,
                text => Some(size("store.min_free", text)?),
            },
            objects: storage("objects.url", &raw.objects.url, data)?,
            // Without the URL, which may contain a password.
            limits: Backend::from_url(&raw.limits.url).map_err(|error| anyhow!("limits.url: {error}"))?,
            backup: backup(&raw.backup, data)?,
            build_cooldown: Duration::from_secs(raw.builds.cooldown_seconds),
            postpone_builds: match raw.builds.cooldown_seconds {
                MAX_COOLDOWN_SECONDS.. if raw.builds.postpone => {
                    bail!("builds.postpone needs a builds.cooldown_seconds below {MAX_COOLDOWN_SECONDS}")
                }
                _ => raw.builds.postpone,
            },
            build_workers: limit("builds.workers", raw.builds.workers, MAX_WORKERS)?,
            custom_head: raw.sites.custom_head,
            private_hubs: raw.sites.private_hubs,
            keep_releases: limit("builds.keep_releases", raw.builds.keep_releases, MAX_COUNT)?,
            build_time_limit: Duration::from_secs(
                60 * limit("builds.time_limit_minutes", raw.builds.time_limit_minutes, MAX_COUNT)? as u64,
            ),
            large_uploads: limit("uploads.large", raw.uploads.large, MAX_COUNT)?,
            upload_workers: limit("uploads.workers", raw.uploads.workers, MAX_WORKERS)?,
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

/// Variables of other programs may contain any bytes; in Recto's variables, invalid bytes lead to an invalid value.
fn environment() -> impl Iterator<Item = (String, String)> {
    let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    std::env::vars_os().map(move |(name, value)| (lossy(name), lossy(value)))
}

/// A directory or a bucket.
fn storage(key: &str, url: &str, data: &Path) -> Result<String> {
    match (url.strip_prefix("file:"), url.strip_prefix("s3://")) {
        (Some(""), _) => bail!("{key}: {url:?} has no directory; it must look like file:objects"),
        (_, Some("")) => bail!("{key}: {url:?} has no bucket; it must look like s3://bucket/prefix"),
        (Some(path), _) => Ok(format!("file:{}", data.join(path).display())),
        (_, Some(_)) => Ok(url.to_owned()),
        (None, None) => bail!("{key}: {url:?} must begin with file: or s3://"),
    }
}

fn backup(raw: &raw::Backup, data: &Path) -> Result<Option<BackupSchedule>> {
    let every = interval("backup.every", &raw.every)?;
    let keep = limit("backup.keep", raw.keep, MAX_COUNT)?;
    match raw.url.as_str() {
        "" => Ok(None),
        url => Ok(Some(BackupSchedule { url: storage("backup.url", url, data)?, every, keep })),
    }
}

/// `90m`, `24h` or `7d`: at least a minute, and at most a year.
fn interval(key: &str, text: &str) -> Result<Duration> {
    let units = [("m", 60), ("h", 3600), ("d", 24 * 3600)];
    let parse = |(unit, seconds): (&str, u64)| {
        let number: u64 = text.trim().strip_suffix(unit)?.trim().parse().ok()?;
        number.checked_mul(seconds).filter(|seconds| (60..=366 * 24 * 3600).contains(seconds))
    };
    let seconds = units.into_iter().find_map(parse);
    let wrong = || anyhow!("{key}: {text:?} is not a time such as 90m, 24h or 7d, from a minute to a year");
    seconds.map(Duration::from_secs).ok_or_else(wrong)
}

fn scheme(url: &str) -> Result<&'static str> {
    let known = ["http", "https"].into_iter().find(|scheme| url.starts_with(&format!("{scheme}://")));
    known.ok_or_else(|| anyhow!("sites.url: {url:?} must begin with http:// or https://"))
}

/// An origin: a path would make the addresses inside the dashboard wrong.
fn api_url(raw: &raw::Api) -> Result<String> {
    if raw.url.is_empty() {
        return Ok(format!("http://{}", raw.listen));
    }
    let url = raw.url.trim_end_matches('/');
    let host = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    match host.filter(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' '])) {
        Some(_) => Ok(url.to_owned()),
        None => bail!("api.url: {:?} is not an address such as https://recto.example.com", raw.url),
    }
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

fn filter(text: &str) -> Result<Targets> {
    let example = "it must look like info or info,recto_store=debug";
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    parts.join(",").parse().map_err(|error| anyhow!("log.filter: {text:?}: {error}; {example}"))
}

/// A number from 1 to `most`.
fn limit(key: &str, number: u64, most: usize) -> Result<usize> {
    let number = usize::try_from(number).ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| anyhow!("{key} must be from 1 to {most}"))
}

/// The database at another URL than `store.url`.
pub fn store_at(option: &str, url: &str, data: &Path) -> Result<Location> {
    let raw = raw::Store { url: url.to_owned(), ..raw::Store::default() };
    location(&raw, data).map_err(|error| anyhow!("{}", error.to_string().replacen("store.url", option, 1)))
}

/// The object store at another URL than `objects.url`.
pub fn objects_at(option: &str, url: &str, data: &Path) -> Result<String> {
    storage(option, url, data)
}

fn location(raw: &raw::Store, data: &Path) -> Result<Location> {
    let url = raw.url.as_str();
    if let Some(path) = url.strip_prefix("sqlite:") {
        return Ok(Location::Sqlite {
            path: data.join(path),
            group: limit("store.group_commit", raw.group_commit, MAX_COUNT)?,
        });
    }
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        let connections = limit("store.connections", raw.connections, MAX_COUNT)?;
        let url = store::with_password(url, |name| std::env::var(name).ok());
        let url = url.map_err(|error| anyhow!("store.url: {error}"))?;
        return Ok(Location::Postgres { url, connections, leases: LeaseClock::Database });
    }
    // Without its value, which may contain a password.
    bail!("store.url must begin with sqlite: or postgres://")
}

/// The built-in plans, with the configured changes, and the operator's own plans.
fn plans(raw: BTreeMap<String, RawPlan>) -> Result<Vec<Plan>> {
    let mut plans = Plan::shipped();
    for (name, changes) in raw {
        let key = |key: &str| format!("plans.{name}.{key}");
        let file_size = changes.file_size.map(|text| size(&key("file_size"), &text)).transpose()?;
        let storage = changes.storage.map(|text| size(&key("storage"), &text)).transpose()?;
        let (builds, pages, sites) = (changes.builds_per_month, changes.pages, changes.sites);
        let text = changes.text.map(|text| size(&key("text"), &text)).transpose()?;
        if let Some(plan) = plans.iter_mut().find(|plan| plan.name == name) {
            plan.file_size = file_size.unwrap_or(plan.file_size);
            plan.storage = storage.unwrap_or(plan.storage);
            plan.builds_per_month = builds.unwrap_or(plan.builds_per_month);
            plan.pages = pages.unwrap_or(plan.pages);
            plan.text = text.unwrap_or(plan.text);
            plan.sites = sites.unwrap_or(plan.sites);
            continue;
        }
        let needed = "a new plan needs file_size, storage and builds_per_month";
        let missing = |wanted: &str| anyhow!("{} is missing; {needed}", key(wanted));
        // Plans from before these limits existed get those of the largest built-in plan.
        let largest = Plan::largest();
        plans.push(Plan {
            pages: pages.unwrap_or(largest.pages),
            text: text.unwrap_or(largest.text),
            sites: sites.unwrap_or(largest.sites),
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
