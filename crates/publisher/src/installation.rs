//! Database and object store belong together: the same id stands in both. Without that a fresh or mistyped database
//! would know none of the objects, and sweep them all away.

use futures_util::StreamExt;
use model::{ObjectId, PackId};
use store::{objects, packs, server};
use uuid::Uuid;

use crate::{AdminError, Publisher};

/// Objects that are looked up to see whether the database knows any.
const SAMPLE: usize = 1000;

impl Publisher {
    pub(crate) async fn installation(&self) -> Result<Uuid, AdminError> {
        self.store.read(|tx| Ok(server::installation(tx)?)).await
    }

    /// Makes sure that the objects are this installation's. A store that has no id yet is claimed, if it is empty or the
    /// database knows objects in it.
    pub async fn check_objects(&self) -> Result<(), AdminError> {
        if self.own_objects().await? == Belonging::Unclaimed {
            let own = self.installation().await?;
            tracing::info!(installation = %own, "the object store was claimed by this installation");
            self.blob.set_installation(own).await?;
        }
        Ok(())
    }

    /// Whether the objects are this installation's, or may become so; changes nothing.
    pub async fn own_objects(&self) -> Result<Belonging, AdminError> {
        let own = self.installation().await?;
        match self.blob.installation().await? {
            Some(id) if id == own => return Ok(Belonging::Ours),
            Some(other) => {
                return Err(AdminError::refused(format!(
                    "objects.url belongs to another installation: its id is {other}, that of the database is {own}. \
                     Check objects.url and store.url. If they do belong together, `recto objects adopt` says so"
                )));
            }
            None => {}
        }
        match self.knows_objects().await? {
            Known::Some => {}
            Known::Empty => self.warn_of_missing_objects().await?,
            Known::None => {
                return Err(AdminError::refused(
                    "objects.url holds objects that the database does not know. Check objects.url and store.url. \
                     If they do belong together, `recto objects adopt` says so",
                ));
            }
        }
        Ok(Belonging::Unclaimed)
    }

    /// Claims the objects on purpose, whatever they are.
    pub async fn adopt_objects(&self) -> Result<Uuid, AdminError> {
        let own = self.installation().await?;
        self.blob.set_installation(own).await?;
        Ok(own)
    }

    async fn knows_objects(&self) -> Result<Known, AdminError> {
        let media: Vec<ObjectId> = collect(self.blob.media()).await?;
        let packed: Vec<PackId> = collect(self.blob.packs()).await?;
        if media.is_empty() && packed.is_empty() {
            return Ok(Known::Empty);
        }
        let look = move |tx: &mut store::Tx| {
            let known = objects::known(tx, &media)?.len() + packs::known(tx, &packed)?.len();
            Ok::<_, AdminError>(if known > 0 { Known::Some } else { Known::None })
        };
        self.store.read(look).await
    }

    async fn warn_of_missing_objects(&self) -> Result<(), AdminError> {
        if self.store.read(|tx| Ok::<_, AdminError>(packs::any_live(tx)?)).await? {
            tracing::error!(
                "the object store is empty, but the database refers to objects: is objects.url right?"
            );
        }
        Ok(())
    }
}

/// Whose objects they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Belonging {
    Ours,
    /// Nobody's so far; the next server that starts claims them.
    Unclaimed,
}

/// What the database knows of what is in the object store.
enum Known {
    Empty,
    Some,
    None,
}

async fn collect<T>(
    ids: impl futures_util::Stream<Item = Result<T, blob::Error>>,
) -> Result<Vec<T>, blob::Error> {
    let some: Vec<Result<T, blob::Error>> = ids.take(SAMPLE).collect().await;
    some.into_iter().collect()
}
