//! Tests of the real binary. `harness::recto` is an installation, `harness::server` a running
//! server.

#![allow(clippy::unwrap_used)]

/// Makes two tests, `sqlite::name` and `postgres::name`, of each `fn name(recto: &Recto)`.
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {$(
            #[test]
            fn $name() {
                super::$name(&crate::harness::recto::Recto::new());
            }
        )+}
        mod postgres {$(
            #[test]
            fn $name() {
                let Some(recto) = crate::harness::recto::Recto::on_postgres() else { return };
                super::$name(&recto);
            }
        )+}
    };
}

/// The same with `nodes::name` instead of `postgres::name`, on PostgreSQL, S3 and Redis.
macro_rules! on_one_machine_and_nodes {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {$(
            #[test]
            fn $name() {
                super::$name(&crate::harness::recto::Recto::new());
            }
        )+}
        mod nodes {$(
            #[test]
            fn $name() {
                let Some(recto) = crate::harness::recto::Recto::of_nodes() else { return };
                super::$name(&recto);
            }
        )+}
    };
}

mod dependencies;

mod harness {
    pub mod process;
    pub mod recto;
    pub mod server;
}

/// The operator's commands.
mod commands {
    mod config;
    mod dev;
    mod docs;
    mod doctor;
    mod effects;
    mod export;
    mod import;
    mod installation;
    mod output;
    mod push;
    mod schema;
    mod sites;
    mod users;
}

/// The server, for clients and visitors.
mod serving {
    mod connections;
    mod database_pooler;
    mod database_tls;
    mod drawn;
    mod inherited;
    pub mod large_bodies;
    mod logs;
    mod metrics;
    mod object_store_tls;
    mod occupied;
    mod shared_limits;
    mod shutdown;
    mod sites;
    mod start;
}

/// Files, from an upload to a visitor. `files` makes them, `forms` sends them.
mod media {
    mod commands;
    mod crash;
    pub mod files;
    pub mod forms;
    mod hostile;
    mod kinds;
    mod known;
    mod large;
    mod mov;
    mod privacy;
    mod quota;
    mod references;
    mod refusals;
    mod sites;
    mod smaller;
    mod streams;
}

/// Several processes on one database.
mod nodes {
    mod cluster;
    mod database_faults;
    mod fleet;
    mod machine_faults;
    mod proxy;
    mod rate_limits;
    mod roles;
    mod storage_faults;
    mod upgrade;
}

/// Backups, restoration, and moves to another database.
mod backups {
    mod commands;
    mod killed;
    mod running;
}

/// Crashes, full disks, an unavailable database, and accounts that use all they can.
mod faults {
    mod build_memory;
    mod crash;
    mod crashed_builds;
    mod database_unavailable;
    mod full_disk;
    mod neighbours;
    mod stalled_builds;
    mod syncs;
}
