//! `recto store …`: the database.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::json;
use store::{SchemaVersions, Store};

use crate::config::Config;
use crate::{Global, output, serve};

#[derive(Subcommand)]
pub enum StoreCommand {
    /// Upgrade the schema of the database to the one of this version; make a backup before
    ///
    /// A server does it at its start, unless `store.upgrade` is `manual`.
    Upgrade,
}

impl StoreCommand {
    pub fn run(self, global: &Global) -> Result<()> {
        let StoreCommand::Upgrade = self;
        let config = Config::load(global)?;
        serve::create_data_dir(&config.data)?;
        let SchemaVersions { database, newest } =
            Store::upgrade(&config.store).context("upgrade the database")?;
        if global.json {
            output::json(&json!({ "from": database, "to": newest.max(database) }));
        } else if database < newest {
            output::line(format!("schema upgraded from {database} to {newest}"));
        } else {
            output::line(format!("the schema is up to date ({database})"));
        }
        Ok(())
    }
}
