//! `recto migrate`: moves an installation to another database and object store.

use std::process::ExitCode;

use anyhow::{Result, bail};
use backup::Migrated;
use clap::Args;
use model::ByteSize;

use super::backup::{report_problems, shown_by};
use crate::config::{Config, objects_at, store_at};
use crate::{Global, output, serve};

/// Stop the server first: what it writes later is not copied. The target must be empty. If the command is interrupted, run
/// it again: it goes on where it was, and copies again what has changed since. Until it has ended, no server starts on the
/// target. The source is only read.
///
/// Without --objects-from and --objects-to the objects stay where they are, and the new database uses them.
#[derive(Args)]
pub struct MigrateCommand {
    /// The database to copy: sqlite:FILE (relative to --data) or postgres://…
    #[arg(long, value_name = "STORE_URL")]
    from: String,
    /// An empty database
    #[arg(long, value_name = "STORE_URL")]
    to: String,
    /// The objects to copy: file:DIR (relative to --data) or s3://BUCKET/PREFIX
    #[arg(long, value_name = "URL", requires = "objects_to")]
    objects_from: Option<String>,
    /// An empty directory or prefix
    #[arg(long, value_name = "URL", requires = "objects_from")]
    objects_to: Option<String>,
}

impl MigrateCommand {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        serve::create_private_files();
        let data = &Config::load(global)?.data;
        serve::create_data_dir(data)?;
        if self.from == self.to || self.objects_from.is_some() && self.objects_from == self.objects_to {
            bail!("source and target are the same");
        }
        let (from, to) = (store_at("--from", &self.from, data)?, store_at("--to", &self.to, data)?);
        let objects = match (&self.objects_from, &self.objects_to) {
            (Some(from), Some(to)) => Some((
                serve::open_storage(&objects_at("--objects-from", from, data)?)?,
                serve::open_storage(&objects_at("--objects-to", to, data)?)?,
            )),
            _ => None,
        };
        if !global.json {
            eprintln!("copying; what a running server writes from now on is not included, so stop it first");
        }
        let bar = output::progress("{spinner} {msg} ({elapsed})", global.json);
        let progress = shown_by(&bar);
        let done = serve::block_on(async {
            backup::migrate(&from, &to, objects, data, &progress).await.map_err(anyhow::Error::from)
        })?;
        bar.finish_and_clear();
        self.report(global, &done);
        let advice = "they were so in the source";
        Ok(report_problems(global, &done.problems, done.problem_count, advice))
    }

    fn report(&self, global: &Global, done: &Migrated) {
        if global.json {
            return output::json(done);
        }
        let rows: u64 = done.tables.iter().map(|table| table.rows).sum();
        output::line(format!("{rows} rows of {} tables copied and compared", done.tables.len()));
        if let Some(objects) = &self.objects_to {
            let (count, copied) = (done.objects, ByteSize(done.bytes_copied));
            output::line(format!("{count} objects ({copied}) copied to {objects} and compared"));
        }
        output::line(match self.objects_to {
            Some(_) => "next: set store.url and objects.url to the new places, and start the server",
            None => {
                "next: set store.url to the new database, and start the server; never start it on the old one again, \
                     because both would delete each other's objects"
            }
        });
    }
}
