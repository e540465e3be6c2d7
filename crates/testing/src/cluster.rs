//! A private PostgreSQL server, which a test may stop, freeze or break.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, geteuid, kill_process};

/// Removed at the end of the test.
pub struct Cluster {
    pub(crate) directory: PathBuf,
}

impl Cluster {
    pub fn start() -> Cluster {
        let cluster = Cluster { directory: temporary_directory() };
        cluster.run("initdb", &["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"]);
        cluster.start_again();
        cluster
    }

    pub fn start_again(&self) {
        let socket =
            format!("-c listen_addresses='' -c unix_socket_directories='{}'", self.directory.display());
        let log = self.directory.join("log");
        self.run("pg_ctl", &["start", "--wait", "--log", log.to_str().unwrap(), "--options", &socket]);
    }

    pub fn stop(&self) {
        self.run("pg_ctl", &["stop", "--mode=immediate"]);
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres", self.directory.to_str().unwrap().replace('/', "%2F"))
    }

    /// From now on it does not answer, but is not gone.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Signals the server's main process, which starts the others, and then those.
    fn signal(&self, signal: Signal) {
        let file = std::fs::read_to_string(self.directory.join("data/postmaster.pid")).unwrap();
        let first: i32 = file.lines().next().unwrap().parse().unwrap();
        for process in std::iter::once(first).chain(children(first)) {
            // A process may have ended in the meantime.
            let _ = kill_process(Pid::from_raw(process).unwrap(), signal);
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        // Not captured: the database itself would keep the pipe open.
        let mut command = as_postgres(newest_bin().join(program).to_str().unwrap());
        command.arg("--pgdata").arg(self.directory.join("data")).args(arguments).current_dir("/");
        let status =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "{program} {arguments:?}: {status}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.directory.join("data/postmaster.pid").exists() {
            self.thaw();
            self.stop();
        }
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn children(parent: i32) -> Vec<i32> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes
        .filter(|process| parent_of(&process.path()) == Some(parent))
        .filter_map(|process| process.file_name().to_str()?.parse().ok())
        .collect()
}

/// The fourth field; the second, in parentheses, may contain anything.
fn parent_of(process: &Path) -> Option<i32> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Created by the user that the database runs as, who may differ from ours. A socket's path must be short.
pub(crate) fn temporary_directory() -> PathBuf {
    let made = as_postgres("mktemp").args(["-d", "/tmp/recto-test.XXXXXX"]).output().unwrap();
    PathBuf::from(String::from_utf8(made.stdout).unwrap().trim())
}

/// PostgreSQL refuses to run as root.
pub(crate) fn as_postgres(program: &str) -> Command {
    if !geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--", program]);
    command
}

/// The server's programs: where the variable says, or where Debian installs them, which is not on the PATH.
fn newest_bin() -> PathBuf {
    if let Some(bin) = std::env::var_os("RECTO_TEST_POSTGRES_BIN") {
        return bin.into();
    }
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("this test needs PostgreSQL: run ./test");
    let bins = versions.map(|version| version.unwrap().path().join("bin"));
    bins.filter(|bin| bin.join("initdb").exists()).max().expect("this test needs PostgreSQL: run ./test")
}
