//! The long texts of a request on their way to the store: the first wait, then they are stored ahead in pieces, while
//! the next ones are being read.

use std::time::Duration;

use store::texts::{self, Stash, TextId, TextRange};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::{Error, Publisher, TextRef};

/// Texts of this many bytes are one short transaction. A request with less waits for none.
const STASH_BYTES: usize = 4 << 20;
/// Nobody sends one request for longer than this; then texts stored ahead are swept.
const STASH_LEASE: Duration = Duration::from_secs(24 * 3600);

/// The long texts of a request, numbered in order of arrival.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) waiting: Vec<String>,
    waiting_bytes: usize,
    /// How many came before those that wait.
    before: usize,
    stashed: Vec<Stashed>,
    under_way: Option<JoinHandle<Result<Option<Stash>, Error>>>,
    /// The request is refused already; its texts are not needed any more.
    refused: bool,
}

struct Stashed {
    first_number: usize,
    stash: Stash,
}

/// Stashes that no publish has adopted yet. Dropped, they are left to the sweep at once: a request that is refused or
/// breaks off keeps no room on the disk.
pub(crate) struct Leftovers {
    publisher: Publisher,
    stashes: Vec<Stash>,
}

impl Leftovers {
    pub(crate) fn new(publisher: Publisher) -> Leftovers {
        Leftovers { publisher, stashes: Vec::new() }
    }

    pub(crate) fn were_adopted(mut self) {
        self.stashes.clear();
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        let stashes = std::mem::take(&mut self.stashes);
        // Without a runtime the process is about to end, and the lease will do.
        if let (false, Ok(runtime)) = (stashes.is_empty(), Handle::try_current()) {
            let (store, clock) = (self.publisher.store.clone(), self.publisher.clock.clone());
            runtime.spawn(async move {
                let abandon = store.write(move |tx| texts::abandon(tx, &stashes, clock.now()));
                if let Err(error) = abandon.await {
                    tracing::warn!(%error, "texts of a refused request stay until their lease ends");
                }
            });
        }
    }
}

impl Texts {
    pub(crate) fn keep(&mut self, text: String) -> usize {
        let number = self.before + self.waiting.len();
        self.waiting_bytes += text.len();
        self.waiting.push(text);
        if self.refused {
            self.refuse();
        }
        number
    }

    /// Whether it is time to store those that wait.
    pub(crate) fn are_many(&self) -> bool {
        self.waiting_bytes >= STASH_BYTES
    }

    pub(crate) fn refuse(&mut self) {
        self.refused = true;
        self.before += self.waiting.len();
        self.waiting.clear();
        self.waiting_bytes = 0;
    }

    pub(crate) fn stash(&mut self, publisher: &Publisher) {
        let bodies = std::mem::take(&mut self.waiting);
        self.before += bodies.len();
        self.waiting_bytes = 0;
        let (store, clock) = (publisher.store.clone(), publisher.clock.clone());
        let write = async move {
            store.write(move |tx| Ok(texts::stash(tx, &bodies, clock.now().plus(STASH_LEASE))?)).await
        };
        self.under_way = Some(tokio::spawn(write));
    }

    /// Waits for the piece that is being stored.
    pub(crate) async fn settle(&mut self, leftovers: &mut Leftovers) -> Result<(), Error> {
        let Some(under_way) = self.under_way.take() else { return Ok(()) };
        let stash =
            under_way.await.map_err(|error| Error::Internal(format!("store texts ahead: {error}")))??;
        if let Some(stash) = stash {
            let first_number = self.stashed.last().map_or(0, Stashed::end);
            self.stashed.push(Stashed { first_number, stash });
            leftovers.stashes.push(stash);
        }
        Ok(())
    }

    pub(crate) fn stashes(&self) -> Vec<Stash> {
        self.stashed.iter().map(|stashed| stashed.stash).collect()
    }

    /// The row of a text, once those that waited are in `last`.
    pub(crate) fn id(&self, text: TextRef, last: Option<TextRange>) -> Option<TextId> {
        let TextRef::Number(number) = text else { return None };
        if number >= self.before {
            return last.map(|range| TextId(range.first.0 + (number - self.before) as i64));
        }
        let stashed = self.stashed.iter().rfind(|stashed| stashed.first_number <= number)?;
        Some(TextId(stashed.stash.range.first.0 + (number - stashed.first_number) as i64))
    }
}

impl Stashed {
    fn end(&self) -> usize {
        let range = self.stash.range;
        self.first_number + (range.last.0 - range.first.0) as usize + 1
    }
}
