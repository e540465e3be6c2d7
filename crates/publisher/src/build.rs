//! Runs queued builds: one snapshot of a site's pages becomes a release, which goes live whole.
//!
//! 1. `claim`: one worker takes all queued builds of a site, under a lease that it keeps extending.
//! 2. `snapshot`: what changed since the newest release, and the pages as that release shows them.
//! 3. `plan`: the generator says which paths the changes touch.
//! 4. `render`: those are made anew, by several threads, and appended to one pack; what came out as it was is dropped.
//! 5. `go_live`: one transaction makes the release, the live pointer and the builds' success.

mod index;
mod pack;
mod plan;
mod render;
mod schedule;
mod snapshot;

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::{PackId, SiteId};
use store::building::{self, Claim, Worker};
use store::releases::{self, Move, Release};
use store::{files, packs, texts};
use tokio::time::timeout;
use uuid::Uuid;

pub(crate) use self::index::Indexes;
use self::pack::PackWriter;
use self::plan::Plan;
use self::snapshot::Snapshot;
pub(crate) use self::snapshot::owners_settings;
use crate::{Error, Publisher};

/// A worker that does not say for this long that it lives is dead, and its builds are queued again.
const LEASE: Duration = Duration::from_secs(10);
const HEARTBEAT: Duration = Duration::from_secs(3);
/// What a build that is under way has to end in when the server stops; a small change takes less.
const GRACE: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A pack outlives its worker's lease by this, so that it is never swept while its build could still go live.
const PACK_LEASE: Duration = Duration::from_secs(3600);

/// Why a build did not come to its end.
#[derive(Debug)]
enum Stop {
    /// The site's content is at fault; the words are for its author.
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

impl Publisher {
    /// Runs queued builds until `stop`. What is being built then has a moment to end, and else goes back into the
    /// queue.
    pub async fn run_builds(&self, stop: impl Future<Output = ()>) {
        let (worker, mut stop) = (Worker(Uuid::new_v4()), pin!(stop));
        loop {
            let woken = self.queued.notified();
            match self.claim(worker).await {
                Ok(Some((claim, pack))) => {
                    let site = claim.site;
                    let mut running = pin!(self.run_claimed(claim, worker, pack));
                    let (done, stopped) = tokio::select! {
                        done = &mut running => (Some(done), false),
                        () = &mut stop => (timeout(GRACE, running).await.ok(), true),
                    };
                    let done = match done {
                        Some(done) => done,
                        None => self.give_back(site, worker).await,
                    };
                    if let Err(error) = done {
                        tracing::warn!(%error, "a build is taken up again when its lease is over");
                    }
                    if stopped {
                        return;
                    }
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "builds wait for the database"),
            }
            // Another process may have queued one, or a worker may have died.
            tokio::select! { _ = timeout(LOOK_EVERY, woken) => {}, () = &mut stop => return }
        }
    }

    /// Runs the builds of the site that has waited longest. `false`: nothing is queued that is not being built.
    pub async fn run_next_build(&self, worker: Worker) -> Result<bool, Error> {
        let Some((claim, pack)) = self.claim(worker).await? else { return Ok(false) };
        self.run_claimed(claim, worker, pack).await?;
        Ok(true)
    }

    async fn give_back(&self, site: SiteId, worker: Worker) -> Result<(), Error> {
        self.store.write(move |tx| Ok::<_, Error>(building::give_back(tx, site, worker)?)).await
    }

