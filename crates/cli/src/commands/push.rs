//! `recto push`: publishes a folder of Markdown through the API.
//!
//! The folder is read and compared with the site (`plan`), what would happen is shown (`overview`), what differs is sent
//! (`send`), and a build is awaited. `cache` remembers the addresses of uploaded files, so that they need not be sent again;
//! `settings` compares the settings of the site with those of the folder.

mod cache;
mod overview;
mod plan;
mod report;
mod send;
mod settings;
pub(super) mod watch;

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;
use client::{Client, Listed, Site};
use folder::{Config, Folder, Options, Problem, Reader};
use indicatif::ProgressBar;
use model::ContentType;

use self::cache::Cache;
use self::plan::Plan;
use self::report::Report;
use super::dev;
use crate::{Global, output, serve};

/// The exit status of a dry run that found changes.
const CHANGES_FOUND: u8 = 2;

#[derive(Args, Clone)]
pub struct PushCommand {
    /// The folder; it may have a recto.toml
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The server; default: `url` in recto.toml, or http://127.0.0.1:8080
    #[arg(long, env = "RECTO_URL")]
    url: Option<String>,
    /// The site's name or id; default: the account's default site
    #[arg(long)]
    site: Option<String>,
    /// The content type of all pages; default: by the first folder
    #[arg(long = "type", value_name = "TYPE", value_parser = ["docs", "blog", "standalone"])]
    content_type: Option<String>,
    /// Delete pages of the same content types that are not in the folder
    #[arg(long)]
    prune: bool,
    /// Check everything and show the plan, but change nothing; exit status 2 if there are changes
    #[arg(long)]
    dry_run: bool,
    /// Publish each change of the folder until interrupted
    #[arg(long, conflicts_with = "dry_run")]
    watch: bool,
    /// Store the pages without a build: they appear with the next build
    #[arg(long)]
    no_build: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// The API token
    #[arg(env = "RECTO_TOKEN", long, hide = true, hide_env_values = true)]
    token: Option<String>,
}

impl PushCommand {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        serve::block_on(async {
            let config = self.config()?;
            let reader = Reader::new(&self.folder, self.options(&config)?);
            let mut push = Push::new(&self, &config, reader, global.json).await?;
            if self.watch {
                return push.watch().await;
            }
            let (report, code) = push.once(false).await?;
            report.show(global.json);
            Ok(code)
        })
    }

    /// A push of everything in the folder, without questions.
    pub(super) fn to(folder: PathBuf, url: &str, token: &str) -> PushCommand {
        PushCommand {
            folder,
            url: Some(url.to_owned()),
            site: None,
            content_type: None,
            prune: true,
            dry_run: false,
            watch: false,
            no_build: false,
            yes: true,
            token: Some(token.to_owned()),
        }
    }

    fn config(&self) -> Result<Config> {
        Config::read(&self.folder).map_err(|problem| anyhow::anyhow!("{problem}"))
    }

    fn options(&self, config: &Config) -> Result<Options> {
        let given = self.content_type.as_deref().map(ContentType::parse).transpose();
        let content_type = given.map_err(anyhow::Error::msg)?.or(config.content_type);
        Ok(Options { content_type, ignore: config.ignore.clone() })
    }
}

/// A push to one site, perhaps again and again.
pub(super) struct Push {
    command: PushCommand,
    client: Client,
    site: Site,
    json: bool,
    /// For a preview: drafts and pages dated in the future are published, too, and nothing is remembered.
    is_preview: bool,
    reader: Reader,
    cache: Cache,
    /// What the site has, if it was read since the last push.
    on_site: Option<OnSite>,
}

/// What a folder is compared with.
struct OnSite {
    pages: Vec<Listed>,
    /// By key; empty if the folder has no settings.
    settings: BTreeMap<String, String>,
}

/// What a folder says of a site.
struct Wanted {
    folder: Folder,
    /// By key, as the site would return them.
    settings: BTreeMap<String, String>,
    prune: bool,
    /// In a preview, the pages that a visitor would not see yet: why, by path.
    unpublished: BTreeMap<String, String>,
}

impl Push {
    /// `reader` has perhaps read the folder already.
    pub(super) async fn for_preview(command: PushCommand, reader: Reader) -> Result<Push> {
        Ok(Push { is_preview: true, ..Push::new(&command, &Config::default(), reader, true).await? })
    }

