//! The peer for serving: a private nginx with the usual optimisations, on a directory of files.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::recto::{process_cpu_ms, spare_address};

pub struct Nginx {
    process: Child,
    pub base: String,
    _directory: tempfile::TempDir,
}

impl Nginx {
    pub fn start(root: &Path) -> Result<Nginx> {
        let directory = tempfile::tempdir()?;
        let address = spare_address()?;
        fs::write(directory.path().join("nginx.conf"), configuration(&address, directory.path(), root))?;
        let process = Command::new("nginx")
            .arg("-p")
            .arg(directory.path())
            .args(["-c", "nginx.conf", "-e", "error.log"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("nginx")?;
        let nginx = Nginx { process, base: format!("http://{address}"), _directory: directory };
        for _ in 0..500 {
            if TcpStream::connect(&address).is_ok() {
                return Ok(nginx);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        bail!("nginx did not start")
    }
}

impl Nginx {
    /// The CPU time of its workers so far.
    pub fn cpu_ms(&self) -> Result<f64> {
        let id = self.process.id();
        let workers = fs::read_to_string(format!("/proc/{id}/task/{id}/children"))?;
        let cpu = |id: &str| Ok(process_cpu_ms(id.parse()?)?[0]);
        workers.split_whitespace().map(cpu).sum()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM: SIGKILL would leave its workers running.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

fn configuration(address: &str, work: &Path, root: &Path) -> String {
    let (work, root) = (work.display(), root.display());
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary: String = temporary.map(|name| format!("  {name}_temp_path {work}/{name};\n")).concat();
    // If run by root, the workers would run as `nobody`, who may not read the files.
    let user =
        if fs::metadata("/root").is_ok_and(|_| fs::read_dir("/root").is_ok()) { "user root;\n" } else { "" };
    format!(
        "{user}daemon off;
worker_processes 2;
pid {work}/nginx.pid;
events {{
  worker_connections 1024;
}}
http {{
{temporary}  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  open_file_cache max=1000 inactive=60s;
  open_file_cache_valid 60s;
  gzip_static on;
  types {{
    text/html html;
  }}
  server {{
    listen {address};
    root {root};
  }}
}}
"
    )
}
