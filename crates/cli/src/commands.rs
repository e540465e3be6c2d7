//! The operator's commands. They work on the database itself, so they need no running server, and a running one
//! sees what they changed at its next request.

mod account;
mod media;
mod objects;
mod page;
mod site;
mod token;
mod verify;

use std::future::Future;

use anyhow::{Result, anyhow};
use model::AccountId;
use publisher::Publisher;

pub use self::account::AccountCommand;
pub use self::media::MediaCommand;
pub use self::objects::ObjectsCommand;
pub use self::page::PageCommand;
pub use self::site::{SiteCommand, last_build};
pub use self::token::TokenCommand;
pub use self::verify::verify;
use crate::config::Config;
use crate::{Global, serve};

/// Runs a command's work on the configured database.
fn with_publisher<T, F: Future<Output = Result<T>>>(
    global: &Global,
    work: impl FnOnce(Publisher) -> F,
) -> Result<T> {
    let publisher = serve::open(&Config::load(global)?)?;
    serve::runtime()?.block_on(async {
        let done = work(publisher.clone()).await;
        publisher.close().await;
        done
    })
}

fn parse_account(text: &str) -> Result<AccountId> {
    AccountId::parse(text)
        .ok_or_else(|| anyhow!("{text:?} is no account id; `recto account list` shows them"))
}
