//! What waits or runs, of all accounts.

use store::builds::{self, OpenBuild};
use store::transcodes::{self, OpenTranscode};

use crate::{Error, Publisher};

impl Publisher {
    /// At most `most` builds and transcodes that are not over.
    pub async fn queue(&self, most: usize) -> Result<(Vec<OpenBuild>, Vec<OpenTranscode>), Error> {
        let most = most as i64;
        self.read(move |tx| Ok((builds::open(tx, most)?, transcodes::open(tx, most)?))).await
    }
}
