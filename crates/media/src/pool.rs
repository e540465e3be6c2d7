//! The pool of child processes.
//!
//! Children are started ahead of time, so that a small image does not wait for a process to start; each processes one
//! upload.

mod child;

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use child::NoAnswer;
pub(crate) use child::{Child, ChildOutput};
use serde::de::DeserializeOwned;

use crate::job::{Answer, Limits, Order, Work};
use crate::{Done, Failure, Icon, Job, MediaKind, Sandbox, SmallerCopy};

/// How to start a child: a program that calls [`crate::worker::main`].
#[derive(Debug, Clone)]
pub struct Program {
    pub path: PathBuf,
    pub args: Vec<String>,
    pub sandbox: Sandbox,
}

#[derive(Debug, Clone, Copy)]
pub struct WorkerPoolSettings {
    /// Number of children that are kept started for the next uploads.
    pub children: usize,
    /// Bytes per child.
    pub memory: u64,
    /// The maximum; the actual limit depends on the kind and size of a file.
    pub cpu_seconds: u64,
    pub wall_seconds: u64,
}

/// Dropping it ends the idle children.
pub struct WorkerPool {
    settings: WorkerPoolSettings,
    sandbox: Sandbox,
    pool: Arc<Shared>,
    starter: Option<JoinHandle<()>>,
}

impl WorkerPool {
    pub fn new(program: Program, settings: WorkerPoolSettings) -> WorkerPool {
        let settings = WorkerPoolSettings { children: settings.children.max(1), ..settings };
        let (pool, sandbox) = (Arc::new(Shared::default()), program.sandbox);
        let for_starter = pool.clone();
        let starter = std::thread::spawn(move || for_starter.keep_filled(&program, settings.children));
        WorkerPool { settings, sandbox, pool, starter: Some(starter) }
    }

    /// Waits for the result. Whatever the file does to the child, only this upload fails. The callers must limit how many
    /// are processed at once: they know whose turn it is.
    pub fn process(&self, job: &Job) -> Result<Done, Failure> {
        if job.kind == MediaKind::Kept {
            return Err(Failure::Internal("a file that is stored unchanged needs no processing".into()));
        }
        self.run(job, Work::Process(job.clone()))
    }

    /// Makes smaller copies of a stored image, in the output of the job one after the other, at a low priority. There may
    /// be fewer than widths.
    pub fn shrink(&self, job: &Job, widths: &[NonZeroU32]) -> Result<Vec<SmallerCopy>, Failure> {
        self.run(job, Work::Shrink(job.clone(), widths.to_vec()))
    }

    /// Makes an icon of a stored image.
    pub fn icon(&self, job: &Job, icon: Icon) -> Result<(), Failure> {
        self.run(job, Work::Icon(job.clone(), icon))
    }

    fn run<T: DeserializeOwned>(&self, job: &Job, work: Work) -> Answer<T> {
        let WorkerPoolSettings { memory, cpu_seconds, wall_seconds, .. } = self.settings;
        let bytes = std::fs::metadata(&job.input)?.len();
        let limits = Limits { memory, cpu_seconds: cpu_seconds.min(job.kind.cpu_seconds(bytes)) };
        let order = Order { work, limits, sandbox: self.sandbox };
        // If a child was killed while idle, another one is used; if several were, something is wrong.
        for _ in 0..3 {
            let mut child = self.pool.take_child().map_err(Failure::Internal)?;
            if child.send_order(&order).is_ok() {
                let answer = child.answer(Instant::now() + Duration::from_secs(wall_seconds))?;
                return answer.unwrap_or_else(|NoAnswer { cause, failure }| {
                    tracing::warn!(kind = ?job.kind, bytes, cause, "a media worker died");
                    Err(failure)
                });
            }
        }
        Err(Failure::Internal("media workers exit before they get a job".into()))
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.pool.lock().closed = true;
        self.pool.changed.notify_all();
        if let Some(starter) = self.starter.take() {
            // It panics only if starting a process does; nothing can be done about that.
            let _ = starter.join();
        }
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    ready: Vec<Child>,
    /// Why starting a child failed the last time.
    start_error: Option<String>,
    closed: bool,
}

/// How long the starter pauses after a failure.
const RESTART_DELAY: Duration = Duration::from_secs(1);

impl Shared {
    fn take_child(&self) -> Result<Child, String> {
        let mut state = self.lock();
        loop {
            if let Some(child) = state.ready.pop() {
                drop(state);
                self.changed.notify_all();
                return Ok(child);
            }
            if let Some(start_error) = &state.start_error {
                return Err(format!("cannot start a media worker: {start_error}"));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs on a separate thread until the pool is closed: children die with the thread that started them.
    fn keep_filled(&self, program: &Program, children: usize) {
        loop {
            let mut state = self.lock();
            while state.ready.len() >= children && !state.closed {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.closed {
                state.ready.clear();
                return;
            }
            drop(state);
            let started = Child::start(program);
            state = self.lock();
            match started {
                Ok(child) => {
                    state.ready.push(child);
                    state.start_error = None;
                }
                Err(error) => state.start_error = Some(error.to_string()),
            }
            self.changed.notify_all();
            if state.start_error.is_some() {
                let until_closed = |state: &mut State| !state.closed;
                drop(self.changed.wait_timeout_while(state, RESTART_DELAY, until_closed));
            }
        }
    }

    /// Nothing panics while holding the lock, and if it did, the state would still be valid.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
