//! A real server, as an operator runs it, with rate limits that refuse nothing.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

pub struct Recto {
    process: Child,
    pub base: String,
    pub token: String,
    pub client: reqwest::Client,
    _data: tempfile::TempDir,
}

impl Recto {
    pub async fn start(variables: &[(&str, String)]) -> Result<Recto> {
        let data = tempfile::tempdir()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut process = Command::new(std::env::var("RECTO_BIN").context("RECTO_BIN: run bench/run")?)
            .args(["serve", "--dev", "--json", "--data"])
            .arg(data.path())
            .env("RECTO_API_LISTEN", format!("127.0.0.1:{port}"))
            .env("RECTO_LOG_FILTER", "warn")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("stdout")?).read_line(&mut line)?;
        let first: Value = serde_json::from_str(&line).context("the first start prints an account")?;
        let token = first["token"].as_str().context("token")?.to_owned();
        let base = format!("http://127.0.0.1:{port}");
        let client = reqwest::Client::builder().pool_max_idle_per_host(256).build()?;
        let recto = Recto { process, base, token, client, _data: data };
        for _ in 0..500 {
            if recto
                .client
                .get(format!("{}/readyz", recto.base))
                .send()
                .await
                .is_ok_and(|r| r.status().is_success())
            {
                return Ok(recto);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        bail!("the server did not get ready")
    }

    fn url(&self, path: &str) -> String {
        format!("{}/api/v1/public{path}", self.base)
    }

    pub async fn publish(&self, body: Vec<u8>) -> Result<()> {
        let request = self.client.post(self.url("/pages")).bearer_auth(&self.token);
        let answer = request.header("content-type", "application/json").body(body).send().await?;
        let status = answer.status();
        let text = answer.text().await?;
        if !status.is_success() {
            bail!("{status}: {}", &text[..text.len().min(500)]);
        }
        Ok(())
    }

    pub async fn list(&self) -> Result<bytes::Bytes> {
        let answer = self.client.get(self.url("/pages")).bearer_auth(&self.token).send().await?;
        Ok(answer.error_for_status()?.bytes().await?)
    }

    /// The smallest request there is: what the loopback and HTTP cost by themselves.
    pub async fn round_trip(&self) -> Result<()> {
        self.client.get(format!("{}/healthz", self.base)).send().await?.error_for_status()?.bytes().await?;
        Ok(())
    }

    /// A figure of `/proc/<pid>/status` in MB: `VmRSS` now, `VmHWM` at its highest.
    pub fn memory_mb(&self, name: &str) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find(|line| line.starts_with(name)).context("memory")?;
        let kb: f64 = line.split_whitespace().nth(1).context("memory")?.parse()?;
        Ok(kb / 1024.0)
    }
}

impl Drop for Recto {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
