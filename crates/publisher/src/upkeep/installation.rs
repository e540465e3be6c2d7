//! Database and object store belong together: both contain the same installation id. Without this check, a server with
//! a new or mistyped database would know none of the objects, and delete them all.

use futures_util::StreamExt;
use model::{ObjectId, PackId};
use store::{objects, packs, server};
use uuid::Uuid;

use crate::{Error, Publisher};

/// Objects that are looked up to see whether the database knows any.
const SAMPLE: usize = 1000;

impl Publisher {
    pub(crate) async fn installation(&self) -> Result<Uuid, Error> {
        self.read(|tx| Ok(server::installation(tx)?)).await
    }

    /// Checks that the objects belong to this installation. An object store without an id is claimed, if it is empty or
    /// the database knows objects in it.
    pub async fn check_objects(&self) -> Result<(), Error> {
        if self.own_objects().await? == Belonging::Unclaimed {
            let own = self.installation().await?;
            tracing::info!(installation = %own, "object store claimed by this installation");
            self.blob.set_installation(own).await?;
        }
        Ok(())
    }

    /// Whether the objects belong to this installation, or can be claimed; changes nothing.
    pub async fn own_objects(&self) -> Result<Belonging, Error> {
        let own = self.installation().await?;
        match self.blob.installation().await? {
            Some(id) if id == own => return Ok(Belonging::Ours),
            Some(other) => {
                return Err(Error::refused(format!(
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
                return Err(Error::refused(
                    "objects.url holds objects that the database does not know. Check objects.url and store.url. \
                     If they do belong together, `recto objects adopt` says so",
                ));
            }
        }
        Ok(Belonging::Unclaimed)
    }

    /// Claims the objects on the operator's request, without any check.
    pub async fn adopt_objects(&self) -> Result<Uuid, Error> {
        let own = self.installation().await?;
        self.blob.set_installation(own).await?;
        Ok(own)
    }

    async fn knows_objects(&self) -> Result<Known, Error> {
        let media: Vec<ObjectId> = collect(self.blob.media()).await?;
        let packed: Vec<PackId> = collect(self.blob.packs()).await?;
        if media.is_empty() && packed.is_empty() {
            return Ok(Known::Empty);
        }
        let lookup = move |tx: &mut store::Tx| {
            let known = objects::known(tx, &media)?.len() + packs::known(tx, &packed)?.len();
            Ok(if known > 0 { Known::Some } else { Known::None })
        };
        self.store.read(lookup).await
    }

    async fn warn_of_missing_objects(&self) -> Result<(), Error> {
        if self.read(|tx| Ok(packs::any_live(tx)?)).await? {
            tracing::error!("object store empty, but the database refers to objects: check objects.url");
        }
        Ok(())
    }
}

/// Whether objects belong to this installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Belonging {
    Ours,
    /// They have no id yet; the next server that starts claims them.
    Unclaimed,
}

/// Whether the database knows objects of the object store.
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
