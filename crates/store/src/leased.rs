//! Rows about bytes that lie outside of the database. Such a row is written before the first byte, and deleted after the
//! last, so that nothing is ever forgotten. It begins 'pending': its writer's, until the lease in `after` is over. Then it
//! is kept, in a state of its own table, or 'doomed': to be deleted after the time in `after`.

/// What the tables of such rows have in common: the table, what else a row begins with, its id, and what `doomed` returns
/// with the columns of that. `leased!(packs (size = 0, dead = 0), PackId, Pack = pack!());`
macro_rules! leased {
    ($table:ident ($($column:ident = $value:literal),*), $id:ident, $doomed:ty = $columns:expr) => {
        const BEGIN: &str = concat!(
            "\nINSERT INTO ", stringify!($table), " (id, site_id, state, after" $(, ", ", stringify!($column))*, ")",
            "\nVALUES ($1, $2, 'pending', $3" $(, ", ", $value)*, ")"
        );

        /// Before the first byte. Until it is kept it costs nothing, and goes when its lease is over.
        pub fn begin(
            tx: &mut $crate::Tx,
            id: $id,
            site: model::SiteId,
            lease: model::Timestamp,
        ) -> $crate::Result<()> {
            tx.execute(BEGIN, &[&id.0, &site.0, &lease.micros()])?;
            Ok(())
        }

        const EXTEND: $crate::Bulk = $crate::engine::bulk::for_each!(
            concat!("\nUPDATE ", stringify!($table), "\nSET after = $1\nWHERE id"), 2, " AND state = 'pending'"
        );

        /// `false`: a lease was over, and that one is being swept.
        fn extend_all(tx: &mut $crate::Tx, ids: &[$id], lease: model::Timestamp) -> $crate::Result<bool> {
            Ok(tx.execute_many(EXTEND, &[&lease.micros()], &[&uuids(ids)])? == ids.len() as u64)
        }

        const ABANDON: $crate::Bulk = $crate::engine::bulk::for_each!(
            concat!("\nUPDATE ", stringify!($table), "\nSET state = 'doomed', after = $1\nWHERE id"),
            2,
            " AND state = 'pending'"
        );

        /// Nothing refers to them, and nothing will. What was kept in the meantime stays.
        fn abandon_all(tx: &mut $crate::Tx, ids: &[$id], now: model::Timestamp) -> $crate::Result<()> {
            tx.execute_many(ABANDON, &[&now.micros()], &[&uuids(ids)])?;
            Ok(())
        }

        const ABANDONED: &str = concat!(
            "\nUPDATE ", stringify!($table),
            "\nSET state = 'doomed'\nWHERE state = 'pending' AND (after < $1 OR after > $2)"
        );
        const DOOMED: &str = concat!(
            "\nSELECT ", $columns, "\nFROM ", stringify!($table),
            "\nWHERE state = 'doomed' AND (after < $1 OR after > $2)\nORDER BY after\nLIMIT $3"
        );

        /// Those whose time has come. One whose lease is over is doomed first: its writer can no longer keep it.
        pub fn doomed(tx: &mut $crate::Tx, now: model::Timestamp, most: i64) -> $crate::Result<Vec<$doomed>> {
            let now = tx.lease_now(now)?;
            let (now, latest) = (now.micros(), now.plus($crate::LONGEST_LEASE).micros());
            tx.execute(ABANDONED, &[&now, &latest])?;
            tx.query(DOOMED, &[&now, &latest, &most], $crate::engine::row::read)
        }

        const FORGET: &str =
            concat!("\nDELETE FROM ", stringify!($table), "\nWHERE id = $1 AND state = 'doomed'");

        /// The bytes are gone.
        pub fn forget(tx: &mut $crate::Tx, id: $id) -> $crate::Result<()> {
            tx.execute(FORGET, &[&id.0])?;
            Ok(())
        }

        const KNOWN: $crate::Bulk = $crate::engine::bulk::for_each!(
            concat!("\nSELECT id\nFROM ", stringify!($table), "\nWHERE id"), 1
        );

        /// Which of them have a row, in whatever state. Bytes that have none are orphans.
        pub fn known(tx: &mut $crate::Tx, ids: &[$id]) -> $crate::Result<std::collections::HashSet<$id>> {
            let found = tx.query_many(KNOWN, &[], &[&uuids(ids)], $crate::engine::row::read)?;
            Ok(found.into_iter().collect())
        }

        fn uuids(ids: &[$id]) -> Vec<uuid::Uuid> {
            ids.iter().map(|id| id.0).collect()
        }
    };
}

pub(crate) use leased;
