//! Whole databases, table by table: what copies, backups and restores read and write.
//!
//! A `Snapshot` reads the rows of one moment. A `Target` is a database that is being filled: until `finish`, no server
//! starts on it. Both have connections of their own, without the deadlines of `Store`, and block their thread.

mod connection;
mod snapshot;
mod tables;
mod target;
mod value;

pub use self::snapshot::Snapshot;
pub use self::tables::{Column, ColumnType, Table, tables};
pub use self::target::Target;
pub use self::value::Value;
