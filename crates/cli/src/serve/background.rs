//! Background work of the server: builds, scheduled pages, transcoding, smaller images, announced feeds, cleanup.

use std::sync::Arc;
use std::time::Duration;

use publisher::Publisher;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::clock::DatabaseClock;
use super::roles::{Role, Roles};
use crate::config::Config;

const CORRECT_EVERY: Duration = Duration::from_secs(20);
const UPKEEP_EVERY: Duration = Duration::from_secs(60);
/// Short, so that a full disk is noticed early.
const WATCH_EVERY: Duration = Duration::from_secs(5);
/// Short, so that replaced texts do not fill the disk.
const SWEEP_EVERY: Duration = Duration::from_secs(5);
/// How often the server checks whether the daily work is due. One server claims it per day.
const DAILY_WORK_EVERY: Duration = Duration::from_secs(3600);

/// Starts the tasks of each role. They end soon after `stop` is cancelled.
pub(super) fn start(
    publisher: &Publisher,
    config: &Config,
    roles: &Roles,
    stop: &CancellationToken,
) -> Vec<JoinHandle<()>> {
    // Every process watches its own disks.
    let mut tasks = vec![tokio::spawn(repeat(WATCH_EVERY, stop.clone(), publisher.clone(), watch_disks))];
    if roles.has(Role::Api) {
        tasks.push(tokio::spawn(repeat(UPKEEP_EVERY, stop.clone(), publisher.clone(), flush_last_used)));
    }
    if roles.has(Role::Worker) {
        tasks.extend(start_worker(publisher, config, stop));
    }
    tasks
}

fn start_worker(publisher: &Publisher, config: &Config, stop: &CancellationToken) -> Vec<JoinHandle<()>> {
    let mut tasks = vec![
        tokio::spawn(repeat(UPKEEP_EVERY, stop.clone(), publisher.clone(), tidy)),
        tokio::spawn(repeat(SWEEP_EVERY, stop.clone(), publisher.clone(), sweep)),
        tokio::spawn(repeat(DAILY_WORK_EVERY, stop.clone(), publisher.clone(), daily_work)),
        tokio::spawn(queue_due(publisher.clone(), stop.clone())),
        tokio::spawn(transcode(publisher.clone(), stop.clone())),
        tokio::spawn(make_smaller_copies(publisher.clone(), stop.clone())),
        tokio::spawn(announce_feeds(publisher.clone(), stop.clone())),
    ];
    let builds = || publisher.clone().run_builds(Box::pin(stop.clone().cancelled_owned()));
    tasks.extend((0..config.build_workers).map(|_| tokio::spawn(builds())));
    tasks
}

/// Corrects the clock until `stop`.
pub(super) async fn correct_clock(publisher: Publisher, clock: Arc<DatabaseClock>, stop: CancellationToken) {
    while timeout(CORRECT_EVERY, stop.cancelled()).await.is_err() {
        if let Err(error) = clock.correct(&publisher).await {
            tracing::debug!(%error, "the database's clock was not read");
        }
    }
}

async fn watch_disks(publisher: &Publisher) {
    publisher.watch_disks();
}

async fn flush_last_used(publisher: &Publisher) {
    if let Err(error) = publisher.flush_last_used().await {
        tracing::warn!(%error, "last use of tokens not stored; retrying in a minute");
    }
}

async fn queue_due(publisher: Publisher, stop: CancellationToken) {
    tokio::select! { () = publisher.run_schedule() => {}, () = stop.cancelled() => {} }
}

async fn transcode(publisher: Publisher, stop: CancellationToken) {
    publisher.run_transcodes(stop.cancelled()).await;
}

async fn make_smaller_copies(publisher: Publisher, stop: CancellationToken) {
    publisher.run_smaller_copies(stop.cancelled()).await;
}

async fn announce_feeds(publisher: Publisher, stop: CancellationToken) {
    publisher.run_pings(stop.cancelled()).await;
}

/// Repeats `work` until `stop`, which may cancel it at any await: each of its steps is a transaction.
async fn repeat(
    pause: Duration,
    stop: CancellationToken,
    publisher: Publisher,
    work: impl AsyncFn(&Publisher),
) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = work(&publisher) => {}
        }
    }
}

async fn sweep(publisher: &Publisher) {
    if let Err(error) = publisher.sweep_texts().await {
        tracing::warn!(%error, "deleting replaced texts failed; retrying in seconds");
    }
}

/// This lists the whole object store, so only one server does it, once a day.
async fn daily_work(publisher: &Publisher) {
    match publisher.claim_daily_work().await {
        Ok(true) => {}
        Ok(false) => return,
        Err(error) => return tracing::warn!(%error, "database unavailable, daily cleanup postponed"),
    }
    match publisher.sweep_orphans(false).await {
        Ok(found) => tracing::info!(?found, "unreferenced objects deleted"),
        Err(error) => tracing::error!(%error, "deleting unreferenced objects failed"),
    }
    match publisher.abort_unfinished_uploads().await {
        Ok(0) => {}
        Ok(aborted) => tracing::info!(aborted, "unfinished uploads to S3 aborted"),
        Err(error) => tracing::warn!(
            %error,
            "unfinished uploads to S3 were not aborted; a lifecycle rule of the bucket can do that"
        ),
    }
    if let Err(error) = publisher.forget_old_builds().await {
        tracing::warn!(%error, "deleting old builds failed; retrying in a day");
    }
    if let Err(error) = publisher.sweep_audit().await {
        tracing::warn!(%error, "deleting old entries of audit logs failed; retrying in a day");
    }
}

async fn tidy(publisher: &Publisher) {
    match publisher.upkeep().await {
        Ok(done) => tracing::debug!(?done, "upkeep"),
        Err(error) => tracing::warn!(%error, "upkeep failed; retrying in a minute"),
    }
    match publisher.sweep_media().await {
        Ok(swept) => tracing::debug!(swept, "media swept"),
        Err(error) => {
            tracing::warn!(%error, "sweeping deleted media failed; retrying in a minute")
        }
    }
    match publisher.tidy_releases().await {
        Ok(done) => tracing::debug!(?done, "releases tidied"),
        Err(error) => {
            tracing::warn!(%error, "cleaning up old releases failed; retrying in a minute")
        }
    }
}
