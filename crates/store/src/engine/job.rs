//! A closure on its way to a thread that owns a connection, and its answer on the way back.

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

/// Work for a connection: run, perhaps more than once, then finished with what became of the transaction.
pub(crate) trait Job: Send {
    /// To be called before the first run. `false`: its caller has given up, and it must not run any more.
    fn begin(&self) -> bool;
    /// Runs the closure. `Ok` means: commit it. Whatever the closure itself answered is kept for `finish`.
    fn run(&mut self, engine: Engine) -> Result<(), Undo>;
    /// What the last run announced: to be counted after the commit, before the answer is sent.
    fn announced(&self) -> &[Announcement];
    /// Sends the closure's answer, or the reason why the transaction around it is not there.
    fn finish(self: Box<Self>, outcome: Result<()>);
}

/// Why a closure's changes must not stay.
pub(crate) enum Undo {
    /// The closure refused, or its error cannot be mended: its own answer is the answer.
    Refused,
    /// The engine failed in a way that another try may mend.
    Failed(Error, Retry),
}

pub(crate) struct Closure<F, T, E> {
    work: F,
    answer: Option<Result<T, E>>,
    announced: Vec<Announcement>,
    reply: oneshot::Sender<Result<T, E>>,
    progress: Arc<Progress>,
}

impl<F, T, E> Closure<F, T, E> {
    pub(crate) fn new(work: F) -> (Closure<F, T, E>, Answer<T, E>) {
        let (reply, receiver) = oneshot::channel();
        let progress = Arc::new(Progress(AtomicU8::new(WAITING)));
        let closure =
            Closure { work, answer: None, announced: Vec::new(), reply, progress: progress.clone() };
        (closure, Answer { receiver, progress })
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
pub(crate) struct Answer<T, E> {
    receiver: oneshot::Receiver<Result<T, E>>,
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

impl<T, E> Answer<T, E> {
    /// A database may be silent for ever without being gone; its callers do not wait that long.
    pub(crate) async fn within(mut self, time: Duration) -> Result<Result<T, E>, NoAnswer> {
        match timeout(time, &mut self.receiver).await {
            Ok(Ok(answer)) => Ok(answer),
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

impl<F, T, E> Job for Closure<F, T, E>
where
    F: FnMut(&mut Tx) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn begin(&self) -> bool {
        self.progress.take(STARTED)
    }

    fn run(&mut self, engine: Engine) -> Result<(), Undo> {
        let mut tx = Tx::new(engine);
        self.announced.clear();
        // A panic in one closure must not take the thread, and with it every other write, along.
        let answer = catch_unwind(AssertUnwindSafe(|| (self.work)(&mut tx)));
        if let Some((error, retry)) = tx.failure {
            self.answer = Some(Err(E::from(error.clone())));
            return Err(Undo::Failed(error, retry));
        }
        let answer = answer.unwrap_or_else(|panic| Err(E::from(Error::Internal(panic_text(panic.as_ref())))));
        let verdict = if answer.is_ok() { Ok(()) } else { Err(Undo::Refused) };
        if verdict.is_ok() {
            self.announced = tx.announced;
        }
        self.answer = Some(answer);
        verdict
    }

    fn announced(&self) -> &[Announcement] {
        &self.announced
    }

    fn finish(self: Box<Self>, outcome: Result<()>) {
        let answer = match outcome {
            Ok(()) => {
                self.answer.unwrap_or_else(|| Err(E::from(Error::Internal("the write never ran".into()))))
            }
            Err(error) => Err(E::from(error)),
        };
        // The caller may have given up; its change is committed all the same.
        let _ = self.reply.send(answer);
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