    /// Publishes what changed. Returns the pages that a visitor would not see yet, by path; `None` if nothing changed.
    pub(super) async fn preview(&mut self) -> Result<Option<BTreeMap<String, String>>> {
        let wanted = self.read()?;
        let report = self.push(&wanted, true).await?.0;
        if let Some(build) = report.build.as_ref().filter(|build| build.status == "failed") {
            let why = build.others.get("error").and_then(|error| error.as_str());
            bail!("the build failed: {}", why.unwrap_or("no reason is given"));
        }
        Ok((!report.is_nothing()).then_some(wanted.unpublished))
    }

    async fn new(command: &PushCommand, config: &Config, reader: Reader, json: bool) -> Result<Push> {
        let token = command.token.as_deref().context(
            "no token: set RECTO_TOKEN to one; `recto token create --account ID` on the server makes one",
        )?;
        let url = command.url.as_deref().or(config.url.as_deref()).unwrap_or("http://127.0.0.1:8080");
        let client = Client::new(url, token, Box::new(show_wait))?;
        let site = find_site(&client, command.site.as_deref().or(config.site.as_deref())).await?;
        let cache = Cache::load(&site);
        Ok(Push {
            command: command.clone(),
            client,
            site,
            json,
            is_preview: false,
            reader,
            cache,
            on_site: None,
        })
    }

    /// Reads the folder, and publishes what differs. `is_watching`: without questions.
    async fn once(&mut self, is_watching: bool) -> Result<(Report, ExitCode)> {
        let wanted = self.read()?;
        self.push(&wanted, is_watching).await
    }

    async fn push(&mut self, wanted: &Wanted, is_watching: bool) -> Result<(Report, ExitCode)> {
        let on_site = match self.on_site.take() {
            Some(on_site) => on_site,
            None => self.look(&wanted.settings).await?,
        };
        self.cache.keep(&on_site.pages);
        let prune = wanted.prune.then(|| self.pruned_types());
        let plan = Plan::new(wanted, &on_site, &self.cache, prune)?;
        if self.command.dry_run {
            return self.dry_run(&wanted.folder, &plan).await;
        }
        if !plan.is_empty() {
            self.confirm(&wanted.folder, &plan, is_watching).await?;
        }
        let (folder, pages) = (&wanted.folder, &on_site.pages);
        if is_watching {
            return self.carry_out(folder, &plan, pages).await;
        }
        tokio::select! {
            outcome = self.carry_out(folder, &plan, pages) => outcome,
            _ = tokio::signal::ctrl_c() => bail!("interrupted; the same push again goes on where this one stopped"),
        }
    }

