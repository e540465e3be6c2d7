//! A real server, configured like in production, except for rate limits, cooldown and quota, which are effectively off.

mod form;
mod log;
mod visit;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

pub use self::form::Part;
pub use self::log::Built;
use self::log::Log;
pub use self::visit::contains;
use crate::corpus::Page;

/// A build that takes longer has failed.
const BUILD_TIMEOUT: Duration = Duration::from_secs(600);
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Clock ticks in `/proc`, on all common Linux systems.
const TICKS_PER_SECOND: f64 = 100.0;
/// Pages per request.
const BATCH: usize = 5000;

pub struct Recto {
    process: Child,
    pub base: String,
    pub account: String,
    pub token: String,
    pub client: reqwest::Client,
    /// The address for visitors, and the host name they request.
    pub sites: String,
    pub host: String,
    log: Log,
    directory: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Recto {
    pub async fn start(variables: &[(&str, String)]) -> Result<Recto> {
        let directory = tempfile::tempdir()?;
        let (api, sites) = (spare_address()?, spare_address()?);
        let mut process = Command::new(binary()?)
            .args(["serve", "--dev", "--json", "--data"])
            .arg(directory.path())
            .env("RECTO_API_LISTEN", &api)
            .env("RECTO_SITES_LISTEN", &sites)
            .env("RECTO_BUILDS_COOLDOWN_SECONDS", "0")
            .env("RECTO_PLANS_PRO_BUILDS_PER_MONTH", "1000000")
            .env("RECTO_LOG_FORMAT", "json")
            .env("RECTO_LOG_FILTER", "warn,recto_publisher::build=info")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let log = Log::read(process.stderr.take().context("stderr")?);
        let first = log::first_line(process.stdout.take().context("stdout")?)?;
        let text =
            |key: &str| first[key].as_str().map(str::to_owned).context("the first start prints an account");
        let (account, token, address) = (text("accountId")?, text("token")?, text("deployUrl")?);
        let redirects = reqwest::redirect::Policy::none();
        let client = reqwest::Client::builder().pool_max_idle_per_host(256).redirect(redirects).build()?;
        let recto = Recto {
            process,
            base: format!("http://{api}"),
            account,
            token,
            client,
            sites: format!("http://{sites}"),
            host: address.trim_start_matches("http://").to_owned(),
            log,
            directory,
            variables: variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        };
        recto.ready().await?;
        Ok(recto)
    }

    async fn ready(&self) -> Result<()> {
        for _ in 0..500 {
            let answer = self.client.get(format!("{}/readyz", self.base)).send().await;
            if answer.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        bail!("the server did not become ready")
    }

    fn url(&self, path: &str) -> String {
        format!("{}/api/v1/public{path}", self.base)
    }

    pub async fn publish(&self, body: Vec<u8>) -> Result<()> {
        self.post("/pages", body).await.map(drop)
    }

    pub async fn publish_all(&self, site: Option<&str>, pages: &[Page]) -> Result<()> {
        for batch in pages.chunks(BATCH) {
            let body = json!({ "siteId": site, "pages": batch });
            self.publish(serde_json::to_vec(&body)?).await?;
        }
        Ok(())
    }

    async fn post(&self, path: &str, body: Vec<u8>) -> Result<String> {
        let request = self.client.post(self.url(path)).bearer_auth(&self.token);
        let answer = request.header("content-type", "application/json").body(body).send().await?;
        let status = answer.status();
        let text = answer.text().await?;
        if !status.is_success() {
            bail!("{status}: {}", &text[..text.len().min(500)]);
        }
        Ok(text)
    }

    pub async fn list(&self) -> Result<bytes::Bytes> {
        let answer = self.client.get(self.url("/pages")).bearer_auth(&self.token).send().await?;
        Ok(answer.error_for_status()?.bytes().await?)
    }

    /// The smallest possible request: the cost of the loopback and HTTP alone.
    pub async fn round_trip(&self) -> Result<()> {
        self.client.get(format!("{}/healthz", self.base)).send().await?.error_for_status()?.bytes().await?;
        Ok(())
    }

    /// From the trigger until the release is live.
    pub async fn build(&self, site: Option<&str>) -> Result<()> {
        let start = Instant::now();
        self.post("/builds", serde_json::to_vec(&json!({ "siteId": site }))?).await?;
        let latest = match site {
            Some(site) => self.url(&format!("/builds/latest?siteId={site}")),
            None => self.url("/builds/latest"),
        };
        while start.elapsed() < BUILD_TIMEOUT {
            let answer = self.client.get(&latest).bearer_auth(&self.token).send().await?;
            let build: Value = answer.error_for_status()?.json().await?;
            match build["status"].as_str() {
                Some("success") => return Ok(()),
                Some("failed") => bail!("the build failed: {}", build["error"]),
                _ => tokio::time::sleep(POLL_INTERVAL).await,
            }
        }
        bail!("the build took longer than {BUILD_TIMEOUT:?}")
    }

    /// The log of the last finished build; `before` is the number of builds finished before it.
    pub async fn built(&self, before: usize) -> Result<Built> {
        self.log.built(before).await
    }

    pub fn builds(&self) -> usize {
        self.log.builds()
    }

    /// Runs an operator's command while the server is running; returns its output.
    pub fn command(&self, arguments: &[&str]) -> Result<Value> {
        let mut command = Command::new(binary()?);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let done = command.args(arguments).args(["--json", "--data"]).arg(self.directory.path()).output()?;
        ensure!(done.status.success(), "recto {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        Ok(serde_json::from_slice(&done.stdout)?)
    }

    /// The name of the site created on first start.
    pub fn site(&self) -> &str {
        self.host.split('.').next().unwrap_or_default()
    }

    /// A directory on the same disk that is removed with the server.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A figure of `/proc/<pid>/status` in MB: `VmRSS` is the current value, `VmHWM` the peak.
    pub fn memory_mb(&self, name: &str) -> Result<f64> {
        process_memory_mb(self.process.id(), name)
    }

    /// CPU time since the start, total of all cores, in milliseconds.
    pub fn cpu_ms(&self) -> Result<f64> {
        let [own, _] = self.cpu()?;
        Ok(own)
    }

    /// The same, including finished child processes.
    pub fn family_cpu_ms(&self) -> Result<f64> {
        Ok(self.cpu()?.iter().sum())
    }

    /// CPU time of the process, and of its children.
    fn cpu(&self) -> Result<[f64; 2]> {
        process_cpu_ms(self.process.id())
    }
}

/// CPU time of a process, and of its children, in milliseconds.
pub fn process_cpu_ms(id: u32) -> Result<[f64; 2]> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The program's name is in parentheses; the figures follow.
    let (_, figures) = stat.rsplit_once(')').context("stat")?;
    let ticks: Vec<f64> = figures.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
    // The state is a letter, not a number: user and system time are the 11th and 12th number, then those of the
    // children.
    Ok([ticks[10] + ticks[11], ticks[12] + ticks[13]].map(|ticks| ticks * 1e3 / TICKS_PER_SECOND))
}

/// A figure of `/proc/<pid>/status` in MB.
pub fn process_memory_mb(id: u32, name: &str) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find(|line| line.starts_with(name)).context("memory")?;
    let kb: f64 = line.split_whitespace().nth(1).context("memory")?.parse()?;
    Ok(kb / 1024.0)
}

impl Drop for Recto {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub fn binary() -> Result<PathBuf> {
    Ok(std::env::var_os("RECTO_BIN").context("RECTO_BIN: run bench/run")?.into())
}

pub fn spare_address() -> Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string())
}
