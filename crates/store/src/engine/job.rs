//! A transaction on its way to a thread that owns a connection, and its answer on the way back.
//!
//! Only the smallest part is generic in the closure: it is compiled for each of hundreds of closures.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::announcements::Announcement;
use super::tx::{Engine, Tx};
use crate::error::{Error, Result, Retry};

/// What may wait for a connection; beyond it, callers wait to be queued.
pub(crate) const QUEUE: usize = 1024;

/// Why a closure's changes must not stay.
pub(crate) enum Undo {
    /// The closure refused, or its error cannot be mended: its own answer is the answer.
    Refused,
    /// The engine failed in a way that another try may mend.
    Failed(Error, Retry),
}

/// Work for a connection: run, perhaps more than once, then finished with what became of the transaction.
pub(crate) struct Job {
    /// Runs the closure and keeps what it answered. `false`: it refused.
    work: Box<dyn FnMut(&mut Tx) -> bool + Send>,
    /// What the last run announced.
    announced: Vec<Announcement>,
    /// Why the last run has no answer.
    failure: Option<Error>,
    end: oneshot::Sender<Result<()>>,
    progress: Arc<Progress>,
}

/// What the closure answered in its last run.
pub(crate) type Answer<T, E> = Arc<Mutex<Option<Result<T, E>>>>;

impl Job {
    pub(crate) fn new<T, E>(
        mut work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> (Job, End, Answer<T, E>)
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let answer = Answer::default();
        let kept = answer.clone();
        let work = move |tx: &mut Tx| {
            let answer = work(tx);
            let is_ok = answer.is_ok();
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            is_ok
        };
        let (job, end) = Job::boxed(Box::new(work));
        (job, end, answer)
    }

    fn boxed(work: Box<dyn FnMut(&mut Tx) -> bool + Send>) -> (Job, End) {
        let (end, ended) = oneshot::channel();
        let progress = Arc::new(Progress(AtomicU8::new(WAITING)));
        let job = Job { work, announced: Vec::new(), failure: None, end, progress: progress.clone() };
        (job, End { ended, progress })
    }

    /// To be called before the first run. `false`: its caller has given up, and it must not run any more.
    pub(crate) fn begin(&self) -> bool {
        self.progress.take(STARTED)
    }

    /// Runs the closure. `Ok` means: commit it.
    pub(crate) fn run(&mut self, engine: Engine) -> Result<(), Undo> {
        let mut tx = Tx::new(engine);
        self.announced.clear();
        self.failure = None;
        // A panic in one closure must not take the thread, and with it every other write, along.
        let accepted = catch_unwind(AssertUnwindSafe(|| (self.work)(&mut tx)));
        if let Some((error, retry)) = tx.failure {
            self.failure = Some(error.clone());
            return Err(Undo::Failed(error, retry));
        }
        match accepted {
            Ok(true) => {
                self.announced = tx.announced;
                Ok(())
            }
            Ok(false) => Err(Undo::Refused),
            Err(panic) => {
                self.failure = Some(Error::Internal(panic_text(panic.as_ref())));
                Err(Undo::Refused)
            }
        }
    }

    /// To be counted after the commit, before the caller gets its answer.
    pub(crate) fn announced(&self) -> &[Announcement] {
        &self.announced
    }

    /// Lets the caller take the closure's answer, or sends the reason why there is none.
    pub(crate) fn finish(self, outcome: Result<()>) {
        let outcome = outcome.and_then(|()| self.failure.map_or(Ok(()), Err));
        // The caller may have given up; its change is committed all the same.
        let _ = self.end.send(outcome);
    }
}

const WAITING: u8 = 0;
const STARTED: u8 = 1;
const GIVEN_UP: u8 = 2;

/// Whether a job has been started, or its caller has given up before that: never both.
struct Progress(AtomicU8);

impl Progress {
    fn take(&self, state: u8) -> bool {
        self.0.compare_exchange(WAITING, state, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// The caller's end of a job.
pub(crate) struct End {
    ended: oneshot::Receiver<Result<()>>,
    progress: Arc<Progress>,
}

/// Why there is no answer.
pub(crate) enum NoAnswer {
    /// The job was never started, and will not be.
    NotStarted,
    /// It was started: what became of it is unknown.
    Unknown,
    /// The store is closed.
    Closed,
}

impl End {
    /// A database may be silent for ever without being gone; its callers do not wait that long.
    pub(crate) async fn within(mut self, time: Duration) -> Result<Result<()>, NoAnswer> {
        match timeout(time, &mut self.ended).await {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(_)) => Err(NoAnswer::Closed),
            Err(_) if self.give_up() => Err(NoAnswer::NotStarted),
            Err(_) => Err(NoAnswer::Unknown),
        }
    }

    /// `false`: it has been started.
    pub(crate) fn give_up(&self) -> bool {
        self.progress.take(GIVEN_UP)
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    format!("a transaction panicked: {}", text.unwrap_or("no message"))
}

/// Starts a thread that owns a connection.
pub(crate) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name(name.into()).spawn(body);
    thread.map_err(|error| Error::Internal(format!("start a database thread: {error}")))
}

/// The next job of a queue that several threads share; `None` once the store is closed.
pub(crate) fn take<T>(queue: &Mutex<mpsc::Receiver<T>>) -> Option<T> {
    let mut queue: MutexGuard<_> = queue.lock().unwrap_or_else(PoisonError::into_inner);
    queue.blocking_recv()
}
