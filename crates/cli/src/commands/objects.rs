//! `recto objects …`

use anyhow::Result;
use clap::Subcommand;
use publisher::Orphans;
use serde_json::json;

use super::{Access, with_publisher};
use crate::{Global, output};

#[derive(Subcommand)]
pub enum ObjectsCommand {
    /// Count unreferenced objects (unknown to the database); deletes nothing
    Check,
    /// Delete unreferenced objects and unfinished uploads that are older than a week; a server also does this once a day
    Sweep {
        /// Even if there are suspiciously many
        #[arg(long)]
        force: bool,
    },
    /// Assign the objects to this database, even if they belong to another installation
    Adopt,
}

impl ObjectsCommand {
    pub fn run(self, global: &Global) -> Result<()> {
        let json = global.json;
        let access = if matches!(self, ObjectsCommand::Check) { Access::Read } else { Access::Write };
        with_publisher(global, access, async |publisher| {
            match self {
                ObjectsCommand::Check => {
                    show(json, publisher.count_orphans().await?, "are unknown to the database")
                }
                ObjectsCommand::Sweep { force } => {
                    let found = publisher.sweep_orphans(force).await?;
                    let aborted = publisher.abort_unfinished_uploads().await?;
                    show(json, found, "were unknown to the database and are deleted");
                    if aborted > 0 && !json {
                        output::line(format!("{aborted} unfinished uploads were aborted"));
                    }
                }
                ObjectsCommand::Adopt => {
                    let installation = publisher.adopt_objects().await?;
                    match json {
                        true => output::json(&json!({ "installationId": installation })),
                        false => {
                            output::line(format!("the objects now belong to installation {installation}"))
                        }
                    }
                }
            }
            Ok(())
        })
    }
}

fn show(json: bool, found: Orphans, what: &str) {
    match json {
        true => output::json(&found),
        false => output::line(format!("{} of {} objects {what}", found.orphans, found.objects)),
    }
}
