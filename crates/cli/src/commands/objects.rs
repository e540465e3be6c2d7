//! `recto objects …`

use anyhow::Result;
use clap::Subcommand;
use publisher::Orphans;
use serde_json::json;

use super::with_publisher;
use crate::{Global, output};

#[derive(Subcommand)]
pub enum ObjectsCommand {
    /// Count objects that the database does not know; deletes nothing
    Check,
    /// Delete objects that the database does not know and that are older than a week; a server does it once a day
    Sweep {
        /// Even if they are suspiciously many
        #[arg(long)]
        force: bool,
    },
    /// Declare that the objects belong to this database, whatever id they carry
    Adopt,
}

impl ObjectsCommand {
    pub fn run(self, global: &Global) -> Result<()> {
        let json = global.json;
        with_publisher(global, async |publisher| {
            match self {
                ObjectsCommand::Check => {
                    show(json, publisher.count_orphans().await?, "are unknown to the database")
                }
                ObjectsCommand::Sweep { force } => show(
                    json,
                    publisher.sweep_orphans(force).await?,
                    "were unknown to the database, and are deleted",
                ),
                ObjectsCommand::Adopt => {
                    let installation = publisher.adopt_objects().await?;
                    match json {
                        true => output::json(&json!({ "installationId": installation })),
                        false => {
                            output::line(format!("the objects belong to installation {installation} now"))
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
