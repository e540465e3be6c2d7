//! A second node of an installation, which only serves sites.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Result, bail};
use bytes::Bytes;
use reqwest::StatusCode;

use crate::recto::{binary, process_cpu_ms, process_memory_mb, spare_address};

pub struct SitesNode {
    process: Child,
    pub base: String,
    host: String,
    client: reqwest::Client,
    _directory: tempfile::TempDir,
}

impl SitesNode {
    pub async fn start(variables: &[(&str, String)], host: &str) -> Result<SitesNode> {
        let (directory, address) = (tempfile::tempdir()?, spare_address()?);
        let process = Command::new(binary()?)
            .args(["serve", "--role", "sites", "--data"])
            .arg(directory.path())
            .env("RECTO_SITES_LISTEN", &address)
            .env("RECTO_LOG_FILTER", "warn")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::null())
            .spawn()?;
        let client = reqwest::Client::builder().no_proxy().build()?;
        let base = format!("http://{address}");
        let node = SitesNode { process, base, host: host.to_owned(), client, _directory: directory };
        for _ in 0..500 {
            let ready = node.client.get(format!("{}/readyz", node.base)).send().await;
            if ready.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(node);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        bail!("the second node did not become ready")
    }

    pub async fn visit(&self, path: &str) -> Result<(StatusCode, Bytes)> {
        let request = self.client.get(format!("{}{path}", self.base)).header("host", &self.host);
        let answer = request.send().await?;
        Ok((answer.status(), answer.bytes().await?))
    }

    pub fn cpu_ms(&self) -> Result<f64> {
        Ok(process_cpu_ms(self.process.id())?[0])
    }

    pub fn describe(&self) -> Result<String> {
        let memory = process_memory_mb(self.process.id(), "VmRSS")?;
        Ok(format!("a node that only serves sites has {memory:.0} MB after all this"))
    }
}

impl Drop for SitesNode {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
