//! A private PgBouncer in front of a private PostgreSQL.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::Cluster;
use crate::cluster::{as_postgres, temporary_directory};

/// Removed at the end of the test.
pub struct Pooler {
    directory: PathBuf,
}

impl Pooler {
    /// `mode` is PgBouncer's `pool_mode`: `session` or `transaction`.
    pub fn start(cluster: &Cluster, mode: &str) -> Pooler {
        let pooler = Pooler { directory: temporary_directory() };
        let (own, target) = (pooler.directory.display(), cluster.directory.display());
        let settings = format!(
            "[databases]\npostgres = host={target} user=postgres\n[pgbouncer]\npool_mode = {mode}\nauth_type = any\n\
             listen_addr =\nunix_socket_dir = {own}\npidfile = {own}/pid\nlogfile = {own}/log\ndefault_pool_size = 50\n"
        );
        let file = pooler.directory.join("pgbouncer.ini");
        std::fs::write(&file, settings).unwrap();
        let mut command = as_postgres("/usr/sbin/pgbouncer");
        command.arg("--daemon").arg(&file).current_dir("/");
        let status =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "pgbouncer: {status}");
        // It goes to the background before it listens, and its socket exists before that, too.
        let socket = pooler.directory.join(".s.PGSQL.6432");
        let start = Instant::now();
        while UnixStream::connect(&socket).is_err() {
            assert!(start.elapsed() < Duration::from_secs(30), "pgbouncer does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
        pooler
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@{}:6432/postgres", self.directory.to_str().unwrap().replace('/', "%2F"))
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        if let Some(process) = process_in(&self.directory.join("pid")) {
            let _ = kill_process(process, Signal::TERM);
        }
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn process_in(file: &Path) -> Option<Pid> {
    Pid::from_raw(std::fs::read_to_string(file).ok()?.trim().parse().ok()?)
}
