//! `recto push --watch`: publishes each change of the folder.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::report::Report;
use super::{Push, note};

/// An editor writes a file in several steps; changes that follow each other are published together.
const QUIET: Duration = Duration::from_millis(10);

impl Push {
    pub(super) async fn watch(mut self) -> Result<ExitCode> {
        let mut changes = Changes::of(&self.command.folder)?;
        // One for the whole loop: an interruption during a push counts as well.
        let mut interruption = std::pin::pin!(tokio::signal::ctrl_c());
        loop {
            tokio::select! {
                outcome = self.once(true) => self.show(outcome),
                _ = &mut interruption => return Ok(ExitCode::SUCCESS),
            }
            tokio::select! {
                () = async {
                    self.look_ahead().await;
                    changes.next().await;
                } => {}
                _ = &mut interruption => return Ok(ExitCode::SUCCESS),
            }
        }
    }

    fn show(&self, outcome: Result<(Report, ExitCode)>) {
        match outcome {
            Ok((report, _)) if report.is_nothing() => {}
            Ok((report, _)) => report.show(self.json),
            // The author corrects it and saves again.
            Err(error) => note(format_args!("{error:#}")),
        }
    }
}

/// The changes of a folder.
pub(in crate::commands) struct Changes {
    changes: mpsc::Receiver<()>,
    /// Watches until it is dropped.
    _watcher: RecommendedWatcher,
}

impl Changes {
    pub fn of(folder: &Path) -> Result<Changes> {
        // One entry says that there is something to do: more would say nothing else.
        let (changed, changes) = mpsc::channel(1);
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_))) {
                let _ = changed.try_send(());
            }
        })
        .context("watch the folder")?;
        let watched = watcher.watch(folder, RecursiveMode::Recursive);
        watched.with_context(|| format!("watch {}", folder.display()))?;
        Ok(Changes { changes, _watcher: watcher })
    }

    /// Waits for a change, and until no other one follows.
    pub async fn next(&mut self) {
        self.changes.recv().await;
        while timeout(QUIET, self.changes.recv()).await.is_ok_and(|change| change.is_some()) {}
    }
}
