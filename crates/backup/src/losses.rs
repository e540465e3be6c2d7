//! Objects that the source does not have as its rows say.

use store::Location;
use store::transfer::Snapshot;

use crate::copy::Problems;
use crate::error::{Result, blocking};
use crate::object_list::{Object, ObjectKind};

/// Missing objects that are looked up at once.
const CHUNK: usize = 500;

pub(crate) struct Losses {
    store: Location,
    pub(crate) problems: Problems,
    missing: Vec<Object>,
    /// A server has deleted objects since the rows were read, because newer rows no longer name them.
    pub(crate) is_stale: bool,
}

impl Losses {
    pub(crate) fn new(store: &Location) -> Losses {
        Losses { store: store.clone(), problems: Problems::default(), missing: Vec::new(), is_stale: false }
    }

    pub(crate) async fn add_missing(&mut self, object: Object) -> Result<()> {
        self.missing.push(object);
        if self.missing.len() < CHUNK { Ok(()) } else { self.look_up().await }
    }

    /// Finds out why the missing objects are missing.
    pub(crate) async fn look_up(&mut self) -> Result<()> {
        if self.missing.is_empty() {
            return Ok(());
        }
        let (store, missing) = (self.store.clone(), std::mem::take(&mut self.missing));
        let count = missing.len();
        let needed = blocking(move || needed(&store, missing)).await?;
        self.is_stale |= needed.len() < count;
        needed.iter().for_each(|object| self.problems.add(format!("{} is missing", object.name())));
        Ok(())
    }
}

/// Those that rows still name.
fn needed(store: &Location, objects: Vec<Object>) -> Result<Vec<Object>> {
    let (mut snapshot, mut needed) = (Snapshot::open(store)?, Vec::new());
    for object in objects {
        let is_needed = match object.kind {
            ObjectKind::Pack => snapshot.needs_pack(object.id)?,
            ObjectKind::Media => snapshot.needs_media(object.id)?,
        };
        if is_needed {
            needed.push(object);
        }
    }
    Ok(needed)
}