    async fn carry_out(
        &mut self,
        folder: &Folder,
        plan: &Plan<'_>,
        pages: &[Listed],
    ) -> Result<(Report, ExitCode)> {
        let mut report = self.send(folder, plan).await?;
        let has_changes = report.found_changes() || self.cache.is_build_due;
        if !self.command.no_build && (has_changes || self.needs_build(pages).await?) {
            self.build(&mut report).await?;
        }
        let failed = report.build.as_ref().is_some_and(|build| build.status == "failed");
        Ok((report, if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }))
    }

    /// Reads what the next push compares the folder with, so that it need not wait for that.
    pub(super) async fn look_ahead(&mut self) {
        let wanted = self.command.config().ok().and_then(|config| settings::wanted(&config).ok());
        if let Some(wanted) = wanted {
            self.on_site = self.look(&wanted).await.ok();
        }
    }

    async fn look(&self, wanted: &BTreeMap<String, String>) -> Result<OnSite> {
        let pages = self.client.list(&self.site.id).await?;
        let settings = match wanted.is_empty() {
            true => BTreeMap::new(),
            false => self.client.settings(&self.site.id).await?,
        };
        Ok(OnSite { pages, settings })
    }

    /// The content types that are pruned even if the folder has none of their pages: a preview has only the folder's.
    fn pruned_types(&self) -> &[ContentType] {
        match self.is_preview {
            true => &ContentType::ALL,
            false => self.reader.options().content_type.as_slice(),
        }
    }

    /// The folder with its configuration. Everything that is wrong with either is reported at once.
    fn read(&mut self) -> Result<Wanted> {
        let config = self.command.config()?;
        let options = self.command.options(&config)?;
        if options != *self.reader.options() {
            self.reader = Reader::new(&self.command.folder, options);
        }
        let bar = self.progress("{spinner} reading {pos} files");
        let read = self.reader.read(&|files| bar.set_position(files as u64));
        bar.finish_and_clear();
        let (mut folder, settings) = match (read, settings::wanted(&config)) {
            (Ok(folder), Ok(settings)) => (folder, settings),
            (folder, settings) => {
                let problems = folder.err().into_iter().chain(settings.err()).flatten();
                return Err(described(problems.collect()));
            }
        };
        folder.warnings.iter().for_each(|warning| note(format_args!("warning: {warning}")));
        let unpublished = if self.is_preview { publish_all(&mut folder) } else { BTreeMap::new() };
        Ok(Wanted { folder, settings, prune: self.command.prune || config.prune, unpublished })
    }

    /// Asks on a terminal. Many deletions need `--yes`.
    async fn confirm(&self, folder: &Folder, plan: &Plan<'_>, is_watching: bool) -> Result<()> {
        if plan.deletes_many() && !self.command.yes {
            bail!(
                "--prune would delete {} of {} pages, more than a fifth; check the folder, then repeat with --yes",
                plan.deletes.len(),
                plan.prunable
            );
        }
        let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        if self.command.yes || self.json || is_watching || !asks {
            return Ok(());
        }
        let checked = self.check(folder, plan).await?;
        for line in self.overview(plan, &checked).await.lines(overview::Target::Stderr) {
            note(line);
        }
        eprint!("Publish to {}? [y/N] ", self.site.name);
        std::io::stderr().flush().context("write the question")?;
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer).context("read the answer")?;
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => bail!("nothing was published"),
        }
    }

    /// Whether pages were stored after the newest build began, or it failed: an earlier push was interrupted.
    async fn needs_build(&self, pages: &[Listed]) -> Result<bool> {
        let newest = pages.iter().map(|page| page.updated_at.as_str()).max().unwrap_or_default();
        Ok(match self.client.latest_build(&self.site.id).await? {
            Some(build) => build.status == "failed" || build.created_at.as_str() < newest,
            None => !pages.is_empty(),
        })
    }

    /// Queues a build unless the publish did, and waits for it.
    async fn build(&mut self, report: &mut Report) -> Result<()> {
        let bar = self.progress("{spinner} building {elapsed}");
        if !report.is_queued {
            self.client
                .build(&self.site.id)
                .await
                .context("everything is stored, but no build was queued; push again to go on")?;
        }
        self.set_build_due(false);
        let build = self.client.finished_build(&self.site.id).await;
        bar.finish_and_clear();
        report.build = Some(build.context("everything is stored, and a build is queued")?);
        Ok(())
    }

    /// Remembers that there is something to build, which the site does not show: a change of its settings.
    fn set_build_due(&mut self, is_due: bool) {
        if self.cache.is_build_due != is_due {
            self.cache.is_build_due = is_due;
            self.save_cache();
        }
    }

    fn save_cache(&self) {
        if !self.is_preview {
            self.cache.save();
        }
    }

    fn progress(&self, template: &str) -> ProgressBar {
        output::progress(template, self.json)
    }
}

/// Publishes drafts and pages dated in the future, for a preview. Returns why a visitor would not see them, by path.
pub(super) fn publish_all(folder: &mut Folder) -> BTreeMap<String, String> {
    let mut unpublished = BTreeMap::new();
    for page in &mut folder.pages {
        if let Some(why) = dev::unpublished(page) {
            unpublished.insert(page.key.path(), why);
            *page = Arc::new(page.published_now());
        }
    }
    unpublished
}

async fn find_site(client: &Client, wanted: Option<&str>) -> Result<Site> {
    let mut sites = client.sites().await.map_err(explained)?;
    let Some(wanted) = wanted else {
        let first = sites.into_iter().next();
        return first.context("the account has no site; `recto site create` on the server makes one");
    };
    let names: Vec<String> = sites.iter().map(|site| site.name.clone()).collect();
    sites.retain(|site| site.name == wanted || site.id.eq_ignore_ascii_case(wanted));
    sites.pop().with_context(|| format!("the account has no site {wanted:?}; it has {}", names.join(", ")))
}

/// A refused token is the most frequent mistake.
fn explained(error: client::Error) -> anyhow::Error {
    match &error {
        client::Error::Refused { status: 401, .. } => {
            anyhow::anyhow!("the server refused the token in RECTO_TOKEN: it is wrong or revoked")
        }
        client::Error::Unreachable { .. } => {
            anyhow::anyhow!("{error}; is it running, and is --url or RECTO_URL right?")
        }
        client::Error::Refused { status: 404, .. } => {
            anyhow::anyhow!("{error}; is --url or RECTO_URL the address of the API?")
        }
        _ => error.into(),
    }
}

fn described(problems: Vec<Problem>) -> anyhow::Error {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    let what = if problems.len() == 1 { "a problem" } else { "problems" };
    anyhow::anyhow!("the folder has {what}; nothing was published\n{}", lines.join("\n"))
}

fn show_wait(seconds: u64, why: &str) {
    note(format_args!("{why}; waiting for {seconds} s"));
}

/// A line on standard error.
pub(super) fn note(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
