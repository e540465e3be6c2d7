//! Copies the objects of a backup to its place, and lists them with their hashes.

use futures_util::{TryStreamExt, stream};
use model::ByteSize;
use uuid::Uuid;

use crate::copy::{Outcome, PARALLEL, Problems, copy_once};
use crate::dump::Dump;
use crate::error::{Error, Result};
use crate::losses::Losses;
use crate::manifest::FileSum;
use crate::object_list::{Object, ObjectList};
use crate::place::{OBJECTS, Place};
use crate::rows_file::LinesWriter;
use crate::scratch::Scratch;
use crate::{Installation, Progress};

/// The objects of a backup.
pub(crate) struct Copied {
    pub(crate) list: FileSum,
    pub(crate) objects: u64,
    pub(crate) bytes: u64,
    pub(crate) objects_copied: u64,
    pub(crate) bytes_copied: u64,
    pub(crate) problems: Problems,
    /// A server has deleted objects that the rows name.
    pub(crate) is_stale: bool,
}

pub(crate) async fn copy_objects(
    from: &Installation,
    to: &Place,
    id: &str,
    dump: &Dump,
    scratch: &Scratch,
    progress: &Progress,
) -> Result<Copied> {
    let path = scratch.file("objects");
    let mut list = LinesWriter::create(&path)?;
    let mut previous = previous_list(to, dump.installation, scratch).await?;
    let with_known = |object: Result<Object>| {
        let object = object?;
        let known = match &mut previous {
            Some(previous) => previous.find(&object)?,
            None => None,
        };
        Ok(match known {
            // What the place has is read, and must have the whole hash.
            Some(known) if to.is_checked => (Object { hash: known.hash, ..object }, None),
            known => (object, known.map(|known| known.hash)),
        })
    };
    let work = stream::iter(ObjectList::open(&dump.plan)?.map(with_known));
    let work = work.map_ok(async |(object, known)| {
        let outcome = copy_once(&from.objects, &to.blob, &object, known).await?;
        Ok::<_, Error>((object, outcome))
    });
    let mut work = Box::pin(work.try_buffered(PARALLEL));
    let (mut objects, mut bytes, mut objects_copied, mut bytes_copied) = (0, 0, 0, 0);
    let mut losses = Losses::new(&from.store);
    while let Some((mut object, outcome)) = work.try_next().await? {
        match outcome {
            Outcome::Present(hash) => object.hash = hash,
            Outcome::Copied(hash) => {
                object.hash = hash;
                objects_copied += 1;
                bytes_copied += object.size;
            }
            Outcome::Missing => {
                losses.add_missing(object).await?;
                continue;
            }
            Outcome::Damaged(problem) => {
                losses.problems.add(problem);
                continue;
            }
        }
        list.write_json(&object)?;
        objects += 1;
        bytes += object.size;
        progress.show(&format!("objects: {objects}, {} copied", ByteSize(bytes_copied)));
    }
    list.finish()?;
    losses.look_up().await?;
    let Losses { problems, is_stale, .. } = losses;
    let list = to.put_file(id, OBJECTS, &path).await?;
    Ok(Copied { list, objects, bytes, objects_copied, bytes_copied, problems, is_stale })
}

/// The list of the newest complete backup, which has the hashes of most objects.
async fn previous_list(to: &Place, installation: Uuid, scratch: &Scratch) -> Result<Option<ObjectList>> {
    let mut own = to.list().await?.into_iter().rev();
    let Some(manifest) = own.find(|manifest| manifest.installation_id == installation) else {
        return Ok(None);
    };
    let path = scratch.file("previous");
    let downloaded = to.download_checked(&manifest.id, &manifest.object_list, &path);
    match downloaded.await {
        Ok(()) => Ok(Some(ObjectList::open(&path)?)),
        Err(Error::Damaged(problem)) => {
            tracing::warn!(
                problem,
                "the previous backup is damaged; its objects are read to get their hashes"
            );
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
