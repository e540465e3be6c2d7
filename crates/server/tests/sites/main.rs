//! Published sites as a visitor meets them: the real listener over a real database, with releases written down as a
//! build does it. One module a concern.
//!
//! `./test -p recto-server --test sites` runs it, each test on SQLite and on PostgreSQL.

#![allow(clippy::unwrap_used)]

extern crate recto_server as server;

mod away;
mod builds;
mod compression;
mod conditions;
mod headers;
mod hosts;
mod methods;
mod missing;
mod paths;
mod press;
mod protection;
mod redirects;
mod releases;
mod server_under_test;
mod visitor;
