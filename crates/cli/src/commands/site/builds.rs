//! `recto site build`: queues a build and optionally waits for it.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use publisher::Publisher;
use serde::Serialize;
use serde_json::json;
use store::sites::Site;

use crate::output;

/// A running server checks for builds of other processes every second.
const SERVER_STARTS_WITHIN: Duration = Duration::from_secs(3);
const POLL_EVERY: Duration = Duration::from_millis(50);

#[derive(Args)]
pub struct Build {
    /// The site's id or name
    site: String,
    /// Wait until the build has ended, and fail if it fails. If no server starts it within three seconds, this command
    /// runs the build itself
    #[arg(long)]
    wait: bool,
}

impl Build {
    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let site = publisher.site_find(&self.site).await?;
        let build = publisher.site_build(&site).await?;
        let address = super::main_url(publisher, &site).await?;
        if !self.wait {
            if json {
                output::json(&json!({ "siteId": site.id, "buildId": build, "status": "queued" }));
            } else {
                output::line(
                    "build queued; a running server starts it within a second (--wait waits for it)",
                );
                output::line(format!("open {address}"));
            }
            return Ok(());
        }
        let over = wait(publisher, &site, json).await?;
        if let Some(error) = over.error {
            bail!("the build failed: {error}");
        }
        if json {
            let LastBuild { status, duration_ms, .. } = over;
            output::json(
                &json!({ "siteId": site.id, "buildId": build, "status": status, "durationMs": duration_ms }),
            );
        } else {
            output::line(format!("built in {:.2} s", over.seconds()));
            output::line(format!("open {address}"));
        }
        Ok(())
    }
}

/// Waits for the site's newest build, which is the one just queued or a newer one that includes it.
async fn wait(publisher: &Publisher, site: &Site, json: bool) -> Result<LastBuild> {
    let progress = output::progress("{spinner} {msg} ({elapsed})", json);
    let (start, mut checked) = (Instant::now(), false);
    loop {
        let last = last_build(publisher, site).await?;
        let status = match last {
            Some(last) if last.completed_at.is_some() => {
                progress.finish_and_clear();
                return Ok(last);
            }
            Some(last) => last.status,
            None => bail!("the site was deleted in the meantime"),
        };
        progress.set_message(status);
        // A running build may belong to a server that has died: it is taken over, too, when its lease has expired.
        let builds_itself = start.elapsed() > SERVER_STARTS_WITHIN;
        if builds_itself && !checked {
            publisher.check_objects().await?;
            checked = true;
        }
        if !builds_itself || !publisher.run_next_build().await? {
            tokio::time::sleep(POLL_EVERY).await;
        }
    }
}

/// The newest build that was requested, in the format of the API.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastBuild {
    pub status: &'static str,
    pub triggered_by: &'static str,
    pub created_at: String,
    pub completed_at: Option<String>,
    pub duration_ms: Option<u64>,
    pub error: Option<String>,
}

impl LastBuild {
    fn seconds(&self) -> f64 {
        self.duration_ms.unwrap_or_default() as f64 / 1e3
    }
}

impl fmt::Display for LastBuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LastBuild { status, triggered_by, created_at, completed_at, error, .. } = self;
        write!(f, "{status}, triggered by {triggered_by} at {created_at}")?;
        match (completed_at, error) {
            (_, Some(error)) => write!(f, ": {error}"),
            (Some(_), None) => write!(f, ", took {:.2} s", self.seconds()),
            (None, None) => Ok(()),
        }
    }
}

/// `None`: the site has no build yet.
pub async fn last_build(publisher: &Publisher, site: &Site) -> Result<Option<LastBuild>> {
    let build = publisher.site_latest_build(site).await?;
    Ok(build.map(|build| LastBuild {
        status: build.status,
        triggered_by: build.triggered_by,
        created_at: build.created_at,
        completed_at: build.completed_at,
        duration_ms: build.duration_ms,
        error: build.error,
    }))
}
