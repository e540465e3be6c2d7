//! What is in order and what is not: the part of `recto doctor` that a running server can report, too.

use std::process::{Command, Stdio};
use std::time::Duration;

use media::Program;
use serde::Serialize;
use store::builds;

use super::{Belonging, Orphans};
use crate::{DiskState, Error, Publisher};

/// A server starts a build within a second, unless many are queued.
const BUILD_OVERDUE_AFTER: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Ok,
    Warning,
    Failure,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub check: &'static str,
    pub verdict: Verdict,
    pub message: String,
}

impl Finding {
    pub fn new(check: &'static str, verdict: Verdict, message: impl Into<String>) -> Finding {
        Finding { check, verdict, message: message.into() }
    }
}

impl Publisher {
    /// The database, the queue, the objects and the disks. Objects are not listed: see [`Publisher::examine_orphans`].
    pub async fn examine(&self) -> Result<Vec<Finding>, Error> {
        let mut findings =
            vec![self.examine_plans().await?, self.examine_builds().await?, self.examine_objects().await];
        findings.extend(self.examine_disks());
        Ok(findings)
    }

    async fn examine_plans(&self) -> Result<Finding, Error> {
        Ok(match self.accounts_without_plan().await?.first() {
            None => Finding::new("database", Verdict::Ok, "responds"),
            Some((account, plan)) => Finding::new(
                "database",
                Verdict::Warning,
                format!(
                    "account {account} has the plan {plan:?}, which is not configured; set another with `recto account plan`"
                ),
            ),
        })
    }

    /// Whether queued builds are being run.
    async fn examine_builds(&self) -> Result<Finding, Error> {
        let long_ago = self.clock.now().minus(BUILD_OVERDUE_AFTER);
        let (first, sites) = self.read(move |tx| Ok(builds::overdue(tx, long_ago)?)).await?;
        Ok(match first {
            None => Finding::new("builds", Verdict::Ok, "no build is overdue"),
            Some(first) => Finding::new(
                "builds",
                Verdict::Warning,
                format!(
                    "the build of {first} has been waiting for more than a minute ({sites} sites in total); is a server running?"
                ),
            ),
        })
    }

    /// Whether the objects belong to this database.
    async fn examine_objects(&self) -> Finding {
        match self.own_objects().await {
            Ok(Belonging::Ours) => {
                Finding::new("installation", Verdict::Ok, "database and objects belong together")
            }
            Ok(Belonging::Unclaimed) => Finding::new(
                "installation",
                Verdict::Ok,
                "the objects are not assigned to a database yet; the first server start does that",
            ),
            Err(error) => Finding::new("installation", Verdict::Failure, error.to_string()),
        }
    }

    /// Objects that the next sweep would delete. All objects are listed, which may take long.
    pub async fn examine_orphans(&self) -> Finding {
        match self.count_orphans().await {
            Ok(found) if found.are_suspicious() => Finding::new(
                "orphans",
                Verdict::Failure,
                format!(
                    "{} of {} objects are unknown to the database; check store.url and objects.url",
                    found.orphans, found.objects
                ),
            ),
            Ok(Orphans { objects, orphans: 0 }) => Finding::new(
                "orphans",
                Verdict::Ok,
                format!("all {objects} objects are known to the database"),
            ),
            Ok(Orphans { objects, orphans }) => Finding::new(
                "orphans",
                Verdict::Ok,
                format!(
                    "{orphans} of {objects} objects are unknown to the database; a server deletes them within a day"
                ),
            ),
            Err(error) => {
                Finding::new("orphans", Verdict::Warning, format!("the objects cannot be listed: {error}"))
            }
        }
    }

    /// The disks that a server writes to, each once.
    pub fn examine_disks(&self) -> Vec<Finding> {
        let mut states = self.disk_states();
        states.dedup_by_key(|disk| (disk.free, disk.min_free));
        states.into_iter().map(describe_disk).collect()
    }

    /// The programs that process uploads. Starts each of them.
    pub async fn examine_programs(&self) -> Result<Vec<Finding>, Error> {
        let worker = self.settings.uploads.worker.clone();
        let examined = tokio::task::spawn_blocking(move || vec![examine_ffmpeg(), examine_sandbox(&worker)]);
        examined.await.map_err(|error| Error::Internal(format!("examine the programs: {error}")))
    }
}

fn describe_disk(disk: DiskState) -> Finding {
    let DiskState { path, free, min_free } = &disk;
    let space = format!("{}: {free} free", path.display());
    match disk.is_low() {
        true => Finding::new(
            "disk",
            Verdict::Failure,
            format!(
                "{space}, less than store.min_free ({min_free}): nothing new is stored; free some space or lower store.min_free"
            ),
        ),
        false => Finding::new("disk", Verdict::Ok, format!("{space} (store.min_free: {min_free})")),
    }
}

pub fn examine_ffmpeg() -> Finding {
    let ran = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    match ran {
        Ok(status) if status.success() => Finding::new("ffmpeg", Verdict::Ok, "installed"),
        _ => Finding::new(
            "ffmpeg",
            Verdict::Warning,
            "not found: uploaded MOV files are not converted to MP4 until it is installed (Debian: apt-get install ffmpeg)",
        ),
    }
}

/// Whether uploads are processed in a sandbox on this system.
pub fn examine_sandbox(worker: &Program) -> Finding {
    match media::check_sandbox(worker) {
        Ok(Some(walls)) => Finding::new(
            "sandbox",
            Verdict::Ok,
            format!(
                "uploads are processed with seccomp, Landlock (ABI {}) and resource limits",
                walls.landlock_abi
            ),
        ),
        Ok(None) => Finding::new(
            "sandbox",
            Verdict::Warning,
            "off: a malicious file that exploits a decoder controls the server; remove uploads.sandbox",
        ),
        Err(failure) => Finding::new("sandbox", Verdict::Failure, failure.to_string()),
    }
}
