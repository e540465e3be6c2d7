//! Published sites from a visitor's view: the real listener with a real database. Tests write releases directly, as a
//! build does.
//!
//! `./test -p recto-server --test sites` runs it, each test on SQLite, on PostgreSQL, and on PostgreSQL with S3 and Redis.

#![allow(clippy::unwrap_used)]

extern crate recto_server as server;

mod at_hand;
mod builds;
mod compression;
mod conditions;
#[path = "../engines/mod.rs"]
mod engines;
mod folder_preview;
mod headers;
mod hosts;
mod mcp;
mod methods;
mod missing;
mod paths;
mod preview;
mod protection;
mod redirects;
mod release_writer;
mod releases;
mod search;
mod server_under_test;
mod unavailable;
mod visitor;
