//! Moves an installation to another database and, if wanted, to another object store. It keeps its id: it is the same
//! installation at another address.
//!
//! Rows are copied in the order of their keys, in batches. After an interruption the rows in the target are compared with
//! the first rows of the source: if they are the same, the copy goes on behind them; if the source has changed, they are
//! deleted and copied again.

use std::path::{Path, PathBuf};

use blob::Blob;
use futures_util::{TryStreamExt, stream};
use model::ByteSize;
use serde::Serialize;
use store::Location;
use store::transfer::{Snapshot, Table, Target, tables};
use uuid::Uuid;

use crate::Progress;
use crate::copy::{Outcome, PARALLEL, copy_and_check};
use crate::error::{Error, Result, blocking};
use crate::lines::{Sum, write_line};
use crate::losses::Losses;
use crate::manifest::TableSum;
use crate::object_list::{Object, ObjectList};
use crate::restore::{claim, sum_of};
use crate::rows_file::LinesWriter;
use crate::scratch::Scratch;

const SHOW_EVERY: u64 = 1000;

/// What was moved.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Migrated {
    pub installation_id: Uuid,
    pub tables: Vec<TableSum>,
    pub objects: u64,
    pub bytes_copied: u64,
    /// What was already missing or damaged in the source: the first ones.
    pub problems: Vec<String>,
    pub problem_count: u64,
}

/// `objects`: from where to where.
pub async fn migrate(
    from: &Location,
    to: &Location,
    objects: Option<(Blob, Blob)>,
    scratch: &Path,
    progress: &Progress,
) -> Result<Migrated> {
    let scratch = Scratch::below(scratch)?;
    let source = from.clone();
    let (installation, schema) = blocking(move || {
        let snapshot = Snapshot::open(&source)?;
        Ok((snapshot.installation(), snapshot.schema()))
    })
    .await?;
    let purpose = format!("recto migrate of installation {installation}");
    if let Some((source, _)) = &objects
        && source.installation().await?.is_some_and(|id| id != installation)
    {
        return Err(Error::Refused(
            "the objects do not belong to the database: their id is another one".into(),
        ));
    }
    let store = to.clone();
    // It stays open until the end: it keeps a second run away.
    let target = blocking(move || Ok(Target::open(&store, &purpose, schema)?)).await?;
    if let Some((_, objects)) = &objects
        && !claim(objects, installation).await?
    {
        return Err(Error::Refused("the target of the objects is not empty: choose an empty one".into()));
    }
    let copy = RowsCopy { from: from.clone(), target };
    let (plan, shown) = (scratch.file("objects"), progress.clone());
    let (target, tables) = blocking(move || copy.run(plan, &shown)).await?;
    let mut done = Migrated {
        installation_id: installation,
        tables,
        objects: 0,
        bytes_copied: 0,
        problems: Vec::new(),
        problem_count: 0,
    };
    if let Some((source, target)) = &objects {
        copy_objects(from, source, target, &scratch.file("objects"), &mut done, progress).await?;
    }
    blocking(move || Ok(target.finish()?)).await?;
    Ok(done)
}

struct RowsCopy {
    from: Location,
    target: Target,
}

impl RowsCopy {
    /// Copies all rows of one moment and compares them. Writes the objects that they name into `plan`.
    fn run(self, plan: PathBuf, progress: &Progress) -> Result<(Target, Vec<TableSum>)> {
        let RowsCopy { from, mut target } = self;
        let mut source = Snapshot::open(&from)?;
        let (mut plan, tables) = (LinesWriter::create(&plan)?, tables());
        let mut sums = Vec::new();
        for (index, table) in tables.iter().enumerate() {
            let there = sum_of(&mut target, table)?;
            let copied = copy_table(&mut source, &mut target, table, &there, progress)?;
            let copied = match copied {
                Some(copied) => copied,
                None => {
                    // The source has changed since. Later tables refer to this one.
                    target.clear(&tables[index..])?;
                    let copied = copy_table(&mut source, &mut target, table, &Sum::default(), progress)?;
                    copied
                        .ok_or_else(|| Error::Damaged(format!("the table {} was not copied", table.name)))?
                }
            };
            progress.show(&format!("comparing {}", table.name));
            if !sum_of(&mut target, table)?.is(&copied) {
                return Err(Error::Damaged(format!(
                    "the rows of {} differ after they were copied; is another process writing to the target?",
                    table.name
                )));
            }
            if Object::has_rows_in(table) {
                source.each_row(table, |row| match Object::of_row(table, row) {
                    Some(object) => plan.write_json(&object),
                    None => Ok(()),
                })?;
            }
            sums.push(copied.of(table));
        }
        plan.finish()?;
        Ok((target, sums))
    }
}

/// Copies the rows behind those that are already there. `None`: those are not the first rows of the source.
fn copy_table(
    source: &mut Snapshot,
    target: &mut Target,
    table: &Table,
    there: &Sum,
    progress: &Progress,
) -> Result<Option<Sum>> {
    let (mut sum, mut line) = (Sum::default(), Vec::new());
    let mut is_same = there.rows() == 0;
    source.each_row(table, |row| {
        write_line(row, &mut line);
        sum.add(&line);
        if sum.rows() > there.rows() && is_same {
            target.insert(table, row)?;
        } else if sum.rows() == there.rows() {
            is_same = sum.is(there);
        }
        if sum.rows() % SHOW_EVERY == 0 {
            progress.show(&format!("rows: {} of {}", sum.rows(), table.name));
        }
        Ok::<_, Error>(())
    })?;
    target.flush()?;
    Ok(is_same.then_some(sum))
}

async fn copy_objects(
    store: &Location,
    from: &Blob,
    to: &Blob,
    plan: &Path,
    done: &mut Migrated,
    progress: &Progress,
) -> Result<()> {
    let work = stream::iter(ObjectList::open(plan)?);
    let work = work.map_ok(async |object: Object| {
        let outcome = copy_and_check(from, to, &object).await?;
        Ok::<_, Error>((object, outcome))
    });
    let mut work = Box::pin(work.try_buffered(PARALLEL));
    let mut losses = Losses::new(store);
    while let Some((object, outcome)) = work.try_next().await? {
        match outcome {
            Outcome::Present(_) => {}
            Outcome::Copied(_) => done.bytes_copied += object.size,
            Outcome::Missing => {
                losses.add_missing(object).await?;
                continue;
            }
            Outcome::Damaged(problem) => {
                losses.problems.add(problem);
                continue;
            }
        }
        done.objects += 1;
        progress.show(&format!("objects: {}, {} copied", done.objects, ByteSize(done.bytes_copied)));
    }
    losses.look_up().await?;
    if losses.is_stale {
        return Err(Error::Refused(
            "a server has deleted objects meanwhile: stop it, and run the same command again".into(),
        ));
    }
    (done.problems, done.problem_count) = (losses.problems.named, losses.problems.count);
    Ok(())
}
