//! A child process, from its parent's point of view.

use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::de::DeserializeOwned;

use super::Program;
use crate::Failure;
use crate::job::{Answer, Order, READY};

/// Dropping it ends the process.
pub(crate) struct Child {
    process: std::process::Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// Output that was read, but not yet returned as a line.
    unread: Vec<u8>,
    /// `None` once it is closed.
    errors: Option<ChildStderr>,
    /// The last bytes read from `errors`.
    stderr: Vec<u8>,
}

/// The next output of a child.
pub(crate) enum ChildOutput {
    Line(String),
    /// It closed its output: it has ended, or is about to.
    End,
    /// No output before the deadline.
    Nothing,
}

/// Why there is no answer.
pub(crate) struct NoAnswer {
    /// For the log.
    pub(crate) cause: String,
    pub(crate) failure: Failure,
}

impl NoAnswer {
    fn new(cause: impl Into<String>, failure: Failure) -> NoAnswer {
        NoAnswer { cause: cause.into(), failure }
    }
}

/// A process starts within milliseconds, but a loaded machine may take longer.
const START_TIMEOUT: Duration = Duration::from_secs(20);
const MAX_LINE_BYTES: usize = 64 * 1024;
const MAX_STDERR_BYTES: usize = 8 * 1024;
/// Printed by Rust's standard library before it aborts.
const OUT_OF_MEMORY: &str = "memory allocation of";

impl Child {
    /// Starts a child and waits until it is ready for its order.
    pub(crate) fn start(program: &Program) -> io::Result<Child> {
        let mut process = Command::new(&program.path)
            .args(&program.args)
            .env_clear()
            // Otherwise mimalloc reserves a gigabyte of address space, which would count towards the memory limit.
            .env("MIMALLOC_ARENA_RESERVE", "0")
            // Signals to the server's process group are not for its children; they end with it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (input, Some(output), errors) = pipes else {
            return Err(io::Error::other("a pipe is missing"));
        };
        let mut child = Child { process, input, output, unread: Vec::new(), errors, stderr: Vec::new() };
        match child.read_output(Instant::now() + START_TIMEOUT)? {
            ChildOutput::Line(line) if line == READY => Ok(child),
            _ => Err(io::Error::other(format!("{} does not act as a media worker", program.path.display()))),
        }
    }

    /// Sends the order, the only input of a child. Fails if the child is dead.
    pub(crate) fn send_order(&mut self, order: &Order) -> io::Result<()> {
        let line = serde_json::to_string(order)?;
        let mut input = self.input.take().ok_or_else(|| io::Error::other("the order was already sent"))?;
        writeln!(input, "{line}")
    }

    /// The answer to the order, or why there is none.
    pub(crate) fn answer<T: DeserializeOwned>(
        mut self,
        deadline: Instant,
    ) -> io::Result<Result<Answer<T>, NoAnswer>> {
        Ok(match self.read_output(deadline)? {
            ChildOutput::Line(line) => serde_json::from_str(&line).map_err(|_| {
                NoAnswer::new("invalid answer", Failure::refused("the file could not be processed"))
            }),
            ChildOutput::Nothing => Err(NoAnswer::new(
                "time limit exceeded",
                Failure::refused("the file takes too long to process"),
            )),
            ChildOutput::End => Err(self.cause_of_end()?),
        })
    }

    /// Waits for a line, the end, or the deadline.
    pub(crate) fn read_output(&mut self, deadline: Instant) -> io::Result<ChildOutput> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.unread) {
                let line = self.unread.drain(..=end).collect::<Vec<u8>>();
                return Ok(ChildOutput::Line(String::from_utf8_lossy(&line[..end]).into_owned()));
            }
            if self.unread.len() > MAX_LINE_BYTES || !self.wait_for_output(deadline)? {
                return Ok(ChildOutput::Nothing);
            }
            let mut bytes = [0; 4096];
            match self.output.read(&mut bytes) {
                Ok(0) => return Ok(ChildOutput::End),
                Ok(count) => self.unread.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns false at the deadline. Also drains standard error: a child with a full pipe would block.
    fn wait_for_output(&mut self, deadline: Instant) -> io::Result<bool> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
            let mut pipes = vec![PollFd::new(&self.output, PollFlags::IN)];
            pipes.extend(self.errors.as_ref().map(|errors| PollFd::new(errors, PollFlags::IN)));
            let ready = match poll(&mut pipes, Some(&timeout)) {
                Err(rustix::io::Errno::INTR) => continue,
                ready => ready?,
            };
            if ready == 0 || !pipes[0].revents().is_empty() {
                return Ok(ready > 0);
            }
            self.drain_stderr();
        }
    }

    /// Reads some of standard error, blocking if necessary. Returns false at its end.
    fn drain_stderr(&mut self) -> bool {
        let mut bytes = [0; 4096];
        match self.errors.as_mut().map(|errors| errors.read(&mut bytes)) {
            Some(Ok(count)) if count > 0 => {
                let too_many = (self.stderr.len() + count).saturating_sub(MAX_STDERR_BYTES);
                self.stderr.drain(..too_many.min(self.stderr.len()));
                self.stderr.extend_from_slice(&bytes[..count]);
                true
            }
            _ => {
                self.errors = None;
                false
            }
        }
    }

    /// The exit status. The child has closed its output, so it is either ending or never will: killing it does not
    /// change the status of one that is ending.
    pub(crate) fn end(&mut self) -> io::Result<ExitStatus> {
        self.process.kill()?;
        self.process.wait()
    }

    /// The end of its standard error. Only complete after it has ended.
    pub(crate) fn stderr(&mut self) -> String {
        while self.drain_stderr() {}
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    fn cause_of_end(&mut self) -> io::Result<NoAnswer> {
        let status = self.end()?;
        let stderr = self.stderr();
        let refused = |cause: &str, message: &str| NoAnswer::new(cause, Failure::refused(message));
        Ok(match status.signal() {
            Some(libc::SIGXCPU) => {
                refused("CPU time limit exceeded", "the file takes too much CPU time to process")
            }
            Some(libc::SIGXFSZ) => {
                refused("output size limit exceeded", "the file becomes too large when processed")
            }
            Some(signal @ (libc::SIGTERM | libc::SIGKILL)) => NoAnswer::new(
                format!("signal {signal}"),
                Failure::Internal("a media worker was killed".into()),
            ),
            Some(libc::SIGABRT) if stderr.contains(OUT_OF_MEMORY) => {
                refused("memory limit exceeded", "the file needs too much memory to process")
            }
            _ => refused(
                &panic_location(&stderr).unwrap_or_else(|| status.to_string()),
                "the file could not be processed: its content is damaged or not supported",
            ),
        })
    }
}

/// Where a Rust program panicked. Without the message, which may quote the file.
fn panic_location(stderr: &str) -> Option<String> {
    let (_, place) = stderr.split_once(" panicked at ")?;
    Some(format!("panic at {}", place.lines().next()?.trim_end_matches(':')))
}

impl Drop for Child {
    fn drop(&mut self) {
        // Fails only if it was already waited for.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
