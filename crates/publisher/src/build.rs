//! Runs queued builds: one snapshot of a site's pages becomes a release, which goes live whole.
//!
//! 1. `claim`: one worker takes all queued builds of a site, under a lease that it keeps extending. Every write of the
//!    build checks the lease in the same transaction.
//! 2. `snapshot`: what changed since the newest release, and the pages as that release shows them.
//! 3. `plan`: the generator says which paths the changes touch.
//! 4. `render`: those are made again, by several threads, and appended to one pack; what came out as it was is dropped.
//! 5. `go_live`: one transaction makes the release, the live pointer and the builds' success.

mod before;
mod index;
mod pack;
mod plan;
mod render;
mod schedule;
mod snapshot;
mod texts;
mod warnings;

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use model::{PackId, SiteId};
use store::building::{self, Claim, End, Seen, Worker};
use store::releases::{self, Move, Release};
use store::{Tx, files, packs};
use tokio::time::timeout;
use uuid::Uuid;

pub(crate) use self::index::Indexes;
use self::pack::PackWriter;
use self::render::Rendered;
use self::snapshot::Next;
pub(crate) use self::snapshot::owners_settings;
use crate::{Error, Publisher};

/// How often a worker says that it lives: some times in `building::LEASE`.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// What a build that is under way has to end in when the server stops; a small change takes less.
const GRACE: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A pack outlives its worker's lease by this, so that it is never swept while its build could still go live.
const PACK_LEASE: Duration = Duration::from_secs(3600);

/// Why a build did not come to its end.
#[derive(Debug)]
enum Stop {
    /// In words for whoever asked for it. Another attempt would not help.
    Failed(String),
    /// Another worker has the site.
    Lost,
    Error(Error),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Error(error.into())
    }
}

/// Every write of a build begins with it.
fn hold(tx: &mut Tx, claim: &Claim) -> Result<(), Stop> {
    match building::hold(tx, claim)? {
        true => Ok(()),
        false => Err(Stop::Lost),
    }
}

fn lost(claim: &Claim) {
    tracing::warn!(site = %claim.site, "the build lost its lease, and another worker has the site");
}

/// What a build did, for the log and for tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildReport {
    pub site: SiteId,
    /// The release that is the newest now; a new one if `files` or `removed` is not zero.
    pub release: i64,
    pub pages: usize,
    /// Pages whose text was rendered; the others were left as they are.
    pub rendered: usize,
    pub files: usize,
    pub removed: usize,
}

/// What a build has seen of the site, for the heartbeat: unknown until its snapshot is taken.
#[derive(Clone, Default)]
struct Sight(Arc<Mutex<Option<Seen>>>);

