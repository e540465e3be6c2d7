//! A private Redis server, which a test may stop, freeze or configure.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Stopped at the end of the test.
pub struct RedisServer {
    directory: TempDir,
    port: u16,
    process: Option<Child>,
}

impl RedisServer {
    /// `None`: Redis is not installed, skip the test.
    pub fn start() -> Option<RedisServer> {
        let version = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
        if version.is_err() {
            crate::skip("redis-server is not installed (./test installs it)");
            return None;
        }
        // The port may be taken by another process before Redis uses it.
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut server = RedisServer { directory: tempfile::tempdir().unwrap(), port, process: None };
            if server.try_start() {
                return Some(server);
            }
        }
        panic!("redis-server does not start");
    }

    /// With empty counts.
    pub fn start_again(&mut self) {
        assert!(self.try_start(), "redis-server does not start on port {}", self.port);
    }

    /// Kills it.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// From now on it does not answer, but is not gone.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Runs a command and returns its output.
    pub fn command(&self, arguments: &[&str]) -> String {
        let output = Command::new("redis-cli").args(["-p", &self.port.to_string()]).args(arguments).output();
        String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
    }

    fn try_start(&mut self) -> bool {
        let mut command = Command::new("redis-server");
        command.args([
            "--port",
            &self.port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]);
        command.arg("--dir").arg(self.directory.path()).stdin(Stdio::null()).stdout(Stdio::null());
        self.process = Some(command.spawn().unwrap());
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(30) {
            if self.process.as_mut().is_none_or(|process| process.try_wait().unwrap().is_some()) {
                return false;
            }
            if self.command(&["PING"]) == "PONG" {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    fn signal(&self, signal: Signal) {
        let process = self.process.as_ref().expect("it is running");
        kill_process(Pid::from_child(process), signal).unwrap();
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.stop();
    }
}
