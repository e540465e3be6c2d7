//! Rows: one `Store`, SQLite or PostgreSQL inside.
//!
//! Work travels to the data: `store.write(|tx| …)` sends a closure to a thread that owns a connection, and
//! `store.read(|tx| …)` does the same. Inside, everything is synchronous and plain; each SQL text stands once, as a
//! constant next to the one function that uses it.
//!
//! `engine` is how a closure reaches a connection and knows no table; every other module is about some tables.

mod engine;
mod error;
mod leased;

pub mod accounts;
pub mod builds;
pub mod media;
pub mod pages;
pub mod releases;
pub mod server;
pub mod sites;
pub mod transfer;
pub mod turns;

use std::time::Duration;

// For other crates the nouns are one flat list, whatever the folders.
pub use crate::accounts::{audit, links, members, passkeys, sessions, tokens, usage, users};
pub use crate::builds::building;
pub use crate::engine::{
    Bulk, Column, Deadlines, LeaseClock, Location, Mark, NEWEST_SCHEMA, Param, Row, Schema, SchemaVersions,
    Store, Transaction, Tx, with_password,
};
pub use crate::error::{Error, Result};
pub use crate::media::{copies, mentions, objects, transcodes};
pub use crate::pages::{autosaves, former, texts, trash};
pub use crate::releases::{files, packs, pings};
pub use crate::sites::hosts;

/// No lease and no pause before a deletion is longer. A time further ahead was stored by a clock that went wrong, and
/// counts as over.
const LONGEST_LEASE: Duration = Duration::from_secs(2 * 24 * 3600);

const PING: &str = "
SELECT version
FROM sites
LIMIT 1";

/// Asks something small, to see whether the database answers.
pub fn ping(tx: &mut Tx) -> Result<()> {
    tx.query_one(PING, &[], |_| Ok(()))?;
    Ok(())
}
