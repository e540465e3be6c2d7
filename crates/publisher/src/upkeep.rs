//! What the server does by itself now and then: sweep texts nobody refers to, purge what was deleted long ago,
//! note when tokens were last used.

use std::sync::Arc;

use store::bin::{self, Purge};
use store::{Tx, texts};

use crate::{Error, Publisher};

/// Texts deleted in one transaction: some 25 MB at most, so that nobody's save waits long for it.
const SWEEP_TEXTS: i64 = 256;
/// Pages purged in one transaction.
const PURGE_PAGES: i64 = 500;
/// Transactions of one round; what is left waits for the next.
const STEPS: usize = 200;

/// What one round did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Upkeep {
    pub texts_swept: u64,
    pub pages_purged: u64,
}

impl Publisher {
    pub async fn upkeep(&self) -> Result<Upkeep, Error> {
        self.flush_last_used().await?;
        let mut done = Upkeep::default();
        for _ in 0..STEPS {
            let (clock, before) = (self.clock.clone(), self.clock.now().minus(self.settings.purge_after));
            let step =
                move |tx: &mut Tx| bin::purge(tx, Purge::DeletedBefore(before), PURGE_PAGES, clock.now());
            let purged = self.store.write(move |tx| step(tx).map_err(Error::from)).await?;
            done.pages_purged += purged;
            if purged == 0 {
                break;
            }
        }
        for _ in 0..STEPS {
            let clock = self.clock.clone();
            let step = move |tx: &mut Tx| texts::sweep(tx, clock.now(), SWEEP_TEXTS);
            let swept = self.store.write(move |tx| step(tx).map_err(Error::from)).await?;
            done.texts_swept += swept;
            if swept == 0 {
                break;
            }
        }
        Ok(done)
    }

    pub(crate) async fn flush_last_used(&self) -> Result<(), Error> {
        let used = Arc::new(self.last_used.take());
        if used.is_empty() {
            return Ok(());
        }
        let noted = used.clone();
        let flushed = self.store.write(move |tx| Ok(store::tokens::touch(tx, &noted)?)).await;
        flushed.inspect_err(|_| self.last_used.put_back(&used))
    }
}
