//! The peer for builds: Hugo, on the same pages as files, with the smallest theme that has the same features.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::corpus::Page;
use crate::timing::{median, ms_since};

const THEME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/hugo");
const TIMEOUT: Duration = Duration::from_secs(1200);

pub struct Hugo {
    directory: tempfile::TempDir,
}

/// The cost of one build, by Hugo or Recto.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    pub ms: f64,
    /// Total of all cores.
    pub cpu_ms: f64,
    pub peak_mb: f64,
}

impl Run {
    /// The median of each figure.
    pub fn median(runs: &[Run]) -> Run {
        let of = |figure: fn(&Run) -> f64| median(runs.iter().map(figure).collect());
        Run { ms: of(|run| run.ms), cpu_ms: of(|run| run.cpu_ms), peak_mb: of(|run| run.peak_mb) }
    }
}

impl Hugo {
    pub fn new(pages: &[Page]) -> Result<Hugo> {
        let hugo = Hugo { directory: tempfile::tempdir()? };
        copy(Path::new(THEME), &hugo.source())?;
        for page in pages {
            hugo.write(page)?;
        }
        Ok(hugo)
    }

    fn source(&self) -> PathBuf {
        self.directory.path().join("site")
    }

    pub fn destination(&self) -> PathBuf {
        self.directory.path().join("public")
    }

    pub fn write(&self, page: &Page) -> Result<()> {
        let path = self.source().join(format!("content{}.md", page.url()));
        let text = format!(
            "+++\ntitle = {}\ndate = {}\ntags = {}\ndescription = {}\n+++\n\n{}",
            serde_json::to_string(&page.title)?,
            page.published_at,
            serde_json::to_string(&page.tags)?,
            serde_json::to_string(&page.description)?,
            page.content
        );
        fs::create_dir_all(path.parent().context("a page has a directory")?)?;
        Ok(fs::write(path, text)?)
    }

    /// A build from scratch.
    pub fn build(&self) -> Result<Run> {
        if self.destination().exists() {
            fs::remove_dir_all(self.destination())?;
        }
        self.run(&["--ignoreCache"])
    }

    /// A build on top of the last one's output.
    pub fn rebuild(&self) -> Result<Run> {
        self.run(&[])
    }

    fn arguments(&self, command: &mut Command) -> Result<()> {
        command.arg(std::env::var_os("HUGO_BIN").context("HUGO_BIN: run bench/run")?).arg("build");
        command.arg("--source").arg(self.source()).arg("--destination").arg(self.destination());
        command.arg("--cacheDir").arg(self.directory.path().join("cache"));
        Ok(())
    }

    fn run(&self, more: &[&str]) -> Result<Run> {
        let usage = self.directory.path().join("usage");
        let mut command = Command::new("timeout");
        command.arg(TIMEOUT.as_secs().to_string());
        command.args(["/usr/bin/time", "--format", "%U %S %M", "--output"]).arg(&usage);
        self.arguments(&mut command)?;
        command.arg("--quiet").args(more);
        let start = Instant::now();
        let done = command.output()?;
        let ms = ms_since(start);
        ensure!(done.status.success(), "hugo: {}", String::from_utf8_lossy(&done.stderr));
        let usage = fs::read_to_string(usage)?;
        let usage: Vec<f64> = usage.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
        let [user, system, kb] = usage[..] else { bail!("time must print three figures") };
        Ok(Run { ms, cpu_ms: (user + system) * 1e3, peak_mb: kb / 1024.0 })
    }

    /// Starts Hugo in watch mode, and waits for its first build.
    pub fn watch(&self) -> Result<Watch> {
        let mut command = Command::new("timeout");
        command.arg(TIMEOUT.as_secs().to_string());
        self.arguments(&mut command)?;
        command.arg("--watch").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut watch = Watch { process: command.spawn()?, destination: self.destination() };
        let output = BufReader::new(watch.process.stdout.take().context("stdout")?);
        let (ready, is_ready) = mpsc::channel();
        // Read to the end: Hugo would die if its pipe is not read.
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if line.contains("Ctrl+C") {
                    let _ = ready.send(());
                }
            }
        });
        is_ready.recv_timeout(TIMEOUT).context("hugo did not start watching")?;
        Ok(watch)
    }
}

pub struct Watch {
    process: Child,
    destination: PathBuf,
}

impl Watch {
    /// Waits until the file of a page contains these words.
    pub fn until(&self, page: &Page, words: &str) -> Result<()> {
        let path = self.destination.join(format!("{}/index.html", page.url().trim_start_matches('/')));
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            if fs::read_to_string(&path).is_ok_and(|text| text.contains(words)) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        bail!("hugo did not notice the change")
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // `timeout` forwards SIGTERM to Hugo; SIGKILL would leave Hugo running.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (entry, to) = (entry?, to.to_owned());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name()))?,
            false => fs::copy(entry.path(), to.join(entry.file_name())).map(drop)?,
        }
    }
    Ok(())
}

/// The number of files below a directory, and their total size.
pub fn size_of(directory: &Path) -> Result<(usize, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let (more, larger) = size_of(&entry.path())?;
            (files, bytes) = (files + more, bytes + larger);
        } else {
            (files, bytes) = (files + 1, bytes + entry.metadata()?.len());
        }
    }
    Ok((files, bytes))
}
