//! `recto site build`: queues a build, and waits for it if asked to.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use model::TokenId;
use publisher::{Caller, Error, Publisher};
use serde::Serialize;
use serde_json::json;
use store::sites::Site;

use crate::output;

/// A server that runs looks for builds of other processes every second.
const SERVER_TAKES: Duration = Duration::from_secs(3);
const GLANCE: Duration = Duration::from_millis(50);

#[derive(Args)]
pub struct Build {
    /// Its id or name
    site: String,
    /// Wait until the build is over, and fail if it does. Where no server takes it within three seconds, this
    /// command builds by itself
    #[arg(long)]
    wait: bool,
}

impl Build {
    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let site = publisher.site_find(&self.site).await?;
        let build = publisher.site_build(&site).await?;
        let address = super::address(publisher, &site).await?;
        if !self.wait {
            if json {
                output::json(&json!({ "siteId": site.id, "buildId": build, "status": "queued" }));
            } else {
                output::line(
                    "a build is queued; a running server takes it within a second (--wait waits for it)",
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

/// What became of a build that was queued just now. A newer one of the site includes it.
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
            None => bail!("the site was deleted meanwhile"),
        };
        progress.set_message(status);
        // A build that runs may be one of a server that died meanwhile: it is taken over, too, when its lease is over.
        let helps = start.elapsed() > SERVER_TAKES;
        if helps && !checked {
            publisher.check_objects().await?;
            checked = true;
        }
        if !helps || !publisher.run_next_build().await? {
            tokio::time::sleep(GLANCE).await;
        }
    }
}

/// The newest build that somebody asked for, in the API's words.
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
        write!(f, "{status}, asked for by {triggered_by} at {created_at}")?;
        match (completed_at, error) {
            (_, Some(error)) => write!(f, ": {error}"),
            (Some(_), None) => write!(f, ", took {:.2} s", self.seconds()),
            (None, None) => Ok(()),
        }
    }
}

/// `None`: the site was never built.
pub async fn last_build(publisher: &Publisher, site: &Site) -> Result<Option<LastBuild>> {
    // The operator asks what the site's own account may ask.
    let owner = Caller {
        token: TokenId::new(site.created_at),
        account: site.account,
        plan: String::new(),
        suspended: false,
    };
    match publisher.latest_build(&owner, Some(site.id)).await {
        Ok(build) => Ok(Some(LastBuild {
            status: build.status,
            triggered_by: build.triggered_by,
            created_at: build.created_at,
            completed_at: build.completed_at,
            duration_ms: build.duration_ms,
            error: build.error,
        })),
        Err(Error::NoBuild | Error::NoSuchSite) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
