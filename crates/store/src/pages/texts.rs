//! Long texts: content and params. A text is written once, referred to by one page, and never changed.
//!
//! A large publish writes its texts first, in short transactions, into rows that nothing refers to yet. Such rows
//! are born doomed: should the publish never come, the sweep takes them. The publish adopts them instead.

use std::collections::HashMap;
use std::ops::Range;

use model::{PageId, SiteId, Timestamp};
use uuid::Uuid;

use crate::engine::bulk::{for_each, insert_each};
use crate::engine::row::{from_row, newtypes, read};
use crate::{Bulk, LONGEST_LEASE, Result, Tx};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub i64);

newtypes!(TextId(i64));

/// A text that a page refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    pub id: TextId,
    pub bytes: i64,
}

from_row!(Text { id, bytes });

/// PostgreSQL's sequence steps by this, so that the texts of one insert are a range and doomed by one row.
const BLOCK: usize = 16384;

/// The texts of one insert, `first..=last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextRange {
    pub first: TextId,
    pub last: TextId,
}

from_row!(TextRange { first, last });

impl TextRange {
    pub fn ids(self) -> impl Iterator<Item = TextId> {
        (self.first.0..=self.last.0).map(TextId)
    }
}

const NEXT_SQLITE: &str = "
SELECT COALESCE(max(id), 0) + 1
FROM texts";
const NEXT_POSTGRES: &str = "
SELECT nextval('text_blocks')";

const INSERT: Bulk = insert_each!(texts () (id = 1 bigint, body = 2 text));

/// Writes texts in the order given; `None` when there are none.
pub fn insert<S: AsRef<str>>(tx: &mut Tx, bodies: &[S]) -> Result<Option<TextRange>> {
    assert!(bodies.len() < BLOCK, "a request holds at most 5000 pages of two texts");
    if bodies.is_empty() {
        return Ok(None);
    }
    // SQLite has one writer: the next id is free until it commits. PostgreSQL's sequence steps by whole blocks.
    let next = if tx.is_sqlite() { NEXT_SQLITE } else { NEXT_POSTGRES };
    let first: i64 = tx.query_one(next, &[], read)?.unwrap_or_default();
    for piece in pieces(bodies) {
        let ids: Vec<i64> = piece.clone().map(|index| first + index as i64).collect();
        let bodies: Vec<&str> = bodies[piece].iter().map(S::as_ref).collect();
        tx.execute_many(INSERT, &[], &[&ids, &bodies])?;
    }
    Ok(Some(TextRange { first: TextId(first), last: TextId(first + bodies.len() as i64 - 1) }))
}

/// A connection to PostgreSQL keeps the memory that its largest statement took.
const STATEMENT_BYTES: usize = 1 << 20;

/// Cuts texts into pieces of about `STATEMENT_BYTES`.
fn pieces<S: AsRef<str>>(bodies: &[S]) -> Vec<Range<usize>> {
    let (mut pieces, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, body) in bodies.iter().enumerate() {
        bytes += body.as_ref().len();
        if bytes >= STATEMENT_BYTES || index + 1 == bodies.len() {
            pieces.push(start..index + 1);
            (start, bytes) = (index + 1, 0);
        }
    }
    pieces
}

const DOOM: Bulk = insert_each!(
    doomed_texts (after = 1, site_id = 2, version = 3) (first_id = 4 bigint, last_id = 5 bigint, bytes = 6 bigint)
    "ON CONFLICT (first_id) DO UPDATE SET after = excluded.after"
);

/// Texts that go at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Doomed {
    range: TextRange,
    bytes: i64,
}

/// Leaves texts to the sweep, from `after` on.
fn doom(
    tx: &mut Tx,
    (site, version): (Option<SiteId>, i64),
    doomed: &[Doomed],
    after: Timestamp,
) -> Result<()> {
    let site: Option<Uuid> = site.map(|site| site.0);
    let first: Vec<i64> = doomed.iter().map(|doomed| doomed.range.first.0).collect();
    let last: Vec<i64> = doomed.iter().map(|doomed| doomed.range.last.0).collect();
    let bytes: Vec<i64> = doomed.iter().map(|doomed| doomed.bytes).collect();
    tx.execute_many(DOOM, &[&after.micros(), &site, &version], &[&first, &last, &bytes])?;
    Ok(())
}

/// Leaves texts that a page no longer refers to to the sweep. `version` is that of the change which replaced them: a
/// build that has seen an older one may still need them.
pub fn release(
    tx: &mut Tx,
    site: SiteId,
    version: i64,
    texts: impl Iterator<Item = Text>,
    now: Timestamp,
) -> Result<()> {
    doom(tx, (Some(site), version), &neighbours(texts.collect()), now)
}

/// The most of one range that is released: a range is swept at once, and that must stay short.
const NEIGHBOURS: i64 = 64;
const NEIGHBOUR_BYTES: i64 = 1 << 20;

