//! What the server does by itself now and then: sweep texts nobody refers to, purge what was deleted long ago,
//! note when tokens were last used.

use store::pages::{self, Purge};
use store::texts;

use crate::{Error, Publisher};

/// Ranges of texts deleted in one transaction: at most some 25 MB, so that nobody's save waits long for it.
const SWEEP_RANGES: i64 = 4;

/// What one round did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Upkeep {
    pub texts_swept: u64,
    pub pages_purged: u64,
}

impl Publisher {
    pub async fn upkeep(&self) -> Result<Upkeep, Error> {
        self.flush_last_used().await?;
        let before = self.clock.now().minus(self.settings.purge_after);
        let clock = self.clock.clone();
        let purge = move |tx: &mut store::Tx| {
            Ok::<_, Error>(pages::purge(tx, Purge::DeletedBefore(before), clock.now())?)
        };
        let pages_purged = self.store.write(purge).await?;
        let mut texts_swept = 0;
        loop {
            let clock = self.clock.clone();
            let swept = self
                .store
                .write(move |tx| Ok::<_, Error>(texts::sweep(tx, clock.now(), SWEEP_RANGES)?))
                .await?;
            texts_swept += swept.texts;
            if swept.ranges == 0 {
                return Ok(Upkeep { texts_swept, pages_purged });
            }
        }
    }

    pub(crate) async fn flush_last_used(&self) -> Result<(), Error> {
        let used = self.last_used.take();
        if used.is_empty() {
            return Ok(());
        }
        self.store.write(move |tx| Ok(store::tokens::touch(tx, &used)?)).await
    }
}
