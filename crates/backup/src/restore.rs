//! Restores a backup into an empty database and an empty object store.
//!
//! The restored installation gets an id of its own. Should its database ever be combined with the objects of the original,
//! or the other way round, the server does not start, and nothing is deleted.

use std::path::Path;

use blob::Blob;
use futures_util::{TryStreamExt, stream};
use model::{ByteSize, TextHash};
use serde::Serialize;
use store::transfer::{Table, Target};
use uuid::Uuid;

use crate::copy::{Outcome, PARALLEL, copy_and_check};
use crate::error::{Error, Result, blocking};
use crate::lines::{Sum, parse_line, write_line};
use crate::manifest::{Manifest, TableSum};
use crate::object_list::{Object, ObjectList};
use crate::place::Place;
use crate::rows_file::{Line, each_line};
use crate::scratch::Scratch;
use crate::{Installation, Progress};

const SHOW_EVERY: u64 = 1000;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    #[serde(flatten)]
    pub manifest: Manifest,
    /// The new one.
    pub restored_as: Uuid,
    pub bytes_copied: u64,
}

pub async fn restore(
    from: &Place,
    id: Option<&str>,
    to: &Installation,
    progress: &Progress,
) -> Result<Restored> {
    let manifest = from.find(id).await?;
    let scratch = Scratch::below(&to.scratch)?;
    let (rows, list) = (scratch.file("rows"), scratch.file("objects"));
    progress.show("reading the backup");
    from.download_checked(&manifest.id, &manifest.rows, &rows).await?;
    from.download_checked(&manifest.id, &manifest.object_list, &list).await?;

    let purpose = format!("recto restore --at {}", manifest.id);
    let (store, schema) = (to.store.clone(), manifest.schema);
    // It stays open until the end: it keeps a second run away.
    let mut target = blocking(move || Ok(Target::open(&store, &purpose, schema)?)).await?;
    let own = id_of_copy(&manifest);
    if !claim(&to.objects, own).await? {
        return Err(Error::Refused(
            "the object store is not empty: choose an empty one with objects.url".into(),
        ));
    }
    let (tables, shown) = (manifest.tables.clone(), progress.clone());
    let target = blocking(move || {
        fill(&mut target, &rows, &tables, &shown)?;
        target.set_installation(own)?;
        Ok(target)
    })
    .await?;
    let bytes_copied = copy_objects(from, to, &list, progress).await?;
    blocking(move || Ok(target.finish()?)).await?;
    Ok(Restored { manifest, restored_as: own, bytes_copied })
}

/// Another one than that of the original, and the same for each run, so that an interrupted one can go on.
fn id_of_copy(manifest: &Manifest) -> Uuid {
    let name = format!("{} restored from {}", manifest.installation_id, manifest.id);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&TextHash::of(&name).0[..16]);
    Uuid::from_bytes(bytes)
}

/// Claims an empty object store for an installation. `false`: it is neither empty nor claimed by an earlier run.
pub(crate) async fn claim(objects: &Blob, id: Uuid) -> Result<bool> {
    if objects.installation().await? == Some(id) {
        return Ok(true);
    }
    if !objects.is_unused().await? {
        return Ok(false);
    }
    objects.set_installation(id).await?;
    Ok(true)
}

/// Fills the tables from a file of rows, reads them back, and compares both with the manifest. Rows of an interrupted run
/// are deleted first.
pub(crate) fn fill(
    target: &mut Target,
    rows: &Path,
    expected: &[TableSum],
    progress: &Progress,
) -> Result<()> {
    let tables = tables_of(rows)?;
    target.clear(&tables)?;
    let (mut current, mut inserted): (Option<Table>, u64) = (None, 0);
    each_line(rows, |line| {
        let line = match line {
            Line::Table(table) => {
                (current, inserted) = (Some(table), 0);
                return Ok(());
            }
            Line::Row(line) => line,
        };
        let Some(table) = &current else {
            return Err(Error::Damaged("the file of rows begins without a table".into()));
        };
        target.insert(table, &parse_line(table, line)?)?;
        inserted += 1;
        if inserted % SHOW_EVERY == 0 {
            progress.show(&format!("rows: {inserted} of {}", table.name));
        }
        Ok(())
    })?;
    target.flush()?;
    progress.show("comparing the rows");
    let found =
        tables.iter().map(|table| Ok(sum_of(target, table)?.of(table))).collect::<Result<Vec<_>>>()?;
    match found.iter().zip(expected).find(|(found, expected)| found != expected) {
        None if found.len() == expected.len() => Ok(()),
        None => Err(Error::Damaged("the file of rows does not have the tables of the manifest".into())),
        Some((found, expected)) => Err(Error::Damaged(format!(
            "the table {} has {} rows, the manifest says {}, or their content differs",
            found.name, found.rows, expected.rows
        ))),
    }
}

fn tables_of(rows: &Path) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    each_line(rows, |line| {
        if let Line::Table(table) = line {
            tables.push(table);
        }
        Ok(())
    })?;
    Ok(tables)
}

pub(crate) fn sum_of(target: &mut Target, table: &Table) -> Result<Sum> {
    let (mut sum, mut line) = (Sum::default(), Vec::new());
    target.each_row(table, |row| {
        write_line(row, &mut line);
        sum.add(&line);
        Ok::<_, Error>(())
    })?;
    Ok(sum)
}

async fn copy_objects(from: &Place, to: &Installation, list: &Path, progress: &Progress) -> Result<u64> {
    let work = stream::iter(ObjectList::open(list)?);
    let work = work.map_ok(async |object: Object| {
        let outcome = copy_and_check(&from.blob, &to.objects, &object).await?;
        Ok::<_, Error>((object, outcome))
    });
    let (mut work, mut objects, mut bytes) = (Box::pin(work.try_buffered(PARALLEL)), 0u64, 0);
    while let Some((object, outcome)) = work.try_next().await? {
        match outcome {
            Outcome::Present(_) => {}
            Outcome::Copied(_) => bytes += object.size,
            Outcome::Missing => {
                return Err(Error::Damaged(format!("{} is missing in the backup", object.name())));
            }
            Outcome::Damaged(problem) => return Err(Error::Damaged(format!("in the backup, {problem}"))),
        }
        objects += 1;
        progress.show(&format!("objects: {objects}, {} copied", ByteSize(bytes)));
    }
    Ok(bytes)
}
