//! Queues builds, subject to the monthly quota and the cooldown, and returns the latest build.

use std::time::{Duration, Instant};

use api::{BuildQueued, BuildRefused, BuildWarning, LatestBuild};
use model::{AccountId, BuildId, SiteId, Timestamp, Trigger};
use store::builds::Build;
use store::sites::{self, Cooldown, Site};
use store::{Tx, accounts, building, builds};
use tokio::time::sleep;

use crate::accounts::access::{find_site, site_of};
use crate::{Action, Caller, Error, Publisher, Settings};

/// How often a build that is awaited is looked up, and how often whether the site has changed.
const LOOK_AT_BUILD: Duration = Duration::from_millis(500);
const LOOK_AT_MARK: Duration = Duration::from_millis(2);

/// The texts of a refusal that several responses contain.
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

    pub fn unavailable() -> Refusal {
        let message = "the database does not answer; try again in a few seconds".to_owned();
        Refusal { error: "service unavailable", message }
    }

    pub fn overtaken(why: &str) -> Refusal {
        let message = format!("{why}; nothing was stored: send the request again");
        Refusal { error: "service unavailable", message }
    }

    pub fn commit_unknown() -> Refusal {
        let message = "the database did not confirm the change, which may or may not be stored; look before you repeat it";
        Refusal { error: "service unavailable", message: message.into() }
    }
}

/// Warnings as they are stored with a build: none, or some.
fn warnings(json: Option<&str>) -> Result<Option<Vec<BuildWarning>>, Error> {
    let read = |json| serde_json::from_str(json);
    json.map(read).transpose().map_err(|error| Error::Internal(format!("stored warnings: {error}")))
}

/// Why a build is not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuildRefusal {
    Quota { limit: u64 },
    Cooldown { seconds: u64 },
}

impl From<BuildRefusal> for Error {
    fn from(refusal: BuildRefusal) -> Error {
        match refusal {
            BuildRefusal::Quota { limit } => Error::BuildQuota { limit },
            BuildRefusal::Cooldown { seconds } => Error::BuildCooldown { seconds },
        }
    }
}

/// With the texts of `POST /builds`.
impl From<BuildRefusal> for BuildRefused {
    fn from(refusal: BuildRefusal) -> BuildRefused {
        let Refusal { error, message } = match refusal {
            BuildRefusal::Quota { limit } => Refusal::quota(limit),
            BuildRefusal::Cooldown { seconds } => Refusal::cooldown(seconds),
        };
        BuildRefused { error: error.into(), message }
    }
}

/// Queues a build as part of a transaction. A refusal changes nothing and does not end the transaction.
pub(crate) fn queue_build(
    tx: &mut Tx,
    settings: &Settings,
    (account, plan): (AccountId, &str),
    site: SiteId,
    trigger: Trigger,
    now: Timestamp,
) -> Result<Result<(), BuildRefusal>, Error> {
    // A plan that was removed from the configuration allows nothing; the log says so at the start.
    let limit = settings.plan(plan).map_or(0, |plan| plan.builds_per_month);
    // First the site, then its account, in the same order as a publish, to avoid a deadlock.
    if !sites::lock(tx, site)? {
        return Err(Error::NoSuchSite);
    }
    let postpone = settings.postpone_builds;
    if postpone && builds::is_postponed(tx, site, now)? {
        // The postponed build will include the new pages.
        return Ok(Ok(()));
    }
    if accounts::lock_builds(tx, account, now)? >= limit {
        return Ok(Err(BuildRefusal::Quota { limit }));
    }
    // Without a cooldown any earlier build is early enough, even one at the same moment.
    let cooldown = settings.build_cooldown;
    let earliest = if cooldown.is_zero() { Timestamp::MAX } else { now.minus(cooldown) };
    let begins = match sites::start_cooldown(tx, site, now, earliest)? {
        Cooldown::Started => now,
        Cooldown::NoSite => return Err(Error::NoSuchSite),
        // The last build was postponed, but ran earlier together with another one.
        Cooldown::Active { last } if postpone && last > now => last,
        Cooldown::Active { last } if postpone => last.plus(cooldown),
        Cooldown::Active { last } => {
            let left = last.plus(cooldown).since(now);
            let seconds = left.as_micros().div_ceil(1_000_000).max(1) as u64;
            return Ok(Err(BuildRefusal::Cooldown { seconds }));
        }
    };
    accounts::count_build(tx, account, limit, now)?;
    let id = BuildId::new(now);
    builds::insert(tx, id, account, site, trigger, now)?;
    if begins > now {
        builds::postpone(tx, id, begins.since(now), now)?;
        sites::note_build(tx, site, begins)?;
    }
    Ok(Ok(()))
}

