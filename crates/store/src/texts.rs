//! Long texts: content and params. A text is written once, referred to by one page, and never changed.
//!
//! A large publish writes its texts first, in short transactions, into rows that nothing refers to yet. Such rows
//! are born doomed: should the publish never come, the sweep takes them. The publish adopts them instead.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use model::Timestamp;

use crate::{Bulk, Result, Row, Tx};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub i64);

/// PostgreSQL's sequence steps by this, so that the texts of one insert are a range and doomed by one row.
const BLOCK: usize = 16384;

/// The texts of one insert, `first..=last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextRange {
    pub first: TextId,
    pub last: TextId,
}

const NEXT_SQLITE: &str = "
SELECT COALESCE(max(id), 0) + 1
FROM texts";
const NEXT_POSTGRES: &str = "
SELECT nextval('text_blocks')";

const INSERT: Bulk = Bulk {
    sqlite: "
INSERT INTO texts (id, body)
VALUES ($1, $2)",
    postgres: "
INSERT INTO texts (id, body)
SELECT * FROM unnest(CAST($1 AS bigint[]), CAST($2 AS text[]))",
};

/// Writes texts in the order given; `None` when there are none.
pub fn insert(tx: &mut Tx, bodies: &[String]) -> Result<Option<TextRange>> {
    assert!(bodies.len() < BLOCK, "a request holds at most 5000 pages of two texts");
    if bodies.is_empty() {
        return Ok(None);
    }
    // SQLite has one writer: the next id is free until it commits. PostgreSQL's sequence steps by whole blocks.
    let next = if tx.is_sqlite() { NEXT_SQLITE } else { NEXT_POSTGRES };
    let first: i64 = tx.query_one(next, &[], |row| row.get(0))?.unwrap_or_default();
    for piece in pieces(bodies) {
        let ids: Vec<i64> = piece.clone().map(|index| first + index as i64).collect();
        let bodies: Vec<&str> = bodies[piece].iter().map(String::as_str).collect();
        tx.execute_many(INSERT, &[], &[&ids, &bodies])?;
    }
    Ok(Some(TextRange { first: TextId(first), last: TextId(first + bodies.len() as i64 - 1) }))
}

/// A connection to PostgreSQL keeps the memory that its largest statement took.
const STATEMENT_BYTES: usize = 1 << 20;

/// Cuts texts into pieces of about `STATEMENT_BYTES`.
fn pieces(bodies: &[String]) -> Vec<Range<usize>> {
    let (mut pieces, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, body) in bodies.iter().enumerate() {
        bytes += body.len();
        if bytes >= STATEMENT_BYTES || index + 1 == bodies.len() {
            pieces.push(start..index + 1);
            (start, bytes) = (index + 1, 0);
        }
    }
    pieces
}

const DOOM: Bulk = Bulk {
    sqlite: "
INSERT INTO doomed_texts (after, first_id, last_id)
VALUES ($1, $2, $3)
ON CONFLICT (first_id) DO UPDATE SET after = excluded.after",
    postgres: "
INSERT INTO doomed_texts (after, first_id, last_id)
SELECT $1, * FROM unnest(CAST($2 AS bigint[]), CAST($3 AS bigint[]))
ON CONFLICT (first_id) DO UPDATE SET after = excluded.after",
};

/// Leaves texts to the sweep, from `after` on.
fn doom(tx: &mut Tx, ranges: &[TextRange], after: Timestamp) -> Result<()> {
    let first: Vec<i64> = ranges.iter().map(|range| range.first.0).collect();
    let last: Vec<i64> = ranges.iter().map(|range| range.last.0).collect();
    tx.execute_many(DOOM, &[&after.micros()], &[&first, &last])?;
    Ok(())
}

/// How long a text that was replaced can still be read: a build that has seen it may take this long.
pub const GRACE: Duration = Duration::from_secs(600);

/// Leaves texts that a page no longer refers to to the sweep.
pub fn release(tx: &mut Tx, ids: impl Iterator<Item = TextId>, now: Timestamp) -> Result<()> {
    doom(tx, &neighbours(ids.collect()), now.plus(GRACE))
}

/// The most texts of one range that is released: a range is swept at once, and that must stay short.
const NEIGHBOURS: i64 = 64;

/// Ids in a row as one range: the texts of one publish are mostly replaced by one publish.
fn neighbours(mut ids: Vec<TextId>) -> Vec<TextRange> {
    ids.sort_unstable();
    ids.dedup();
    let mut ranges: Vec<TextRange> = Vec::new();
    for id in ids {
        match ranges.last_mut() {
            Some(range) if range.last.0 + 1 == id.0 && id.0 - range.first.0 < NEIGHBOURS => range.last = id,
            _ => ranges.push(TextRange { first: id, last: id }),
        }
    }
    ranges
}

/// Texts that were born doomed: theirs until `lease` has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stash {
    pub range: TextRange,
    pub lease: Timestamp,
}

