//! A worker: claims the builds of one site after the other, and ends each with a release or an error message.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use model::{PackId, SiteId};
use store::building::{self, Claim, End, Seen, Worker};
use store::releases::{self, Move, Release};
use store::{Tx, files, packs};
use tokio::time::timeout;
use uuid::Uuid;

use super::lease::{Stop, lost};
use super::pack::PackWriter;
use super::render::Rendered;
use super::snapshot::Next;
use crate::sites::hub;
use crate::{Error, Publisher};

/// How often a worker extends its lease: several times in `building::LEASE`.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// The time that a running build has to finish when the server stops; a small change takes less.
const GRACE: Duration = Duration::from_millis(500);
/// How often the queue is checked without a notification.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// The lease of a pack is longer than its worker's, so that it is never swept while its build could still go live.
const PACK_LEASE: Duration = Duration::from_secs(3600);

/// The result of a build, for the log and for tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildReport {
    pub site: SiteId,
    /// The newest release; a new one if `files` or `removed` is not zero.
    pub release: i64,
    pub pages: usize,
    /// Pages whose text was rendered; the others are unchanged.
    pub rendered: usize,
    pub files: usize,
    pub removed: usize,
}

/// How many pages a build has rendered, for people who wait for it.
#[derive(Default)]
pub(super) struct Progress {
    done: AtomicUsize,
    total: AtomicUsize,
}

impl Progress {
    pub(super) fn set(&self, done: usize, total: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    fn get(&self) -> (i64, i64) {
        (self.done.load(Ordering::Relaxed) as i64, self.total.load(Ordering::Relaxed) as i64)
    }
}

/// What a build lets its heartbeat know: which texts it has seen, unknown until its snapshot is taken, and how far it is.
#[derive(Clone, Default)]
struct Sight(Arc<Mutex<Option<Seen>>>, Arc<Progress>);

impl Sight {
    fn set(&self, seen: Seen) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
    }

