//! Announces changed feeds to the hub of a site (WebSub), after a release went live. The queue is in the database.

mod request;

use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::join_all;
use model::{SiteId, Timestamp};
use store::files::{self, Hash, Stored};
use store::pings::{self, Ping};
use store::releases::{self, Move};
use store::{Tx, hosts};
use tokio::time::timeout;

use crate::{Error, Publisher};

const FEEDS: [&str; 3] = ["/feed.xml", "/rss.xml", "/feed.json"];
/// For all requests of an attempt; less than the lease.
const DEADLINE: Duration = Duration::from_secs(15);
/// How often the queue is checked without a notification: failed attempts become due.
const CHECK_EVERY: Duration = Duration::from_secs(30);
/// The pause when the database is unavailable.
const PAUSE: Duration = Duration::from_secs(5);

/// Makes a release live. If the site has a hub and its feeds have changed, they are announced, also after a crash: the
/// same transaction queues it.
pub(crate) fn go_live(
    tx: &mut Tx,
    site: SiteId,
    release: i64,
    by: Move,
    hub: Option<&str>,
    now: Timestamp,
) -> Result<(), store::Error> {
    let Some(hub) = hub else { return releases::go_live(tx, site, release, by) };
    let before = feeds(tx, site)?;
    releases::go_live(tx, site, release, by)?;
    match feeds(tx, site)? == before {
        true => Ok(()),
        false => pings::queue(tx, site, hub, release, now),
    }
}

/// The hashes of the feeds in the live release.
fn feeds(tx: &mut Tx, site: SiteId) -> Result<BTreeMap<String, Hash>, store::Error> {
    let Some(release) = releases::live(tx, site)? else { return Ok(BTreeMap::new()) };
    let feeds = files::at_each(tx, site, release, &FEEDS.map(str::to_owned))?;
    let hash = |(path, stored)| match stored {
        Stored::Bytes { hash, .. } => Some((path, hash)),
        Stored::Redirect(_) => None,
    };
    Ok(feeds.into_iter().filter_map(hash).collect())
}

impl Publisher {
    /// Runs until `stop`; what is being announced then is repeated when its lease is over.
    pub async fn run_pings(&self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        loop {
            let woken = self.store.work_queued();
            let wait = tokio::select! {
                pinged = self.run_next_ping() => match pinged {
                    Ok(true) => continue,
                    Ok(false) => CHECK_EVERY,
                    Err(error) => {
                        tracing::warn!(%error, "database unavailable, feeds not announced to hubs");
                        PAUSE
                    }
                },
                () = &mut stop => return,
            };
            tokio::select! {
                _ = timeout(wait, woken) => {},
                () = &mut stop => return,
            }
        }
    }

    /// Announces the feeds of one site. `false`: none is due.
    pub async fn run_next_ping(&self) -> Result<bool, Error> {
        let claimed = self.write(|tx, now| {
            let Some(ping) = pings::claim(tx, now)? else { return Ok(None) };
            let domains = hosts::list(tx, ping.site)?;
            Ok(Some((ping, domains)))
        });
        let Some((ping, domains)) = claimed.await? else { return Ok(false) };
        let origin = self.settings.main_url(&ping.name, &domains);
        match timeout(DEADLINE, self.announce(&ping.hub, &origin)).await {
            Ok(Ok(())) => {
                tracing::info!(site = %ping.site, release = ping.release, hub = ping.hub, "feeds announced");
                self.write(move |tx, _| Ok(pings::finish(tx, &ping)?)).await?;
            }
            Ok(Err(why)) => self.retry_ping(ping, &why).await?,
            Err(_) => self.retry_ping(ping, "it did not answer in time").await?,
        }
        Ok(true)
    }

    async fn announce(&self, hub: &str, origin: &str) -> Result<(), String> {
        let post = |feed: &str| request::publish(hub, format!("{origin}{feed}"), self.settings.private_hubs);
        join_all(FEEDS.map(post)).await.into_iter().collect()
    }

    async fn retry_ping(&self, ping: Ping, why: &str) -> Result<(), Error> {
        let Ping { site, hub, attempt, .. } = ping.clone();
        let is_repeated = self.write(move |tx, now| Ok(pings::retry(tx, &ping, now)?)).await?;
        match is_repeated {
            true => tracing::info!(%site, hub, attempt, why, "feeds not announced, repeated after a pause"),
            false => tracing::warn!(%site, hub, attempt, why, "feeds not announced, given up"),
        }
        Ok(())
    }
}
