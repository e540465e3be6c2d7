//! The real binary, from outside. One module a concern; `recto.rs` is an installation,
//! `server.rs` a running one.

#![allow(clippy::unwrap_used)]

/// Makes two tests, `sqlite::name` and `postgres::name`, of each `fn name(recto: &Recto)`.
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {$(
            #[test]
            fn $name() {
                super::$name(&crate::recto::Recto::new());
            }
        )+}
        mod postgres {$(
            #[test]
            fn $name() {
                super::$name(&crate::recto::Recto::on_postgres());
            }
        )+}
    };
}

mod build_memory;
mod commands;
mod config;
mod connections;
mod crash;
mod crashed_builds;
mod database_away;
mod docs;
mod doctor;
mod effects;
mod export;
mod full_disk;
mod installation;
mod large_bodies;
mod logs;
mod media_commands;
mod media_crash;
mod media_files;
mod media_forms;
mod media_hostile;
mod media_kinds;
mod media_known;
mod media_large;
mod media_mov;
mod media_privacy;
mod media_quota;
mod media_references;
mod media_refusals;
mod media_sites;
mod media_streams;
mod metrics;
mod neighbours;
mod occupied;
mod process;
mod recto;
mod server;
mod shutdown;
mod site_commands;
mod sites;
mod stalled_builds;
mod start;
