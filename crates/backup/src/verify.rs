//! Checks a backup: restores its rows into a temporary database, and reads all its objects.

use std::path::Path;

use futures_util::{TryStreamExt, stream};
use model::ByteSize;
use serde::Serialize;
use store::Location;
use store::transfer::{Snapshot, Target, tables};

use crate::copy::{PARALLEL, Problems, hash_of};
use crate::error::{Error, Result, blocking};
use crate::manifest::{FileSum, Manifest};
use crate::object_list::{Object, ObjectList};
use crate::place::Place;
use crate::restore::fill;
use crate::scratch::Scratch;
use crate::{Progress, place};

/// What was checked, and what is wrong.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    pub id: String,
    pub created_at: String,
    pub rows: u64,
    pub objects: u64,
    pub bytes: u64,
    /// The first ones.
    pub problems: Vec<String>,
    pub problem_count: u64,
}

/// Checks the backup with this id, or the newest complete one.
pub async fn verify(
    place: &Place,
    id: Option<&str>,
    scratch: &Path,
    progress: &Progress,
) -> Result<Verified> {
    let manifest = place.find(id).await?;
    let scratch = Scratch::below(scratch)?;
    let mut problems = Problems::default();
    if manifest.problem_count > 0 {
        manifest.problems.iter().for_each(|problem| problems.add(format!("when it was made: {problem}")));
        problems.count = manifest.problem_count;
    }
    let rows = fetch(place, &manifest, &manifest.rows, &scratch, &mut problems).await?;
    let list = fetch(place, &manifest, &manifest.object_list, &scratch, &mut problems).await?;
    if rows {
        check_rows(&manifest, &scratch, list, &mut problems, progress).await?;
    }
    let (mut objects, mut bytes) = (0, 0);
    if list {
        (objects, bytes) = check_objects(place, &scratch, &mut problems, progress).await?;
    }
    Ok(Verified {
        rows: manifest.row_count(),
        id: manifest.id,
        created_at: manifest.created_at,
        objects,
        bytes,
        problems: problems.named,
        problem_count: problems.count,
    })
}

/// Whether a file of the backup is what was written; then it is in the scratch directory, under its name.
async fn fetch(
    place: &Place,
    manifest: &Manifest,
    file: &FileSum,
    scratch: &Scratch,
    problems: &mut Problems,
) -> Result<bool> {
    match place.download_checked(&manifest.id, file, &scratch.file(&file.name)).await {
        Ok(()) => Ok(true),
        Err(Error::Damaged(problem)) => {
            problems.add(problem);
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Restores the rows into a temporary database, and compares the objects that they name with the list.
async fn check_rows(
    manifest: &Manifest,
    scratch: &Scratch,
    has_list: bool,
    problems: &mut Problems,
    progress: &Progress,
) -> Result<()> {
    let (rows, list) = (scratch.file(place::ROWS), scratch.file(place::OBJECTS));
    let location = Location::Sqlite { path: scratch.file("rows.db"), group: 1 };
    let (manifest, shown) = (manifest.clone(), progress.clone());
    let checked = blocking(move || {
        let mut target = Target::open(&location, "recto backup verify", manifest.schema)?;
        fill(&mut target, &rows, &manifest.tables, &shown)?;
        target.finish()?;
        // Objects that were missing when it was made are no surprise.
        if !has_list || manifest.problem_count > 0 { Ok(Vec::new()) } else { unlisted(&location, &list) }
    });
    match checked.await {
        Ok(unlisted) => unlisted.into_iter().for_each(|problem| problems.add(problem)),
        Err(Error::Damaged(problem)) => problems.add(problem),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Objects that rows name and the list does not.
fn unlisted(location: &Location, list: &Path) -> Result<Vec<String>> {
    let (mut snapshot, mut list, mut found) =
        (Snapshot::open(location)?, ObjectList::open(list)?, Vec::new());
    for table in tables().iter().filter(|table| Object::has_rows_in(table)) {
        snapshot.each_row(table, |row| {
            if let Some(object) = Object::of_row(table, row)
                && !list.find(&object)?.is_some_and(|listed| object.accepts(&listed.hash))
            {
                found.push(format!("{} is not in the list of objects", object.name()));
            }
            Ok::<_, Error>(())
        })?;
    }
    Ok(found)
}

async fn check_objects(
    place: &Place,
    scratch: &Scratch,
    problems: &mut Problems,
    progress: &Progress,
) -> Result<(u64, u64)> {
    let work = stream::iter(ObjectList::open(&scratch.file(place::OBJECTS))?);
    let work =
        work.map_ok(async |object: Object| Ok::<_, Error>((problem_of(place, &object).await?, object)));
    let (mut work, mut objects, mut bytes) = (Box::pin(work.try_buffered(PARALLEL)), 0u64, 0u64);
    while let Some((problem, object)) = work.try_next().await? {
        problem.into_iter().for_each(|problem| problems.add(problem));
        objects += 1;
        bytes += object.size;
        progress.show(&format!("objects: {objects}, {} read", ByteSize(bytes)));
    }
    Ok((objects, bytes))
}

async fn problem_of(place: &Place, object: &Object) -> Result<Option<String>> {
    let key = object.key();
    match place.blob.size(&key).await? {
        None => return Ok(Some(format!("{} is missing", object.name()))),
        Some(size) if size != object.size => {
            return Ok(Some(format!("{} has {size} bytes instead of {}", object.name(), object.size)));
        }
        Some(_) => {}
    }
    let hash = match hash_of(&place.blob, &key, object.size).await {
        Err(error) => return Ok(Some(format!("{} cannot be read: {error}", object.name()))),
        Ok(hash) => hash,
    };
    Ok((hash != object.hash).then(|| format!("{}: its bytes do not have its hash", object.name())))
}
