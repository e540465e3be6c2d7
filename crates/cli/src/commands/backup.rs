//! `recto backup …`: makes, lists and verifies backups.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use backup::{BackedUp, Keep, Manifest, Place, Progress, Verified};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use model::{ByteSize, SystemClock};

use crate::config::Config;
use crate::{Global, output, serve};

/// A backup has all rows of one moment and all objects (uploads, built files) that they name. It can be made while the
/// server runs, and restored into SQLite or PostgreSQL, a directory or S3. A second backup in the same place copies only
/// what is new. Password and token hashes are part of it: keep it private.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BackupCommand {
    #[command(subcommand)]
    command: Option<BackupSubcommand>,
    #[command(flatten)]
    options: Options,
}

#[derive(Args)]
struct Options {
    /// Where to: a directory, file:DIR or s3://BUCKET/PREFIX; default: `backup.url` of the configuration
    to: Option<String>,
    /// Delete older backups of this installation; without it, all are kept
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Read the objects that the place already has, and copy damaged ones again
    #[arg(long)]
    check: bool,
}

#[derive(Subcommand)]
enum BackupSubcommand {
    /// List the complete backups of a place
    List {
        /// A directory, file:DIR or s3://BUCKET/PREFIX; default: `backup.url`
        from: Option<String>,
    },
    /// Restore the rows into a temporary database, read all objects, and compare everything with its hash
    ///
    /// Exit status 1 means that something is wrong. It needs space below the data directory for the rows.
    Verify {
        /// A directory, file:DIR or s3://BUCKET/PREFIX; default: `backup.url`
        from: Option<String>,
        /// The backup, as shown by `recto backup list`; default: the newest
        #[arg(long, value_name = "ID")]
        at: Option<String>,
    },
}

impl BackupCommand {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        serve::create_private_files();
        let config = Config::load(global)?;
        serve::block_on(async {
            match self.command {
                None => back_up(global, &config, self.options).await,
                Some(BackupSubcommand::List { from }) => list(global, &config, from).await,
                Some(BackupSubcommand::Verify { from, at }) => verify(global, &config, from, at).await,
            }
        })
    }
}

/// A place that a person names: a path is relative to the current directory.
pub(super) fn url_of(config: &Config, place: Option<String>) -> Result<String> {
    match place {
        Some(url) if url.starts_with("s3://") || url.starts_with("file:") => Ok(url),
        Some(path) => Ok(format!("file:{path}")),
        None => config.backup.as_ref().map(|backup| backup.url.clone()).ok_or_else(|| {
            anyhow!("where? Name a directory or s3://BUCKET/PREFIX, or set backup.url in the configuration")
        }),
    }
}

pub(super) async fn open(url: &str) -> Result<Place> {
    let opened = async { Ok::<_, anyhow::Error>(Place::open(serve::open_storage(url)?).await?) };
    opened.await.with_context(|| format!("open {url}"))
}

/// To read backups, a directory must exist: to open it would create it.
pub(super) async fn open_existing(url: &str) -> Result<Place> {
    match url.strip_prefix("file:") {
        Some(path) if !std::path::Path::new(path).is_dir() => Err(anyhow!("there is no directory {path}")),
        _ => open(url).await,
    }
}

pub(super) fn shown_by(bar: &ProgressBar) -> Progress {
    let bar = bar.clone();
    Progress::new(move |text| bar.set_message(text.to_owned()))
}

async fn back_up(global: &Global, config: &Config, options: Options) -> Result<ExitCode> {
    let url = url_of(config, options.to)?;
    let installation = serve::installation_of(config)?;
    let keep = options.keep.map_or(Keep::All, |number| Keep::Newest(number as usize));
    let bar = output::progress("{spinner} {msg} ({elapsed})", global.json);
    // Fails before it creates a directory for the backup.
    backup::installation_id(&installation.store).await?;
    let place = open(&url).await?;
    let place = if options.check { place.checked() } else { place };
    let done = backup::back_up(&installation, &place, keep, Arc::new(SystemClock), &shown_by(&bar)).await?;
    bar.finish_and_clear();
    let BackedUp { manifest, objects_copied, bytes_copied, deleted } = &done;
    if global.json {
        output::json(&done);
    } else {
        let Manifest { id, objects, object_bytes, .. } = manifest;
        output::line(format!(
            "backup {id}: {} rows and {objects} objects ({}); {objects_copied} objects ({}) were new",
            manifest.row_count(),
            ByteSize(*object_bytes),
            ByteSize(*bytes_copied)
        ));
        deleted.iter().for_each(|id| output::line(format!("deleted the old backup {id}")));
        output::line(format!("check it with `recto backup verify {url}`; `recto restore {url}` restores it"));
    }
    Ok(report_problems(global, &manifest.problems, manifest.problem_count, "`recto verify` lists all damage"))
}

/// Problems of the installation that were found while it was copied.
pub(super) fn report_problems(global: &Global, named: &[String], count: u64, advice: &str) -> ExitCode {
    if count == 0 {
        return ExitCode::SUCCESS;
    }
    if !global.json {
        named.iter().for_each(|problem| output::line(format!("problem: {problem}")));
        output::line(format!("{count} objects are missing or damaged: {advice}"));
    }
    ExitCode::FAILURE
}

async fn list(global: &Global, config: &Config, from: Option<String>) -> Result<ExitCode> {
    let manifests = open_existing(&url_of(config, from)?).await?.list().await?;
    if global.json {
        output::json(&manifests);
        return Ok(ExitCode::SUCCESS);
    }
    let row = |manifest: &Manifest| {
        [
            manifest.id.clone(),
            manifest.created_at.clone(),
            manifest.row_count().to_string(),
            manifest.objects.to_string(),
            ByteSize(manifest.object_bytes).to_string(),
            manifest.installation_id.to_string(),
        ]
    };
    let rows: Vec<_> = manifests.iter().map(row).collect();
    output::table(["ID", "CREATED", "ROWS", "OBJECTS", "SIZE", "INSTALLATION"], &rows);
    Ok(ExitCode::SUCCESS)
}

async fn verify(
    global: &Global,
    config: &Config,
    from: Option<String>,
    at: Option<String>,
) -> Result<ExitCode> {
    let place = open_existing(&url_of(config, from)?).await?;
    serve::create_data_dir(&config.data)?;
    let bar = output::progress("{spinner} {msg} ({elapsed})", global.json);
    let found = backup::verify(&place, at.as_deref(), &config.data, &shown_by(&bar)).await?;
    bar.finish_and_clear();
    let Verified { id, rows, objects, bytes, problems, problem_count, .. } = &found;
    if global.json {
        output::json(&found);
    } else {
        problems.iter().for_each(output::line);
        let verdict = match problem_count {
            0 => "everything is as it was written".to_owned(),
            count => format!("{count} problems. Make a new backup, or restore another one with --at"),
        };
        output::line(format!(
            "backup {id}: {rows} rows, {objects} objects, {} read; {verdict}",
            ByteSize(*bytes)
        ));
    }
    Ok(if *problem_count == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
