//! Queues builds, within the month's quota and the cooldown, and tells of the latest.

use api::{BuildQueued, BuildRefused, LatestBuild};
use model::{BuildId, SiteId, Timestamp, Trigger};
use store::sites::{self, Cooldown, Site};
use store::{accounts, builds};

use crate::access::{find_site, site_of};
use crate::{Caller, Error, Publisher};

/// The words of a refusal that is told in more than one place.
pub struct Refusal {
    pub error: &'static str,
    pub message: String,
}

impl Refusal {
    pub fn quota(limit: u64) -> Refusal {
        let message = format!("the plan allows {limit} builds a month, and all of them are used");
        Refusal { error: "build quota exceeded", message }
    }

    pub fn cooldown(seconds: u64) -> Refusal {
        let message = format!("the site was built a moment ago; try again in {seconds} seconds");
        Refusal { error: "build cooldown active", message }
    }

    pub fn away() -> Refusal {
        let message = "the database does not answer; try again in a few seconds".to_owned();
        Refusal { error: "service unavailable", message }
    }

    pub fn unconfirmed() -> Refusal {
        let message = "the database did not confirm the change, which may or may not be stored; look before you repeat it";
        Refusal { error: "service unavailable", message: message.into() }
    }
}

impl Publisher {
    pub async fn trigger_build(&self, caller: &Caller, site: Option<SiteId>) -> Result<BuildQueued, Error> {
        let site = find_site(&self.store, caller.account, site).await?;
        let deploy_url = self.queue_for(&site, caller, Trigger::Api).await?;
        Ok(BuildQueued { status: "queued", deploy_url, message: "build queued successfully" })
    }

    /// Queues a build; answers with the site's address.
    pub(crate) async fn queue_for(
        &self,
        site: &Site,
        caller: &Caller,
        trigger: Trigger,
    ) -> Result<String, Error> {
        // A plan that was taken out of the configuration allows nothing; the log said so at the start.
        let quota = self.settings.plan(&caller.plan).map_or(0, |plan| plan.builds_per_month);
        let cooldown = self.settings.build_cooldown;
        let (account, site_id, clock) = (caller.account, site.id, self.clock.clone());
        self.store
            .write(move |tx| {
                let now = clock.now();
                // First the site, then its account: as an upload does, so that neither waits for the other.
                if !sites::lock(tx, site_id)? {
                    return Err(Error::NoSuchSite);
                }
                if !accounts::count_build(tx, account, quota, now)? {
                    return Err(Error::BuildQuota { limit: quota });
                }
                // Without a cooldown any earlier build is early enough, also one of this very moment.
                let earliest = if cooldown.is_zero() { Timestamp::MAX } else { now.minus(cooldown) };
                match sites::start_cooldown(tx, site_id, now, earliest)? {
                    Cooldown::Started => {}
                    Cooldown::NoSite => return Err(Error::NoSuchSite),
                    Cooldown::Active { last } => {
                        let left = last.plus(cooldown).since(now);
                        return Err(Error::BuildCooldown {
                            seconds: left.as_micros().div_ceil(1_000_000).max(1) as u64,
                        });
                    }
                }
                Ok(builds::insert(tx, BuildId::new(now), account, site_id, trigger, now)?)
            })
            .await?;
        self.queued.notify_one();
        Ok(self.settings.deploy_url(&site.name))
    }

    /// A build that `POST /pages` could not queue, in the words of `POST /builds`.
    pub(crate) fn build_refused(&self, error: Error) -> BuildRefused {
        let refusal = match error {
            Error::BuildQuota { limit } => Refusal::quota(limit),
            Error::BuildCooldown { seconds } => Refusal::cooldown(seconds),
            Error::Away(text) => {
                tracing::warn!(error = text, "the pages are saved, the build was not queued");
                Refusal::away()
            }
            Error::Unconfirmed(text) => {
                tracing::warn!(error = text, "the pages are saved, the build may be queued");
                Refusal::unconfirmed()
            }
            other => {
                tracing::error!(error = %other, "the pages are saved, the build was not queued");
                Refusal { error: "internal error", message: "the build was not queued".into() }
            }
        };
        BuildRefused { error: refusal.error.into(), message: refusal.message }
    }

    pub async fn latest_build(&self, caller: &Caller, site: Option<SiteId>) -> Result<LatestBuild, Error> {
        let account = caller.account;
        let build = self
            .store
            .peek(move |tx| {
                let site = site_of(tx, account, site)?;
                builds::latest(tx, site.id)?.ok_or(Error::NoBuild)
            })
            .await?;
        let duration = build.started_at.zip(build.completed_at).map(|(start, end)| end.since(start));
        Ok(LatestBuild {
            id: build.id.0,
            status: build.status.as_str(),
            triggered_by: build.triggered_by.as_str(),
            duration_ms: duration.map(|duration| duration.as_millis() as u64),
            started_at: build.started_at.map(|time| time.to_string()),
            completed_at: build.completed_at.map(|time| time.to_string()),
            created_at: build.created_at.to_string(),
            error: build.error,
        })
    }
}
