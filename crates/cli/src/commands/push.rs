//! `recto push`: publishes a folder of Markdown through the API.
//!
//! The folder is read and compared with the site (`plan`), what differs is sent (`send`), and a build is awaited. `cache`
//! remembers the addresses of uploaded files, so that they need not be sent again.

mod cache;
mod plan;
mod report;
mod send;
pub(super) mod watch;

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use client::{Client, Site};
use folder::{Config, Folder, Options, Problem};
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
        serve::runtime()?.block_on(async {
            let config = Config::read(&self.folder).map_err(|problem| anyhow::anyhow!("{problem}"))?;
            let push = Push::new(&self, config, global.json).await?;
            if self.watch {
                return push.watch().await;
            }
            let (report, code) = push.once(false).await?;
            report.show(global.json);
            Ok(code)
        })
    }
}

/// A push to one site.
pub(super) struct Push {
    command: PushCommand,
    options: Options,
    prune: bool,
    client: Client,
    site: Site,
    json: bool,
    /// For a preview: drafts and pages dated in the future are published, too, and nothing is remembered.
    is_preview: bool,
}

impl PushCommand {
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
}

impl Push {
    pub(super) async fn for_preview(command: PushCommand, config: Config) -> Result<Push> {
        let config = Config { url: None, site: None, settings: Default::default(), ..config };
        Ok(Push { is_preview: true, ..Push::new(&command, config, true).await? })
    }

    /// Publishes what changed. Returns the pages that a visitor would not see yet, by path; `None` if nothing changed.
    pub(super) async fn preview(&self) -> Result<Option<BTreeMap<String, String>>> {
        let (folder, unpublished) = self.read_folder()?;
        let report = self.push(folder, true).await?.0;
        let failed = report.build.as_ref().filter(|build| build.status == "failed");
        if let Some(build) = failed {
            bail!(
                "the build failed: {}",
                build.others.get("error").and_then(|error| error.as_str()).unwrap_or("no reason is given")
            );
        }
        Ok((!report.is_nothing()).then_some(unpublished))
    }

    async fn new(command: &PushCommand, config: Config, json: bool) -> Result<Push> {
        let token = command.token.as_deref().context(
            "no token: set RECTO_TOKEN to one; `recto token create --account ID` on the server makes one",
        )?;
        let url = command.url.as_deref().or(config.url.as_deref()).unwrap_or("http://127.0.0.1:8080");
        let client = Client::new(url, token, Box::new(show_wait))?;
        let wanted = command.site.as_deref().or(config.site.as_deref());
        let site = find_site(&client, wanted).await?;
        note_settings(&config, &site);
        let given = command.content_type.as_deref().map(ContentType::parse).transpose();
        let content_type = given.map_err(anyhow::Error::msg)?.or(config.content_type);
        Ok(Push {
            command: command.clone(),
            options: Options { content_type, ignore: config.ignore },
            prune: command.prune || config.prune,
            client,
            site,
            json,
            is_preview: false,
        })
    }

    /// Reads the folder, and publishes what differs. `is_watching`: without questions.
    async fn once(&self, is_watching: bool) -> Result<(Report, ExitCode)> {
        let (folder, _) = self.read_folder()?;
        self.push(folder, is_watching).await
    }

    async fn push(&self, folder: Folder, is_watching: bool) -> Result<(Report, ExitCode)> {
        let listed = self.client.list(&self.site.id).await?;
        let mut cache = Cache::load(&self.site, &listed);
        let plan = Plan::new(&folder, &listed, &cache, self.prune.then(|| self.pruned_types()))?;
        if self.command.dry_run {
            return self.dry_run(&folder, &plan).await;
        }
        if !plan.is_empty() {
            self.confirm(&plan, is_watching)?;
        }
        let mut report = self.send(&folder, &plan, &mut cache).await?;
        if !self.is_preview {
            cache.save();
        }
        if !self.command.no_build && (report.found_changes() || self.needs_build(&listed).await?) {
            self.build(&mut report).await?;
        }
        let failed = report.build.as_ref().is_some_and(|build| build.status == "failed");
        Ok((report, if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }))
    }

    /// The content types that are pruned even if the folder has none of their pages: a preview has only the folder's.
    fn pruned_types(&self) -> &[ContentType] {
        match self.is_preview {
            true => &ContentType::ALL,
            false => self.options.content_type.as_slice(),
        }
    }

    /// The folder; in a preview, also the pages that a visitor would not see yet.
    fn read_folder(&self) -> Result<(Folder, BTreeMap<String, String>)> {
        let bar = self.progress("{spinner} reading {pos} files");
        let read = folder::read(&self.command.folder, &self.options, &|files| bar.set_position(files as u64));
        bar.finish_and_clear();
        let mut folder = read.map_err(|problems| anyhow::anyhow!(described(&problems)))?;
        folder.warnings.iter().for_each(|warning| note(format_args!("warning: {warning}")));
        let mut unpublished = BTreeMap::new();
        for page in folder.pages.iter_mut().filter(|_| self.is_preview) {
            if let Some(why) = dev::unpublished(page) {
                unpublished.insert(page.key.path(), why);
                (page.draft, page.published_at) = (false, None);
            }
        }
        Ok((folder, unpublished))
    }

    /// Asks on a terminal. Many deletions need `--yes`.
    fn confirm(&self, plan: &Plan, is_watching: bool) -> Result<()> {
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
        plan.show();
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
    async fn needs_build(&self, listed: &[client::Listed]) -> Result<bool> {
        let newest = listed.iter().map(|page| page.updated_at.as_str()).max().unwrap_or_default();
        Ok(match self.client.latest_build(&self.site.id).await? {
            Some(build) => build.status == "failed" || build.created_at.as_str() < newest,
            None => !listed.is_empty(),
        })
    }

    /// Queues a build unless the publish did, and waits for it.
    async fn build(&self, report: &mut Report) -> Result<()> {
        let bar = self.progress("{spinner} building {elapsed}");
        if !report.is_queued {
            self.client
                .build(&self.site.id)
                .await
                .context("the pages are stored, but no build was queued")?;
        }
        let build = self.client.finished_build(&self.site.id).await?;
        bar.finish_and_clear();
        report.build = Some(build);
        Ok(())
    }

    fn progress(&self, template: &str) -> ProgressBar {
        output::progress(template, self.json)
    }
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

/// The API cannot change settings: they belong to the operator.
fn note_settings(config: &Config, site: &Site) {
    if config.settings.is_empty() {
        return;
    }
    note("the [settings] of recto.toml are not applied by push; on the server, run");
    let settings: Vec<String> = config
        .settings
        .iter()
        .map(|(key, value)| format!("'{key}={}'", value.replace('\'', "'\\''")))
        .collect();
    note(format_args!("  recto site set {} {}", site.name, settings.join(" ")));
}

fn described(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    let files = if problems.len() == 1 { "a problem" } else { "problems" };
    format!("the folder has {files}; nothing was published\n{}", lines.join("\n"))
}

fn show_wait(seconds: u64, why: &str) {
    note(format_args!("{why}; waiting for {seconds} s"));
}

/// A line on standard error.
pub(super) fn note(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
