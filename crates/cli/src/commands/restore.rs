//! `recto restore`: a backup becomes a new installation.

use std::process::ExitCode;

use anyhow::Result;
use backup::Restored;
use clap::Args;

use super::backup::{open_existing, report_problems, shown_by, url_of};
use crate::config::Config;
use crate::{Global, output, serve};

/// The configured database (`store.url`) and object store (`objects.url`) must be empty; choose a new directory with
/// --data, or other URLs. If the command is interrupted, run it again: until it has ended, no server starts there.
#[derive(Args)]
pub struct RestoreCommand {
    /// Where the backup is: a directory, file:DIR or s3://BUCKET/PREFIX; default: `backup.url`
    from: Option<String>,
    /// The backup, as shown by `recto backup list`; default: the newest
    #[arg(long, value_name = "ID")]
    at: Option<String>,
}

impl RestoreCommand {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        serve::create_private_files();
        let config = Config::load(global)?;
        serve::create_data_dir(&config.data)?;
        serve::block_on(self.restore(global, &config))
    }

    async fn restore(self, global: &Global, config: &Config) -> Result<ExitCode> {
        let place = open_existing(&url_of(config, self.from)?).await?;
        let to = serve::installation_of(config)?;
        let bar = output::progress("{spinner} {msg} ({elapsed})", global.json);
        let done = backup::restore(&place, self.at.as_deref(), &to, &shown_by(&bar)).await?;
        bar.finish_and_clear();
        let Restored { manifest, restored_as, .. } = &done;
        if global.json {
            output::json(&done);
        } else {
            output::line(format!(
                "restored backup {} of {}: {} rows and {} objects",
                manifest.id,
                manifest.created_at,
                manifest.row_count(),
                manifest.objects
            ));
            output::line(format!(
                "it is an installation of its own, {restored_as}: start it with `recto serve`, and stop the original first \
                 if it takes its place"
            ));
        }
        let advice = "they were so when the backup was made";
        Ok(report_problems(global, &manifest.problems, manifest.problem_count, advice))
    }
}
