//! A folder of Markdown: pushed, watched and previewed, with Hugo on the same pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::corpus::{self, Page};
use crate::hugo::Hugo;
use crate::recto::{Recto, binary, contains, spare_address};
use crate::report::{Report, Row, Target, ms, progress};
use crate::timing::{median, ms_since, time};

/// About 27 MB.
const FILES: usize = 5000;
const RUNS: usize = 5;
const CHANGES: usize = 15;
/// Between two changes, as a person saves a file.
const PAUSE: Duration = Duration::from_millis(500);
const TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(1);

pub async fn folder() -> Result<Report> {
    let pages = corpus::pages(FILES);
    let recto = Recto::start(&[]).await?;
    let folder = Folder { path: recto.directory().join("folder") };
    for page in &pages {
        folder.write(page)?;
    }
    let mut report = Report::default();
    let mut row = |what: &str, took: f64, goal: f64| {
        progress(&format!("{what}: {}", ms(took)));
        report.rows.push(Row {
            what: format!("{what}, {FILES} files"),
            ours: ms(took),
            peer: format!("goal {}", ms(goal)),
            ratio: took / goal,
            target: Target::AtMost(1.0),
        });
    };
    row("push: plan", medians(|| folder.push(&recto, &["--dry-run"], 2))?, 1000.0);
    row("push: first", time(|| folder.push(&recto, &["--yes"], 0))?, 3000.0);
    row("push: nothing changed", medians(|| folder.push(&recto, &["--yes"], 0))?, 500.0);
    row("push --watch: from a saved file to a visitor", watched(&recto, &folder, &pages).await?, 100.0);
    let (mut answers, mut shown) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let start = Instant::now();
        let preview = Preview::start(&folder)?;
        preview.wait(&pages[0], |_| true).await?;
        answers.push(ms_since(start));
        preview.wait(&pages[0], |page| contains(page, &pages[0].title)).await?;
        shown.push(ms_since(start));
    }
    row("dev: from the start to the first answer", median(answers), 1000.0);
    row("dev: from the start to the first page", median(shown), 1000.0);
    let hugo = Hugo::new(&pages)?;
    let start = Instant::now();
    let _watch = hugo.watch()?;
    report.note(format!("hugo build --watch: {} until its first build", ms(ms_since(start))));
    Ok(report)
}

fn medians(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let times: Result<Vec<f64>> = (0..RUNS).map(|_| time(&mut work)).collect();
    Ok(median(times?))
}

struct Folder {
    path: PathBuf,
}

impl Folder {
    fn write(&self, page: &Page) -> Result<()> {
        let path = self.path.join(format!("{}.md", page.url().trim_start_matches('/')));
        let text = format!(
            "---\ntitle: {}\ndate: {}\ntags: {}\ndescription: {}\n---\n\n{}",
            serde_json::to_string(&page.title)?,
            page.published_at,
            serde_json::to_string(&page.tags)?,
            serde_json::to_string(&page.description)?,
            page.content
        );
        fs::create_dir_all(path.parent().context("a page has a directory")?)?;
        Ok(fs::write(path, text)?)
    }

    fn push(&self, recto: &Recto, options: &[&str], status: i32) -> Result<()> {
        let done = self.command(recto)?.args(options).output()?;
        ensure!(done.status.code() == Some(status), "push: {}", String::from_utf8_lossy(&done.stderr));
        Ok(())
    }

    fn command(&self, recto: &Recto) -> Result<Command> {
        let mut command = Command::new(binary()?);
        command.args(["push", "--json", "--url", &recto.base]).arg(&self.path);
        command.env("RECTO_TOKEN", &recto.token).env("XDG_CACHE_HOME", recto.directory());
        Ok(command)
    }
}

/// Until a visitor sees what was saved.
async fn watched(recto: &Recto, folder: &Folder, pages: &[Page]) -> Result<f64> {
    let mut command = folder.command(recto)?;
    let process = command.args(["--watch", "--yes"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let _watch = Running(process);
    let mut times = Vec::new();
    for number in 0..=CHANGES {
        tokio::time::sleep(PAUSE).await;
        let (page, words) = (&pages[number * 97 % FILES], format!("Saved as number {number}."));
        let changed = Page { content: format!("{}\n{words}\n", page.content), ..page.clone() };
        let start = Instant::now();
        folder.write(&changed)?;
        recto.until(&page.url(), |visited| contains(&visited.body, &words)).await?;
        times.push(ms_since(start));
    }
    // The first change may have been made before the folder was watched.
    Ok(median(times.split_off(1)))
}

struct Preview {
    _process: Running,
    address: String,
    client: reqwest::Client,
}

impl Preview {
    fn start(folder: &Folder) -> Result<Preview> {
        let address = spare_address()?;
        let mut command = Command::new(binary()?);
        command.arg("dev").arg::<&Path>(&folder.path).args(["--no-open", "--listen", &address]);
        let process = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?);
        Ok(Preview { _process: process, address, client: reqwest::Client::new() })
    }

    /// Until the page is as it should be.
    async fn wait(&self, page: &Page, is_met: impl Fn(&[u8]) -> bool) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            if let Ok(answer) = self.client.get(format!("http://{}{}", self.address, page.url())).send().await
                && is_met(&answer.bytes().await?)
            {
                return Ok(());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        bail!("the preview did not show {}", page.url())
    }
}

/// Interrupted when dropped, so that it removes its temporary files.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-INT", &self.0.id().to_string()]).status();
        let _ = self.0.wait();
    }
}
