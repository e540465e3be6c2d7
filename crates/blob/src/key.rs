//! The keys of objects. Only this file knows their layout.

use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use model::{ObjectId, PackId};
use object_store::ObjectStore;
use object_store::path::Path;
use uuid::Uuid;

use crate::{Blob, Error};

const PACKS: &str = "packs";
const MEDIA: &str = "media";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(pub(crate) Path);

impl Key {
    pub fn pack(id: PackId) -> Key {
        Key::new(PACKS, id.0)
    }

    pub fn media(id: ObjectId) -> Key {
        Key::new(MEDIA, id.0)
    }

    /// Two levels, by the end of the id: the beginning is a timestamp, and would put them all into one directory.
    fn new(folder: &str, id: Uuid) -> Key {
        let name = id.simple().to_string();
        Key(Path::from_iter([folder, &name[30..], &name]))
    }
}

impl Blob {
    /// Every stored pack.
    pub fn packs(&self) -> BoxStream<'static, Result<PackId, Error>> {
        self.ids(PACKS).map_ok(PackId).boxed()
    }

    /// Every stored media object.
    pub fn media(&self) -> BoxStream<'static, Result<ObjectId, Error>> {
        self.ids(MEDIA).map_ok(ObjectId).boxed()
    }

    fn ids(&self, folder: &'static str) -> BoxStream<'static, Result<Uuid, Error>> {
        let objects = self.store.list(Some(&Path::from(folder)));
        // Other files in the directory are ignored.
        let ids = objects
            .map_err(Error::from)
            .try_filter_map(move |object| std::future::ready(Ok(id_in(folder, &object.location))));
        ids.boxed()
    }
}

/// The id of an object; `None` if the path is not the one of a pack or a medium.
pub(crate) fn id_of(path: &Path) -> Option<Uuid> {
    id_in(PACKS, path).or_else(|| id_in(MEDIA, path))
}

fn id_in(folder: &str, path: &Path) -> Option<Uuid> {
    let id = Uuid::try_parse(path.filename()?).ok()?;
    (Key::new(folder, id).0 == *path).then_some(id)
}
