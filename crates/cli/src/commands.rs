//! The operator's commands. They access the database directly, so they need no running server, and a running server
//! sees their changes at its next request. The author's command, `push`, is a client of the API.

mod account;
mod backup;
mod dev;
mod import;
mod media;
mod migrate;
mod objects;
mod page;
mod push;
mod restore;
mod site;
mod store;
mod token;
mod user;
mod verify;

use std::future::Future;

use ::store::Schema;
use anyhow::{Result, anyhow};
use model::AccountId;
use publisher::{Actor, Publisher};

pub use self::account::AccountCommand;
pub use self::backup::BackupCommand;
pub use self::dev::DevCommand;
pub use self::import::ImportCommand;
pub use self::media::MediaCommand;
pub use self::migrate::MigrateCommand;
pub use self::objects::ObjectsCommand;
pub use self::page::PageCommand;
pub use self::push::PushCommand;
pub use self::restore::RestoreCommand;
pub use self::site::SiteCommand;
pub use self::store::StoreCommand;
pub use self::token::TokenCommand;
pub use self::user::UserCommand;
pub use self::verify::verify;
use crate::config::Config;
use crate::{Global, serve};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Creates nothing and upgrades nothing.
    Read,
    Write,
}

/// Runs a command's work on the configured database.
fn with_publisher<T, F: Future<Output = Result<T>>>(
    global: &Global,
    access: Access,
    work: impl FnOnce(Publisher) -> F,
) -> Result<T> {
    let config = Config::load(global)?;
    let schema = if access == Access::Read { Schema::Keep } else { config.schema };
    let publisher = serve::open(&config, schema)?.by(Actor::Command(system_user()));
    serve::block_on(async {
        let done = work(publisher.clone()).await;
        publisher.close().await;
        done
    })
}

/// Who runs the command, for the audit log.
fn system_user() -> String {
    let user = ["SUDO_USER", "USER"].into_iter().find_map(|name| std::env::var(name).ok());
    user.unwrap_or_default()
}

fn parse_account(text: &str) -> Result<AccountId> {
    AccountId::parse(text)
        .ok_or_else(|| anyhow!("{text:?} is not an account id; `recto account list` shows them"))
}