/// Ids in a row as one range: the texts of one publish are mostly replaced by one publish.
fn neighbours(mut texts: Vec<Text>) -> Vec<Doomed> {
    texts.sort_unstable_by_key(|text| text.id);
    texts.dedup_by_key(|text| text.id);
    let mut doomed: Vec<Doomed> = Vec::new();
    for Text { id, bytes } in texts {
        match doomed.last_mut() {
            Some(Doomed { range, bytes: sum })
                if range.last.0 + 1 == id.0
                    && id.0 - range.first.0 < NEIGHBOURS
                    && *sum + bytes <= NEIGHBOUR_BYTES =>
            {
                range.last = id;
                *sum += bytes;
            }
            _ => doomed.push(Doomed { range: TextRange { first: id, last: id }, bytes }),
        }
    }
    doomed
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
    let bytes = bodies.iter().map(|body| body.len() as i64).sum();
    doom(tx, (None, 0), &[Doomed { range, bytes }], lease)?;
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

macro_rules! due {
    ($lock:literal) => {
        concat!(
            "
SELECT first_id, bytes
FROM doomed_texts
WHERE (after <= $1 OR after > $2) AND NOT EXISTS (
  SELECT 1
  FROM building
  WHERE building.site_id = doomed_texts.site_id
    AND building.seen_version < doomed_texts.version AND building.texts_below > doomed_texts.first_id)
ORDER BY after, first_id
LIMIT $3",
            $lock
        )
    };
}
const DUE_SQLITE: &str = due!("");
// Sweeps that run at once share the work; none waits for the transaction of another.
const DUE_POSTGRES: &str = due!("\nFOR UPDATE SKIP LOCKED");
const CLAIM: Bulk = for_each!(
    "
DELETE FROM doomed_texts
WHERE (after <= $1 OR after > $2) AND first_id",
    3,
    "
RETURNING first_id, last_id"
);
const DELETE: Bulk = Bulk {
    sqlite: "
DELETE FROM texts
WHERE id BETWEEN $1 AND $2",
    postgres: "
DELETE FROM texts
USING unnest(CAST($1 AS bigint[]), CAST($2 AS bigint[])) AS due (first_id, last_id)
WHERE id BETWEEN due.first_id AND due.last_id",
};

/// Ranges of one sweep, however few bytes they have.
const SWEEP_RANGES: i64 = 256;

/// Deletes doomed texts whose time has come, about `most` bytes of them, but for those that a running build may need;
/// returns how many.
pub fn sweep(tx: &mut Tx, now: Timestamp, most: i64) -> Result<u64> {
    let now = tx.lease_now(now)?;
    let (now, latest) = (now.micros(), now.plus(LONGEST_LEASE).micros());
    let sql = if tx.is_sqlite() { DUE_SQLITE } else { DUE_POSTGRES };
    let due: Vec<(i64, i64)> = tx.query(sql, &[&now, &latest, &SWEEP_RANGES], read)?;
    let mut bytes = 0;
    let few = due.iter().take_while(|(_, size)| {
        let fits = bytes < most;
        bytes += size;
        fits
    });
    let few: Vec<i64> = few.map(|(first, _)| *first).collect();
    let claimed = tx.query_many(CLAIM, &[&now, &latest], &[&few], read::<TextRange>)?;
    let first: Vec<i64> = claimed.iter().map(|range| range.first.0).collect();
    let last: Vec<i64> = claimed.iter().map(|range| range.last.0).collect();
    tx.execute_many(DELETE, &[], &[&first, &last])
}

const NEXT_ID_POSTGRES: &str = "
SELECT last_value + 16384
FROM text_blocks";

/// No text that can be seen now has this id or a higher one.
pub fn below(tx: &mut Tx) -> Result<i64> {
    let sql = if tx.is_sqlite() { NEXT_SQLITE } else { NEXT_ID_POSTGRES };
    Ok(tx.query_one(sql, &[], read)?.unwrap_or(i64::MAX))
}

const BODY: &str = "
SELECT body
FROM texts
WHERE id = $1";

pub fn body(tx: &mut Tx, id: TextId) -> Result<Option<String>> {
    tx.query_one(BODY, &[&id.0], read)
}

const SIZES: Bulk = Bulk {
    sqlite: "
SELECT id, octet_length(body)
FROM texts
WHERE id = $1",
    postgres: "
SELECT id, CAST(octet_length(body) AS bigint)
FROM texts
WHERE id = ANY($1)",
};
const BODIES: Bulk = for_each!(
    "
SELECT id, body
FROM texts
WHERE id",
    1
);

/// The first of these texts, as many as have at most `bytes` together, but at least one of those that are there.
pub fn some_bodies(tx: &mut Tx, ids: &[TextId], bytes: usize) -> Result<HashMap<TextId, String>> {
    let wanted: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let sizes = tx.query_many(SIZES, &[], &[&wanted], read::<(i64, i64)>)?;
    let (sizes, mut sum): (HashMap<i64, i64>, _) = (sizes.into_iter().collect(), 0);
    let fits = |id: &i64| {
        let first = sum == 0;
        sum += sizes.get(id).copied().unwrap_or_default();
        first || sum <= bytes as i64
    };
    let some: Vec<i64> = wanted.into_iter().take_while(fits).collect();
    let found = tx.query_many(BODIES, &[], &[&some], read::<(TextId, String)>)?;
    Ok(found.into_iter().collect())
}

const MISSING: &str = "
SELECT pages.id
FROM pages
LEFT JOIN texts AS content ON content.id = content_id
LEFT JOIN texts AS params ON params.id = params_id
WHERE site_id = $1 AND pages.id > $2
  AND (content_id IS NOT NULL AND (content.id IS NULL OR octet_length(content.body) <> content_bytes)
    OR params_id IS NOT NULL AND (params.id IS NULL OR octet_length(params.body) <> params_bytes))
ORDER BY pages.id
LIMIT $3";

/// At most `most` pages whose texts are not there or have another length, behind the last one of the list before.
pub fn missing(tx: &mut Tx, site: SiteId, behind: Option<PageId>, most: i64) -> Result<Vec<PageId>> {
    let behind = behind.map_or(Uuid::nil(), |page| page.0);
    tx.query(MISSING, &[&site.0, &behind, &most], read)
}

const COUNT: &str = "
SELECT count(*)
FROM texts";

pub fn count(tx: &mut Tx) -> Result<i64> {
    Ok(tx.query_one(COUNT, &[], read)?.unwrap_or_default())
}
