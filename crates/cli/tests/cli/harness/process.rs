//! A child process: its output is collected, and it is killed at the end of its test.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Long, because machines that run tests are busy, and builds have the lowest priority.
const PATIENCE: Duration = Duration::from_secs(900);

pub struct Process {
    child: Child,
    stdout: Output,
    stderr: Output,
}

/// Exit code and output.
#[derive(Debug)]
pub struct Ended {
    /// `None`: a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Process {
    pub fn start(command: Command) -> Process {
        Process::start_reading(command, Stdio::null())
    }

    /// With standard input.
    pub fn start_reading(mut command: Command, stdin: Stdio) -> Process {
        let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = Output::collect(child.stdout.take().unwrap());
        let stderr = Output::collect(child.stderr.take().unwrap());
        Process { child, stdout, stderr }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// So far.
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// So far.
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub fn wait(mut self) -> Ended {
        let mut status = None;
        wait_until("the process ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        Ended { code: status.unwrap().code(), stdout: self.stdout.all(), stderr: self.stderr.all() }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Output that is read while the process runs, so that the pipe is never full.
struct Output {
    text: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Output {
    fn collect(pipe: impl Read + Send + 'static) -> Output {
        let text = Arc::new(Mutex::new(String::new()));
        let collected = text.clone();
        let reader = std::thread::spawn(move || {
            let mut lines = BufReader::new(pipe);
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|read| read > 0) {
                collected.lock().unwrap().push_str(&line);
                line.clear();
            }
        });
        Output { text, reader: Some(reader) }
    }

    fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }

    /// The complete output, once the process has ended.
    fn all(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        self.text()
    }
}

pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "timed out waiting until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
