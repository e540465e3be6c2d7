//! The operator's settings.

use std::path::PathBuf;
use std::time::Duration;

use limits::Backend;
use media::{Ffmpeg, Program, Sandbox};
use model::{ByteSize, Plan, SiteName};
use store::usage::Quota;

/// Stands for the site's name in `Settings::site_url`.
const SITE: &str = "{site}";

/// The host of a site's address, or of the pattern of such addresses: without scheme, port and path.
pub fn host_of(site_url: &str) -> &str {
    let rest = site_url.split_once("://").map_or(site_url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

/// The settings that the use cases depend on.
#[derive(Debug, Clone)]
pub struct Settings {
    pub plans: Vec<Plan>,
    /// Between two builds of a site; zero switches it off.
    pub build_cooldown: Duration,
    /// A build requested during the cooldown waits for its end instead of being refused.
    pub postpone_builds: bool,
    /// The address of a site, with `{site}` for its name.
    pub site_url: String,
    /// `http` or `https`: how a site's own domains are reached.
    pub domain_scheme: &'static str,
    /// How long deleted pages can be restored.
    pub purge_after: Duration,
    /// How many releases of a site are kept for a rollback.
    pub keep_releases: usize,
    /// Whether owners may add HTML to the head of their pages.
    pub custom_head: bool,
    /// Whether a hub may have a private address, and be reached by http.
    pub private_hubs: bool,
    /// A build that takes longer fails.
    pub build_time_limit: Duration,
    /// Directories on all disks that the server writes to, that of the database first.
    pub disks: Vec<PathBuf>,
    /// The space that must remain free there; default: the larger of 1 GB and 2 %.
    pub min_free: Option<ByteSize>,
    pub uploads: UploadSettings,
}

#[derive(Debug, Clone)]
pub struct UploadSettings {
    /// Where files wait until they are stored; best on the disk of the object store.
    pub directory: PathBuf,
    /// The program that opens files: this one, with the argument `media-worker`.
    pub worker: Program,
    /// Files that are processed at the same time.
    pub workers: usize,
    /// Large files that are received at the same time.
    pub large: usize,
    /// Where large files are counted.
    pub limits: Backend,
    /// Without it MOVs are not transcoded to MP4.
    pub ffmpeg: Option<Ffmpeg>,
}

impl UploadSettings {
    /// Settings of a server that processes two files at a time and makes no MP4.
    pub fn new(directory: PathBuf, recto: PathBuf) -> UploadSettings {
        let worker = Program { path: recto, args: vec!["media-worker".into()], sandbox: Sandbox::Required };
        UploadSettings { directory, worker, workers: 2, large: 8, limits: Backend::Memory, ffmpeg: None }
    }
}

impl Settings {
    /// A site's address on this server.
    pub fn deploy_url(&self, site: &SiteName) -> String {
        self.site_url.replace(SITE, site.as_str())
    }

    /// A site's main address: its first own domain, or else its address on this server.
    pub fn main_url(&self, site: &SiteName, domains: &[String]) -> String {
        match domains.first() {
            Some(host) => format!("{}://{host}", self.domain_scheme),
            None => self.deploy_url(site),
        }
    }

    /// The inverse of `deploy_url`: the site with this host, if the host matches the configured pattern.
    pub(crate) fn site_of_host(&self, host: &str) -> Option<SiteName> {
        let pattern = host_of(&self.site_url).to_lowercase();
        let (before, after) = pattern.split_once(SITE)?;
        SiteName::parse(host.strip_prefix(before)?.strip_suffix(after)?).ok()
    }

    /// The total that an account may use; nothing on a plan that was removed from the configuration.
    pub(crate) fn quota(&self, plan: &str) -> Quota {
        self.plan(plan).map_or(Quota::default(), |plan| Quota {
            storage: plan.storage.0,
            pages: plan.pages,
            text: plan.text.0,
        })
    }

    /// The largest file of an account; none on a plan that was removed from the configuration.
    pub(crate) fn file_size(&self, plan: &str) -> ByteSize {
        self.plan(plan).map_or(ByteSize(0), |plan| plan.file_size)
    }

    pub(crate) fn plan(&self, name: &str) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.name == name)
    }
}