    fn get(&self) -> Option<Seen> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Publisher {
    /// Runs queued builds until `stop`. A running build then has a moment to finish, and otherwise returns to the
    /// queue.
    ///
    /// Boxed, so that it is compiled here: an async function is compiled by every crate that awaits it.
    pub fn run_builds(self, stop: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
        Box::pin(async move { self.build_until(stop).await })
    }

    async fn build_until(&self, mut stop: BoxFuture<'static, ()>) {
        loop {
            let woken = self.store.work_queued();
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
                        tracing::warn!(site = %claim.site, %error, "build result not stored, build repeated when its lease expires");
                    }
                    if stopped {
                        return;
                    }
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "database unavailable, builds paused"),
            }
            // Another process may have queued one, or a worker may have died.
            tokio::select! { _ = timeout(CHECK_EVERY, woken) => {}, () = &mut stop => return }
        }
    }

    /// Runs the builds of the next site. `false`: no build is due, or all of them are running.
    pub async fn run_next_build(&self) -> Result<bool, Error> {
        let Some((claim, pack)) = self.claim().await? else { return Ok(false) };
        self.run_claimed(claim, pack).await?;
        Ok(true)
    }

    async fn give_back(&self, claim: Claim) -> Result<(), Error> {
        self.write(move |tx, _| Ok(building::give_back(tx, &claim)?)).await
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
                tracing::info!(site = %claim.site, message, "build failed");
                self.fail(claim, message).await?;
            }
            Err(Stop::Lost) => lost(&claim),
            Err(Stop::Error(Error::Internal(error))) => {
                tracing::error!(site = %claim.site, error, "build failed: internal error");
                self.fail(claim, "an internal error; the server's log has the details".into()).await?;
            }
            Err(Stop::Error(error)) => {
                tracing::warn!(site = %claim.site, attempt = claim.attempt, %error, "build interrupted, repeated after a pause");
                if !self.retry(claim, &error).await? {
                    lost(&claim);
                }
            }
        }
        Ok(())
    }

    async fn claim(&self) -> Result<Option<(Claim, PackId)>, Error> {
        let now = self.clock.now();
        let idle = self.peek(move |tx| Ok(building::is_idle(tx, now)?)).await?;
        // While a disk is nearly full, builds wait: they would only fail.
        if idle || self.disks.lowest().is_some() {
            return Ok(None);
        }
        let worker = Worker(Uuid::new_v4());
        self.write(move |tx, now| {
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

    /// Keeps extending the lease; returns when it is lost.
    async fn keep_alive(&self, claim: Claim, pack: PackId, sight: &Sight) -> Stop {
        loop {
            tokio::time::sleep(HEARTBEAT).await;
            let (seen, progress) = (sight.get(), sight.1.get());
            let extended = self.write(move |tx, now| {
                let lease_now = tx.lease_now(now)?;
                packs::extend(tx, pack, lease_now.plus(PACK_LEASE))?;
                building::note_progress(tx, &claim, progress)?;
                Ok(building::extend(tx, &claim, seen, now)?)
            });
            match extended.await {
                Ok(true) => {}
                Ok(false) => return Stop::Lost,
                Err(error) => {
                    tracing::warn!(site = %claim.site, %error, "build lease not extended")
                }
            }
        }
    }

    async fn build(&self, claim: &Claim, pack: PackId, sight: &Sight) -> Result<BuildReport, Stop> {
        let Some(snapshot) = self.snapshot(claim).await? else {
            return Err(Stop::Failed("the site was deleted".into()));
        };
        sight.set(snapshot.seen);
        let next = snapshot.next.clone();
        let plan = self.plan(claim.site, snapshot).await?;
        let mut writer = PackWriter::new(self, *claim, next.number(), pack);
        let rendered = self.render(plan, &mut writer, &sight.1).await?;
        self.go_live(rendered, writer, next).await
    }

    async fn go_live(
        &self,
        mut rendered: Rendered,
        writer: PackWriter,
        next: Next,
    ) -> Result<BuildReport, Stop> {
        let claim = writer.claim;
        let by = if claim.scheduled { Move::Schedule } else { Move::Build };
        let pages = rendered.site.pages().count();
        let owner_hub = rendered.site.settings().hub.clone();
        let warnings = super::warnings::to_json(&rendered.warnings)?;
        let rest = writer.finish(&mut rendered).await?;
        let (files, removed) = (rest.files_written, rest.files_removed);
        let go_live = move |tx: &mut Tx, now| {
            let release = match next.base {
                Some(base) if !rest.changed => {
                    releases::refresh(tx, claim.site, base, next.version, next.as_of)?;
                    base
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
            hub::go_live(tx, claim.site, release, by, owner_hub.as_deref(), now)?;
            let end = End::Success { warnings: warnings.as_deref() };
            match kept && building::end(tx, &claim, end, now)? {
                true => Ok(release),
                false => Err(Stop::Lost),
            }
        };
        let release = self.write_held(&claim, go_live).await?;
        let Rendered { site, pages: rendered, .. } = rendered;
        self.indexes.put(claim.site, release, site);
        Ok(BuildReport { site: claim.site, release, pages, rendered, files, removed })
    }

    async fn fail(&self, claim: Claim, message: String) -> Result<(), Error> {
        let end = self.write(move |tx, now| Ok(building::end(tx, &claim, End::Failed(&message), now)?));
        end.await.map(drop)
    }

    async fn retry(&self, claim: Claim, error: &Error) -> Result<bool, Error> {
        let why = match error {
            Error::DiskFull => "the server's disk is full",
            _ => "the database or the object store is unavailable",
        };
        let message = format!("{why}; the build was tried {} times", building::ATTEMPTS);
        self.write(move |tx, now| Ok(building::retry(tx, &claim, &message, now)?)).await
    }
}
