//! The public API from a client's view: the real router and listener with a real database, and a
//! clock that only tests move. Written from the specification.
//!
//! `./test -p recto-server --test api` runs it, each test on SQLite, on PostgreSQL, and on PostgreSQL with S3 and Redis.

#![allow(clippy::unwrap_used)]

extern crate recto_server as server;

mod answer;
mod app;
mod authentication;
mod auto_slugs;
mod batches;
mod bodies;
mod browsers;
mod builds;
mod client;
mod conflicts;
mod cooldown;
mod dashboard;
mod deletes;
mod docs;
mod dry_runs;
mod encodings;
#[path = "../engines/mod.rs"]
mod engines;
mod fields;
mod identity;
mod keys;
mod legacy;
mod lengths;
mod listing;
mod markdown_bodies;
mod omitted;
mod open_requests;
mod order;
mod params;
mod proxies;
mod publish;
mod quotas;
mod races;
mod rate_counting;
mod rate_headers;
mod rate_limits;
mod reading;
mod settings;
mod sockets;
mod tenants;
mod tls_ask;
mod types;
mod uploads;
