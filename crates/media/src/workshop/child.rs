//! One child process, seen from its parent.

use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Program;
use crate::Failure;
use crate::job::{Answer, HELLO, Order};

/// Dropping it ends the process.
pub(crate) struct Child {
    process: std::process::Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// Read, and not yet given out as a line.
    heard: Vec<u8>,
    /// None when it was closed.
    errors: Option<ChildStderr>,
    /// The end of what came from `errors`.
    complaint: Vec<u8>,
}

/// What there is to hear from a child.
pub(crate) enum Heard {
    Line(String),
    /// It closed its output: it ended, or is about to.
    End,
    /// Nothing until the deadline.
    Nothing,
}

/// Why there is no answer.
pub(crate) struct Death {
    /// For the log.
    pub(crate) cause: String,
    pub(crate) failure: Failure,
}

impl Death {
    fn new(cause: impl Into<String>, failure: Failure) -> Death {
        Death { cause: cause.into(), failure }
    }
}

/// A process that starts takes milliseconds; a loaded machine may take its time.
const START: Duration = Duration::from_secs(20);
const LINE_BYTES: usize = 64 * 1024;
const COMPLAINT_BYTES: usize = 8 * 1024;
/// The words of Rust's standard library before it aborts.
const OUT_OF_MEMORY: &str = "memory allocation of";

impl Child {
    /// A child that is ready for its order.
    pub(crate) fn start(program: &Program) -> io::Result<Child> {
        let mut process = Command::new(&program.path)
            .args(&program.args)
            .env_clear()
            // Else mimalloc sets a gigabyte of addresses aside, which the limit of memory would have to add.
            .env("MIMALLOC_ARENA_RESERVE", "0")
            // What interrupts the server is not for its children; they end with it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (input, Some(output), errors) = pipes else {
            return Err(io::Error::other("a pipe is missing"));
        };
        let mut child = Child { process, input, output, heard: Vec::new(), errors, complaint: Vec::new() };
        match child.hear(Instant::now() + START)? {
            Heard::Line(line) if line == HELLO => Ok(child),
            _ => Err(io::Error::other(format!("{} does not act as a media worker", program.path.display()))),
        }
    }

    /// Gives the order, the only thing it is ever told. Fails if the child is dead.
    pub(crate) fn tell(&mut self, order: &Order) -> io::Result<()> {
        let line = serde_json::to_string(order)?;
        let mut input = self.input.take().ok_or_else(|| io::Error::other("it has its order already"))?;
        writeln!(input, "{line}")
    }

    /// The answer to the order, or why there is none.
    pub(crate) fn answer(mut self, deadline: Instant) -> io::Result<Result<Answer, Death>> {
        Ok(match self.hear(deadline)? {
            Heard::Line(line) => serde_json::from_str(&line).map_err(|_| {
                Death::new("it wrote nonsense", Failure::refused("the file could not be processed"))
            }),
            Heard::Nothing => {
                Err(Death::new("its time was over", Failure::refused("the file takes too long to process")))
            }
            Heard::End => Err(self.cause_of_end()?),
        })
    }

    /// Sleeps until there is a line, the end, or the deadline.
    pub(crate) fn hear(&mut self, deadline: Instant) -> io::Result<Heard> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.heard) {
                let line = self.heard.drain(..=end).collect::<Vec<u8>>();
                return Ok(Heard::Line(String::from_utf8_lossy(&line[..end]).into_owned()));
            }
            if self.heard.len() > LINE_BYTES || !self.wait_for_output(deadline)? {
                return Ok(Heard::Nothing);
            }
            let mut bytes = [0; 4096];
            match self.output.read(&mut bytes) {
                Ok(0) => return Ok(Heard::End),
                Ok(count) => self.heard.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// False at the deadline. Takes in complaints meanwhile: whose pipe is full, stands still.
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
            self.take_in_complaint();
        }
    }

    /// Waits for some, or for the end of it. False at the end.
    fn take_in_complaint(&mut self) -> bool {
        let mut bytes = [0; 4096];
        match self.errors.as_mut().map(|errors| errors.read(&mut bytes)) {
            Some(Ok(count)) if count > 0 => {
                let too_many = (self.complaint.len() + count).saturating_sub(COMPLAINT_BYTES);
                self.complaint.drain(..too_many.min(self.complaint.len()));
                self.complaint.extend_from_slice(&bytes[..count]);
                true
            }
            _ => {
                self.errors = None;
                false
            }
        }
    }

    /// How it ended. It has closed its output, so it is ending by itself or never will: killing it changes neither
    /// the status of one that is ending, nor the rights of one that is not.
    pub(crate) fn end(&mut self) -> io::Result<ExitStatus> {
        self.process.kill()?;
        self.process.wait()
    }

    /// The last that it wrote to its standard error. Only after its end.
    pub(crate) fn complaint(&mut self) -> String {
        while self.take_in_complaint() {}
        String::from_utf8_lossy(&self.complaint).into_owned()
    }

    fn cause_of_end(&mut self) -> io::Result<Death> {
        let status = self.end()?;
        let complaint = self.complaint();
        let refused = |cause: &str, message: &str| Death::new(cause, Failure::refused(message));
        Ok(match status.signal() {
            Some(libc::SIGXCPU) => {
                refused("its CPU time was used up", "the file takes too much computing to process")
            }
            Some(libc::SIGXFSZ) => {
                refused("its output grew too large", "the file becomes too large when processed")
            }
            Some(signal @ (libc::SIGTERM | libc::SIGKILL)) => {
                Death::new(format!("signal {signal}"), Failure::Internal("a media worker was killed".into()))
            }
            Some(libc::SIGABRT) if complaint.contains(OUT_OF_MEMORY) => {
                refused("its memory was used up", "the file needs too much memory to process")
            }
            _ => refused(
                &panic_place(&complaint).unwrap_or_else(|| status.to_string()),
                "the file could not be processed: its content is damaged or of an unsupported form",
            ),
        })
    }
}

/// Where a Rust program panicked. Not with which words: they may quote the file.
fn panic_place(complaint: &str) -> Option<String> {
    let (_, place) = complaint.split_once(" panicked at ")?;
    Some(format!("panic at {}", place.lines().next()?.trim_end_matches(':')))
}

impl Drop for Child {
    fn drop(&mut self) {
        // Fails only if it was waited for already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
