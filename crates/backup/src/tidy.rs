//! Deletes old backups and the objects that only they have.
//!
//! The manifest of a backup is deleted first: from then on it is not complete. Its lists are deleted last. So a crash at any
//! point leaves complete backups whole, and a backup that the next run goes on deleting. What an interrupted backup has
//! left behind is deleted in the same way.

use std::path::Path;

use blob::Key;
use model::Timestamp;

use crate::error::{Result, of_file};
use crate::lease::is_abandoned;
use crate::manifest::Manifest;
use crate::object_list::ObjectList;
use crate::place::{BEGUN, MANIFEST, OBJECTS, PLAN, Place, is_complete};
use crate::rows_file::LinesWriter;
use crate::scratch::Scratch;

/// How many backups of an installation stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    All,
    Newest(usize),
}

/// The caller holds the lease of the place, and `newest` is the backup it has made. Returns the ids of deleted backups.
pub(crate) async fn tidy(
    place: &Place,
    keep: Keep,
    newest: &Manifest,
    scratch: &Path,
    now: Timestamp,
) -> Result<Vec<String>> {
    let mut deleted = Vec::new();
    // It may rely on objects of a backup that would be deleted here.
    if is_another_running(place, &newest.id, now).await? {
        return Ok(deleted);
    }
    if let Keep::Newest(count) = keep {
        let all = place.list().await?.into_iter().rev();
        let own = all.filter(|manifest| manifest.installation_id == newest.installation_id);
        // The one just made stays, whatever the clock said when others were made.
        for old in own.filter(|manifest| manifest.id != newest.id).skip(count.saturating_sub(1)) {
            place.delete(&old.id, MANIFEST).await?;
            deleted.push(old.id);
        }
    }
    for (id, names) in place.backups().await? {
        if is_complete(&names) {
            // Its attempts may have copied objects that were deleted in the meantime.
            delete_lists(place, &id, names.iter().filter(|name| name.starts_with(PLAN)), scratch).await?;
        } else if is_abandoned(place, &id, now).await? {
            let (lists, others): (Vec<&String>, Vec<&String>) =
                names.iter().partition(|name| name.starts_with(PLAN) || *name == OBJECTS);
            place.delete(&id, BEGUN).await?;
            // It was running after all, on a machine whose clock is wrong, and found its file `begun` in time.
            if place.has(&id, MANIFEST).await? {
                continue;
            }
            for name in others {
                place.delete(&id, name).await?;
            }
            delete_lists(place, &id, lists.into_iter(), scratch).await?;
        }
    }
    for (id, name) in place.blob.unfinished_backup_files().await {
        if id != newest.id && is_abandoned(place, &id, now).await? {
            place.blob.delete_unfinished(&Key::backup_file(&id, &name)).await;
        }
    }
    Ok(deleted)
}

async fn is_another_running(place: &Place, own: &str, now: Timestamp) -> Result<bool> {
    for (id, names) in place.backups().await? {
        if id != own && !is_complete(&names) && !is_abandoned(place, &id, now).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes lists of a backup, with the objects that only they have.
async fn delete_lists<'n>(
    place: &Place,
    id: &str,
    lists: impl Iterator<Item = &'n String>,
    scratch: &Path,
) -> Result<()> {
    for list in lists {
        let scratch = Scratch::below(scratch)?;
        delete_unshared(place, id, list, &scratch).await?;
        place.delete(id, list).await?;
    }
    Ok(())
}

/// Deletes the objects of a list that no complete backup has. The lists are read one after the other, however many there
/// are; of a backup that was just made, the first one has nearly all objects.
async fn delete_unshared(place: &Place, id: &str, list: &str, scratch: &Scratch) -> Result<()> {
    let mut left = scratch.file("own");
    place.download(id, list, &left).await?;
    for manifest in place.list().await?.iter().rev() {
        let (other, rest) = (scratch.file("other"), scratch.file(&format!("not-in-{}", manifest.id)));
        // If it is damaged, nothing can be deleted safely.
        place.download_checked(&manifest.id, &manifest.object_list, &other).await?;
        if write_missing(&left, &other, &rest)? == 0 {
            return Ok(());
        }
        for read in [&left, &other] {
            std::fs::remove_file(read).map_err(of_file(read))?;
        }
        left = rest;
    }
    for object in ObjectList::open(&left)? {
        place.blob.delete(&object?.key()).await?;
    }
    Ok(())
}

/// Writes the objects of one list that another does not have, and returns how many these are.
fn write_missing(list: &Path, other: &Path, to: &Path) -> Result<u64> {
    let (mut other, mut missing, mut count) = (ObjectList::open(other)?, LinesWriter::create(to)?, 0);
    for object in ObjectList::open(list)? {
        let object = object?;
        if other.find(&object)?.is_none() {
            missing.write_json(&object)?;
            count += 1;
        }
    }
    missing.finish()?;
    Ok(count)
}