impl Sight {
    fn set(&self, seen: Seen) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
    }

    fn get(&self) -> Option<Seen> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Publisher {
    /// Runs queued builds until `stop`. What is being built then has a moment to end, and else goes back into the
    /// queue.
    pub async fn run_builds(&self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        loop {
            let woken = self.queued.notified();
            match self.claim().await {
                Ok(Some((claim, pack))) => {
                    let mut running = pin!(self.run_claimed(claim, pack));
                    let (done, stopped) = tokio::select! {
                        done = &mut running => (Some(done), false),
                        () = &mut stop => (timeout(GRACE, running).await.ok(), true),
                    };
                    let done = match done {
                        Some(done) => done,
                        None => self.give_back(claim).await,
                    };
                    if let Err(error) = done {
                        tracing::warn!(site = %claim.site, %error, "the build is repeated when its lease is over");
                    }
                    if stopped {
                        return;
                    }
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "database unavailable: builds paused"),
            }
            // Another process may have queued one, or a worker may have died.
            tokio::select! { _ = timeout(LOOK_EVERY, woken) => {}, () = &mut stop => return }
        }
    }

    /// Runs the builds of the site whose turn it is. `false`: nothing is due that is not being built.
    pub async fn run_next_build(&self) -> Result<bool, Error> {
        let Some((claim, pack)) = self.claim().await? else { return Ok(false) };
        self.run_claimed(claim, pack).await?;
        Ok(true)
    }

    async fn give_back(&self, claim: Claim) -> Result<(), Error> {
        self.store.write(move |tx| Ok::<_, Error>(building::give_back(tx, &claim)?)).await
    }

    async fn run_claimed(&self, claim: Claim, pack: PackId) -> Result<(), Error> {
        let (started, sight, limit) = (Instant::now(), Sight::default(), self.settings.build_time_limit);
        let outcome = tokio::select! {
            outcome = timeout(limit, self.build(&claim, pack, &sight)) => outcome.unwrap_or_else(|_| {
                Err(Stop::Failed(format!("the build took longer than {} minutes", limit.as_secs().div_ceil(60))))
            }),
            error = self.keep_alive(claim, pack, &sight) => Err(error),
        };
        match outcome {
            Ok(report) => {
                let seconds = started.elapsed().as_secs_f64();
                let BuildReport { release, pages, rendered, files, removed, .. } = report;
                let reused = pages.saturating_sub(rendered);
                tracing::info!(site = %claim.site, release, pages, rendered, reused, files, removed, seconds, "built");
            }
            Err(Stop::Failed(message)) => {
                tracing::info!(site = %claim.site, message, "the build failed");
                self.fail(claim, message).await?;
            }
            Err(Stop::Lost) => lost(&claim),
            Err(Stop::Error(Error::Internal(error))) => {
                tracing::error!(site = %claim.site, error, "the build failed");
                self.fail(claim, "an internal error; the server's log has the details".into()).await?;
            }
            Err(Stop::Error(error)) => {
                tracing::warn!(site = %claim.site, attempt = claim.attempt, %error, "the build is repeated after a pause");
                if !self.retry(claim, &error).await? {
                    lost(&claim);
                }
            }
        }
        Ok(())
    }

    async fn claim(&self) -> Result<Option<(Claim, PackId)>, Error> {
        let clock = self.clock.clone();
        let idle = self.store.peek(move |tx| Ok::<_, Error>(building::is_idle(tx, clock.now())?)).await?;
        // While the disk is full, builds wait: they would only fail.
        if idle || self.disks.lowest().is_some() {
            return Ok(None);
        }
        let (clock, worker) = (self.clock.clone(), Worker(Uuid::new_v4()));
        self.store
            .write(move |tx| {
                let now = clock.now();
                building::recover(tx, now)?;
                for (site, account) in building::waiting(tx, now)? {
                    let Some(claim) = building::claim(tx, (site, account), worker, now)? else {
                        continue;
                    };
                    let (pack, lease_now) = (PackId::new(now), tx.lease_now(now)?);
                    packs::begin(tx, pack, site, lease_now.plus(PACK_LEASE))?;
                    return Ok(Some((claim, pack)));
                }
                Ok(None)
            })
            .await
    }

    /// Says again and again that the worker lives; returns only when that is not true any more.
    async fn keep_alive(&self, claim: Claim, pack: PackId, sight: &Sight) -> Stop {
        loop {
            tokio::time::sleep(HEARTBEAT).await;
            let (clock, seen) = (self.clock.clone(), sight.get());
            let extended = self.store.write(move |tx| {
                let lease_now = tx.lease_now(clock.now())?;
                packs::extend(tx, pack, lease_now.plus(PACK_LEASE))?;
                Ok::<_, Error>(building::extend(tx, &claim, seen, clock.now())?)
            });
            match extended.await {
                Ok(true) => {}
                Ok(false) => return Stop::Lost,
                Err(error) => {
                    tracing::warn!(site = %claim.site, %error, "the lease of a build was not extended")
                }
            }
        }
    }

    async fn build(&self, claim: &Claim, pack: PackId, sight: &Sight) -> Result<BuildReport, Stop> {
        let Some(snapshot) = self.snapshot(claim).await? else {
            return Err(Stop::Failed("the site was deleted".into()));
        };
        sight.set(snapshot.seen);
        let (base, next) = (snapshot.base.clone(), snapshot.next.clone());
        let plan = self.plan(claim.site, snapshot).await?;
        let number = base.as_ref().map_or(1, |base| base.number + 1);
        let mut writer = PackWriter::new(self, *claim, number, pack);
        let rendered = self.render(plan, &mut writer).await?;
        let report = self.go_live(claim, rendered, writer, base, next).await?;
        self.store.touch();
        Ok(report)
    }

    async fn go_live(
        &self,
        claim: &Claim,
        mut rendered: Rendered,
        writer: PackWriter,
        base: Option<Release>,
        next: Next,
    ) -> Result<BuildReport, Stop> {
        let (claim, clock) = (*claim, self.clock.clone());
        let by = if claim.scheduled { Move::Schedule } else { Move::Build };
        let pages = rendered.site.pages().count();
        let warnings = warnings::to_json(&rendered.warnings)?;
        let rest = writer.finish(&mut rendered).await?;
        let (files, removed) = (rest.files_written, rest.files_removed);
        let go_live = move |tx: &mut Tx| {
            hold(tx, &claim)?;
            let now = clock.now();
            let release = match &base {
                Some(base) if !rest.changed => {
                    releases::refresh(tx, claim.site, base.number, next.version, next.as_of)?;
                    base.number
                }
                _ => {
                    files::close(tx, claim.site, rest.release, &rest.closed)?;
                    files::insert(tx, claim.site, rest.release, &rest.files)?;
                    files::remember(tx, claim.site, rest.release, &rest.pages)?;
                    files::stage(tx, claim.site, None)?;
                    let release = Release {
                        number: rest.release,
                        build: claim.build,
                        version: next.version,
                        as_of: next.as_of,
                        made_with: next.made_with.clone(),
                        pages: pages as i64,
                        created_at: now,
                        warnings: warnings.clone(),
                    };
                    releases::insert(tx, claim.site, &release)?;
                    rest.release
                }
            };
            let kept = match rest.pack_size {
                Some(size) => packs::keep(tx, rest.pack, size)?,
                None => packs::abandon(tx, rest.pack, now).map(|()| true)?,
            };
            releases::go_live(tx, claim.site, release, by)?;
            let end = End::Success { warnings: warnings.as_deref() };
            match kept && building::end(tx, &claim, end, now)? {
                true => Ok(release),
                false => Err(Stop::Lost),
            }
        };
        let release = self.store.write(go_live).await?;
        let Rendered { site, pages: rendered, .. } = rendered;
        self.indexes.put(claim.site, release, site);
        Ok(BuildReport { site: claim.site, release, pages, rendered, files, removed })
    }

    async fn fail(&self, claim: Claim, message: String) -> Result<(), Error> {
        let clock = self.clock.clone();
        let end = move |tx: &mut Tx| building::end(tx, &claim, End::Failed(&message), clock.now()).map(drop);
        self.store.write(end).await.map_err(Error::from)
    }

    async fn retry(&self, claim: Claim, error: &Error) -> Result<bool, Error> {
        let why = match error {
            Error::DiskFull => "the server's disk is full",
            _ => "the database or the object store is unavailable",
        };
        let message = format!("{why}; the build was tried {} times", building::ATTEMPTS);
        let clock = self.clock.clone();
        let retry = move |tx: &mut Tx| building::retry(tx, &claim, &message, clock.now());
        self.store.write(retry).await.map_err(Error::from)
    }
}