    async fn run_claimed(&self, claim: Claim, worker: Worker, pack: PackId) -> Result<(), Error> {
        let started = Instant::now();
        let outcome = tokio::select! {
            outcome = self.build(&claim, worker, pack) => outcome,
            error = self.keep_alive(claim.site, worker, pack) => Err(error),
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
                self.fail(claim.site, worker, message).await?;
            }
            Err(Stop::Lost) => {
                tracing::warn!(site = %claim.site, "the build took too long and was taken over")
            }
            Err(Stop::Error(Error::Internal(error))) => {
                tracing::error!(site = %claim.site, error, "the build failed");
                self.fail(claim.site, worker, "an internal error; the server's log tells more".into())
                    .await?;
            }
            Err(Stop::Error(error)) => {
                tracing::warn!(site = %claim.site, %error, "the build waits for another try");
                self.give_back(claim.site, worker).await?;
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
        Ok(())
    }

    async fn claim(&self, worker: Worker) -> Result<Option<(Claim, PackId)>, Error> {
        let clock = self.clock.clone();
        let idle = self.store.peek(move |tx| Ok::<_, Error>(building::is_idle(tx, clock.now())?)).await?;
        if idle {
            return Ok(None);
        }
        let clock = self.clock.clone();
        self.store
            .write(move |tx| {
                let now = clock.now();
                building::recover(tx, now)?;
                for site in building::waiting(tx)? {
                    let Some(claim) = building::claim(tx, site, worker, now, now.plus(LEASE))? else {
                        continue;
                    };
                    let pack = PackId::new(now);
                    packs::begin(tx, pack, site, now.plus(PACK_LEASE))?;
                    return Ok(Some((claim, pack)));
                }
                Ok(None)
            })
            .await
    }

    /// Says again and again that the worker lives; returns only when that is not true any more.
    async fn keep_alive(&self, site: SiteId, worker: Worker, pack: PackId) -> Stop {
        loop {
            tokio::time::sleep(HEARTBEAT).await;
            let clock = self.clock.clone();
            let extended = self.store.write(move |tx| {
                let now = clock.now();
                packs::extend(tx, pack, now.plus(PACK_LEASE))?;
                Ok::<_, Error>(building::extend(tx, site, worker, now.plus(LEASE))?)
            });
            match extended.await {
                Ok(true) => {}
                Ok(false) => return Stop::Lost,
                Err(error) => tracing::warn!(%error, "the lease of a build was not extended"),
            }
        }
    }

    async fn build(&self, claim: &Claim, worker: Worker, pack: PackId) -> Result<BuildReport, Stop> {
        let Some(snapshot) = self.snapshot(claim.site).await? else {
            // The site was deleted meanwhile.
            return Err(Stop::Failed("the site is gone".into()));
        };
        let Snapshot { base, next, .. } = &snapshot;
        let (base, next) = (base.clone(), next.clone());
        let plan = self.plan(claim.site, snapshot).await?;
        let mut writer =
            PackWriter::new(self, claim.site, base.as_ref().map_or(1, |base| base.number + 1), pack);
        let (plan, rendered) = self.render(plan, &mut writer).await?;
        let report = self.go_live(claim, worker, plan, writer, base, next, rendered).await?;
        self.store.touch();
        Ok(report)
    }

    #[expect(clippy::too_many_arguments, reason = "the last step needs what every step before it found")]
    async fn go_live(
        &self,
        claim: &Claim,
        worker: Worker,
        plan: Plan,
        writer: PackWriter,
        base: Option<Release>,
        next: snapshot::Next,
        rendered: usize,
    ) -> Result<BuildReport, Stop> {
        let (site, build, clock) = (claim.site, claim.build, self.clock.clone());
        let by = if claim.scheduled { Move::Schedule } else { Move::Build };
        let pages = plan.site.pages().count();
        let rest = writer.finish(&plan).await?;
        let (number, pack) = (rest.release, rest.pack);
        let (new_files, removed) = (rest.files_written, rest.files_removed);
        let changed = rest.changed;
        let rest = Arc::new(rest);
        let release = self
            .store
            .write(move |tx| {
                let now = clock.now();
                if now.since(next.as_of) >= texts::GRACE {
                    // Texts that it has seen may be gone; it would not notice.
                    return Err(Stop::Error(Error::Away("the build took longer than texts are kept".into())));
                }
                let release = match &base {
                    Some(base) if !changed => {
                        releases::refresh(tx, site, base.number, next.version, next.as_of)?;
                        base.number
                    }
                    _ => {
                        files::close(tx, site, number, &rest.closed)?;
                        files::insert(tx, site, number, &rest.files)?;
                        files::remember(tx, site, number, &rest.pages)?;
                        files::stage(tx, site, None)?;
                        let release = Release {
                            number,
                            build,
                            version: next.version,
                            as_of: next.as_of,
                            made_with: next.made_with.clone(),
                            pages: pages as i64,
                            created_at: now,
                        };
                        releases::insert(tx, site, &release)?;
                        number
                    }
                };
                let kept = match rest.pack_size {
                    Some(size) => packs::keep(tx, pack, size)?,
                    None => packs::abandon(tx, pack, now).map(|()| true)?,
                };
                releases::go_live(tx, site, release, by)?;
                match kept && building::end(tx, site, worker, Ok(()), now)? {
                    true => Ok(release),
                    false => Err(Stop::Lost),
                }
            })
            .await?;
        self.indexes.put(site, release, plan.site);
        Ok(BuildReport { site, release, pages, rendered, files: new_files, removed })
    }

    async fn fail(&self, site: SiteId, worker: Worker, message: String) -> Result<(), Error> {
        let clock = self.clock.clone();
        let end = move |tx: &mut store::Tx| {
            building::end(tx, site, worker, Err(&message), clock.now()).map(drop).map_err(Error::from)
        };
        self.store.write(end).await
    }
}
