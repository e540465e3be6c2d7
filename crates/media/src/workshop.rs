//! The pool of child processes, seen from the server.
//!
//! Children are started ahead, so that a small image does not wait for a process to start, and each serves one upload.

mod child;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use child::Death;
pub(crate) use child::{Child, Heard};

use crate::job::{Limits, Order, Work};
use crate::{Done, Failure, Job, Kind, Sandbox};

/// How a child is started: a program that calls [`crate::worker::main`].
#[derive(Debug, Clone)]
pub struct Program {
    pub path: PathBuf,
    pub args: Vec<String>,
    pub sandbox: Sandbox,
}

#[derive(Debug, Clone, Copy)]
pub struct WorkshopSettings {
    /// At work at once; as many wait, started, for the next uploads.
    pub children: usize,
    /// Bytes, each.
    pub memory: u64,
    /// At most; a file gets what one of its kind and size may need.
    pub cpu_seconds: u64,
    pub wall_seconds: u64,
}

/// Dropping it ends the children that wait.
pub struct Workshop {
    settings: WorkshopSettings,
    sandbox: Sandbox,
    pool: Arc<Pool>,
    starter: Option<JoinHandle<()>>,
}

impl Workshop {
    pub fn new(program: Program, settings: WorkshopSettings) -> Workshop {
        let settings = WorkshopSettings { children: settings.children.max(1), ..settings };
        let (pool, sandbox) = (Arc::new(Pool::default()), program.sandbox);
        let for_starter = pool.clone();
        let starter = std::thread::spawn(move || for_starter.keep_filled(&program, settings.children));
        Workshop { settings, sandbox, pool, starter: Some(starter) }
    }

    /// Waits for its turn, then for the work. Whatever the file does to the child, only this upload fails.
    pub fn process(&self, job: &Job) -> Result<Done, Failure> {
        if job.kind == Kind::Kept {
            return Err(Failure::Internal("a file that is kept as it is needs no processing".into()));
        }
        let WorkshopSettings { children, memory, cpu_seconds, wall_seconds } = self.settings;
        let bytes = std::fs::metadata(&job.input)?.len();
        let limits = Limits { memory, cpu_seconds: cpu_seconds.min(job.kind.cpu_seconds(bytes)) };
        let order = Order { work: Work::Process(job.clone()), limits, sandbox: self.sandbox };
        let _turn = self.pool.wait_for_turn(children);
        // One that was killed while it waited is not worth a failed upload; when several were, something is wrong.
        for _ in 0..3 {
            let mut child = self.pool.take_child().map_err(Failure::Internal)?;
            if child.tell(&order).is_ok() {
                let answer = child.answer(Instant::now() + Duration::from_secs(wall_seconds))?;
                return answer.unwrap_or_else(|Death { cause, failure }| {
                    tracing::warn!(kind = ?job.kind, bytes, cause, "a media worker died");
                    Err(failure)
                });
            }
        }
        Err(Failure::Internal("media workers end before they get an order".into()))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        self.pool.lock().closed = true;
        self.pool.changed.notify_all();
        if let Some(starter) = self.starter.take() {
            // It panics only if starting a process does; there is nothing left to do about that.
            let _ = starter.join();
        }
    }
}

#[derive(Default)]
struct Pool {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    ready: Vec<Child>,
    /// Why no child could be started, the last time.
    trouble: Option<String>,
    /// Tickets of those who wait for a turn, the first first.
    queue: VecDeque<u64>,
    next_ticket: u64,
    at_work: usize,
    closed: bool,
}

/// A permission to keep one child at work.
struct Turn<'a>(&'a Pool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.lock().at_work -= 1;
        self.0.changed.notify_all();
    }
}

/// How long the starter rests after it failed.
const REST: Duration = Duration::from_secs(1);

impl Pool {
    fn wait_for_turn(&self, children: usize) -> Turn<'_> {
        let mut state = self.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.queue.push_back(ticket);
        while state.queue.front() != Some(&ticket) || state.at_work >= children {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.queue.pop_front();
        state.at_work += 1;
        drop(state);
        // There may be a turn for the next one too.
        self.changed.notify_all();
        Turn(self)
    }

    fn take_child(&self) -> Result<Child, String> {
        let mut state = self.lock();
        loop {
            if let Some(child) = state.ready.pop() {
                drop(state);
                self.changed.notify_all();
                return Ok(child);
            }
            if let Some(trouble) = &state.trouble {
                return Err(format!("cannot start a media worker: {trouble}"));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs on a thread of its own until the workshop is closed: children die with the thread that started them.
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
                    state.trouble = None;
                }
                Err(error) => state.trouble = Some(error.to_string()),
            }
            self.changed.notify_all();
            if state.trouble.is_some() {
                let until_closed = |state: &mut State| !state.closed;
                drop(self.changed.wait_timeout_while(state, REST, until_closed));
            }
        }
    }

    /// Nothing panics while it holds the lock, and if it did the state would still be sound.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
