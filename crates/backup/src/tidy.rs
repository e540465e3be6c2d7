//! Deletes old backups and the objects that only they have.
//!
//! The manifest of a backup is deleted first: from then on it is not complete. Its lists are deleted last. So a crash at any
//! point leaves complete backups whole, and a backup that the next run goes on deleting. What an interrupted backup has
//! left behind is deleted in the same way.

use std::path::Path;

use model::Timestamp;

use crate::error::Result;
use crate::lease::is_abandoned;
use crate::manifest::Manifest;
use crate::object_list::ObjectList;
use crate::place::{MANIFEST, OBJECTS, PLAN, Place};
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
    if let Keep::Newest(count) = keep {
        let all = place.list().await?.into_iter().rev();
        let own = all.filter(|manifest| manifest.installation_id == newest.installation_id);
        for old in own.skip(count.max(1)) {
            place.delete(&old.id, MANIFEST).await?;
            deleted.push(old.id);
        }
    }
    for (id, names) in place.backups().await? {
        if is_abandoned(place, &id, &names, now).await? {
            delete_unfinished(place, &id, &names, scratch).await?;
        }
    }
    Ok(deleted)
}

async fn delete_unfinished(place: &Place, id: &str, names: &[String], scratch: &Path) -> Result<()> {
    let (lists, others): (Vec<&String>, Vec<&String>) =
        names.iter().partition(|name| name.starts_with(PLAN) || *name == OBJECTS);
    for name in others {
        place.delete(id, name).await?;
    }
    for list in lists {
        let scratch = Scratch::below(scratch)?;
        delete_unshared(place, id, list, &scratch).await?;
        place.delete(id, list).await?;
    }
    Ok(())
}

/// Deletes the objects of a list that no complete backup has.
async fn delete_unshared(place: &Place, id: &str, list: &str, scratch: &Scratch) -> Result<()> {
    let path = scratch.file("own");
    place.download(id, list, &path).await?;
    let mut others = Vec::new();
    for (number, manifest) in place.list().await?.iter().enumerate() {
        let path = scratch.file(&number.to_string());
        // If it is damaged, nothing can be deleted safely.
        place.download_checked(&manifest.id, &manifest.object_list, &path).await?;
        others.push(ObjectList::open(&path)?);
    }
    'objects: for object in ObjectList::open(&path)? {
        let object = object?;
        for other in &mut others {
            if other.find(&object)?.is_some() {
                continue 'objects;
            }
        }
        place.blob.delete(&object.key()).await?;
    }
    Ok(())
}