impl Publisher {
    pub async fn trigger_build(&self, caller: &Caller, site: Option<SiteId>) -> Result<BuildQueued, Error> {
        self.trigger(caller, site, Trigger::Api).await
    }

    /// The same for a person who uses the dashboard.
    pub async fn build_now(&self, caller: &Caller, site: &Site) -> Result<BuildQueued, Error> {
        self.trigger(caller, Some(site.id), Trigger::Dashboard).await
    }

    async fn trigger(
        &self,
        caller: &Caller,
        site: Option<SiteId>,
        trigger: Trigger,
    ) -> Result<BuildQueued, Error> {
        let site = find_site(&self.store, caller.account, site).await?;
        let (account, plan, id) = (caller.account, caller.plan.clone(), site.id);
        let settings = self.settings.clone();
        let (log, name) = (self.log_of(caller, Some(id)), site.name.clone());
        let queued = self.write(move |tx, now| {
            queue_build(tx, &settings, (account, &plan), id, trigger, now)?.map_err(Error::from)?;
            log.note(tx, now, Action::BuildRequested, name.as_str())
        });
        queued.await?;
        let deploy_url = self.settings.deploy_url(&site.name);
        Ok(BuildQueued { status: "queued", deploy_url, message: "build queued successfully" })
    }

    pub async fn latest_build(&self, caller: &Caller, site: Option<SiteId>) -> Result<LatestBuild, Error> {
        let account = caller.account;
        let build = self
            .peek(move |tx| {
                let site = site_of(tx, account, site)?;
                builds::latest(tx, site.id)?.ok_or(Error::NoBuild)
            })
            .await?;
        describe(build)
    }

    /// The same when the build has ended; after a while, as it is then.
    pub async fn awaited_build(
        &self,
        caller: &Caller,
        site: Option<SiteId>,
        longest: Duration,
    ) -> Result<LatestBuild, Error> {
        let id = find_site(&self.store, caller.account, site).await?.id;
        let end = Instant::now() + longest;
        loop {
            let mark = self.store.mark(id);
            let build = self.latest_build(caller, Some(id)).await?;
            let is_over = build.completed_at.is_some();
            if is_over || Instant::now() >= end {
                return Ok(build);
            }
            // A release that goes live changes the mark, which costs nothing to look at; a failed build does not.
            let next_look = (Instant::now() + LOOK_AT_BUILD).min(end);
            while self.store.mark(id) == mark && Instant::now() < next_look {
                sleep(LOOK_AT_MARK).await;
            }
        }
    }

    /// The newest builds of a site, scheduled ones included.
    pub async fn build_list(&self, site: &Site, most: usize) -> Result<Vec<LatestBuild>, Error> {
        let id = site.id;
        let builds = self.read(move |tx| Ok(builds::list(tx, id, most as i64)?)).await?;
        builds.into_iter().map(describe).collect()
    }

    /// How many pages the running build of a site has rendered, and of how many, as far as it is known.
    pub async fn build_progress(&self, site: &Site) -> Result<Option<(i64, i64)>, Error> {
        let id = site.id;
        let progress = self.peek(move |tx| Ok(building::progress(tx, id)?)).await?;
        Ok(progress.filter(|(_, total)| *total > 0))
    }

    /// For the operator. `None`: the site has no build yet, or is deleted.
    pub async fn site_latest_build(&self, site: &Site) -> Result<Option<LatestBuild>, Error> {
        let id = site.id;
        let build = self.peek(move |tx| match sites::get(tx, id)? {
            Some(_) => Ok(builds::latest(tx, id)?),
            None => Ok(None),
        });
        build.await?.map(describe).transpose()
    }
}

fn describe(build: Build) -> Result<LatestBuild, Error> {
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
        warnings: warnings(build.warnings.as_deref())?,
    })
}
