//! Which installation the objects belong to: its id is stored with them and in its database.

use object_store::ObjectStoreExt;
use object_store::path::Path;
use uuid::Uuid;

use crate::{Blob, Error};

const NAME: &str = "installation";

impl Blob {
    /// `None` if no installation has claimed them yet.
    pub async fn installation(&self) -> Result<Option<Uuid>, Error> {
        let found = match self.store.get(&Path::from(NAME)).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            found => found?.bytes().await?,
        };
        let text = std::str::from_utf8(&found).ok().map(str::trim);
        let id = text.and_then(|text| Uuid::try_parse(text).ok());
        id.map(Some).ok_or_else(|| Error::Failed(format!("the object {NAME:?} holds no installation id")))
    }

    /// Claims them for this installation, replacing any previous one.
    pub async fn set_installation(&self, id: Uuid) -> Result<(), Error> {
        self.store.put(&Path::from(NAME), format!("{id}\n").into()).await?;
        Ok(())
    }
}