/// Writes texts that nothing refers to yet.
pub fn stash(tx: &mut Tx, bodies: &[String], lease: Timestamp) -> Result<Option<Stash>> {
    let Some(range) = insert(tx, bodies)? else { return Ok(None) };
    doom(tx, &[range], lease)?;
    Ok(Some(Stash { range, lease }))
}

const ADOPT: Bulk = Bulk {
    sqlite: "
DELETE FROM doomed_texts
WHERE first_id = $1 AND after = $2",
    postgres: "
DELETE FROM doomed_texts
USING unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[])) AS stash (first_id, lease)
WHERE doomed_texts.first_id = stash.first_id AND doomed_texts.after = stash.lease",
};

/// Takes stashes into a publish. `false`: the sweep was there first. The lease is part of the name: SQLite gives the
/// ids of swept texts out again, perhaps to another account.
pub fn adopt(tx: &mut Tx, stashes: &[Stash]) -> Result<bool> {
    let first: Vec<i64> = stashes.iter().map(|stash| stash.range.first.0).collect();
    let leases: Vec<i64> = stashes.iter().map(|stash| stash.lease.micros()).collect();
    Ok(tx.execute_many(ADOPT, &[], &[&first, &leases])? == stashes.len() as u64)
}

const ABANDON: Bulk = Bulk {
    sqlite: "
UPDATE doomed_texts
SET after = $1
WHERE first_id = $2 AND after = $3",
    postgres: "
UPDATE doomed_texts
SET after = $1
FROM unnest(CAST($2 AS bigint[]), CAST($3 AS bigint[])) AS stash (first_id, lease)
WHERE doomed_texts.first_id = stash.first_id AND doomed_texts.after = stash.lease",
};

/// Ends the lease of stashes that no publish will adopt.
pub fn abandon(tx: &mut Tx, stashes: &[Stash], now: Timestamp) -> Result<()> {
    let first: Vec<i64> = stashes.iter().map(|stash| stash.range.first.0).collect();
    let leases: Vec<i64> = stashes.iter().map(|stash| stash.lease.micros()).collect();
    tx.execute_many(ABANDON, &[&now.micros()], &[&first, &leases])?;
    Ok(())
}

const DUE: &str = "
SELECT first_id, last_id
FROM doomed_texts
WHERE after <= $1
ORDER BY after
LIMIT $2";
const CLAIM: Bulk = Bulk {
    sqlite: "
DELETE FROM doomed_texts
WHERE after <= $1 AND first_id = $2
RETURNING first_id, last_id",
    postgres: "
DELETE FROM doomed_texts
WHERE after <= $1 AND first_id = ANY($2)
RETURNING first_id, last_id",
};
const DELETE: Bulk = Bulk {
    sqlite: "
DELETE FROM texts
WHERE id BETWEEN $1 AND $2",
    postgres: "
DELETE FROM texts
USING unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[])) AS due (first_id, last_id)
WHERE id BETWEEN due.first_id AND due.last_id",
};

/// Deletes doomed texts whose time has come, about `most` of them; tells how many.
pub fn sweep(tx: &mut Tx, now: Timestamp, most: i64) -> Result<u64> {
    let range = |row: &Row| Ok(TextRange { first: TextId(row.get(0)?), last: TextId(row.get(1)?) });
    let due = tx.query(DUE, &[&now.micros(), &most], range)?;
    let mut texts = 0;
    let few = due.iter().take_while(|range| {
        let room = texts < most;
        texts += range.last.0 - range.first.0 + 1;
        room
    });
    let few: Vec<i64> = few.map(|range| range.first.0).collect();
    // On PostgreSQL a publish may have adopted some in the meantime: only what is claimed is ours to delete.
    let claimed = tx.query_many(CLAIM, &[&now.micros()], &[&few], range)?;
    let first: Vec<i64> = claimed.iter().map(|range| range.first.0).collect();
    let last: Vec<i64> = claimed.iter().map(|range| range.last.0).collect();
    tx.execute_many(DELETE, &[], &[&first, &last])
}

const BODY: &str = "
SELECT body
FROM texts
WHERE id = $1";

pub fn body(tx: &mut Tx, id: TextId) -> Result<Option<String>> {
    tx.query_one(BODY, &[&id.0], |row| row.get(0))
}

const BODIES: Bulk = Bulk {
    sqlite: "
SELECT id, body
FROM texts
WHERE id = $1",
    postgres: "
SELECT id, body
FROM texts
WHERE id = ANY($1)",
};

pub fn bodies(tx: &mut Tx, ids: &[TextId]) -> Result<HashMap<TextId, String>> {
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let found = tx.query_many(BODIES, &[], &[&ids], |row| Ok((TextId(row.get(0)?), row.get(1)?)))?;
    Ok(found.into_iter().collect())
}

const COUNT: &str = "
SELECT count(*)
FROM texts";

pub fn count(tx: &mut Tx) -> Result<i64> {
    Ok(tx.query_one(COUNT, &[], |row| row.get(0))?.unwrap_or_default())
}
