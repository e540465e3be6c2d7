//! The long texts of a request. Small requests store them in the publish's transaction; large ones store them ahead in
//! pieces (stashes), while the next texts are being read.

use std::time::Duration;

use model::{AccountId, TextHash};
use store::texts::{self, Stash, Text, TextId, TextRange};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::limits::open_bytes::{self, HeldBytes};
use crate::limits::pace::Large;
use crate::{Error, Publisher, TextRef};

/// Bytes of a stash, which is one short transaction; fewer while others write. A request with less is not stashed.
const STASH_BYTES: usize = 1 << 20;
const SHARED_STASH_BYTES: usize = 1 << 17;
/// For each byte that is stored ahead, up to this many bytes of doomed texts (to which no page refers) are swept: texts
/// are deleted faster than they can be written, so texts that are replaced again and again do not fill the disk.
const SWEEP_FACTOR: i64 = 2;
/// No request takes longer than this. After it, texts that were stored ahead are swept.
const STASH_LEASE: Duration = Duration::from_secs(24 * 3600);

/// The long texts of a request, numbered in order of arrival.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) waiting: Vec<String>,
    waiting_bytes: usize,
    /// Of all texts.
    sizes: Vec<u32>,
    hashes: Vec<TextHash>,
    /// How many texts came before those that wait.
    before: usize,
    stashed: Vec<Stashed>,
    under_way: Option<JoinHandle<Result<Option<Stash>, Error>>>,
    /// The request is already refused, so its texts are not needed.
    refused: bool,
}

struct Stashed {
    first_number: usize,
    stash: Stash,
}

/// Stashes that no publish has adopted yet. When dropped, they are left to the sweep at once: a request that is refused
/// or interrupted uses no disk space.
pub(crate) struct Leftovers {
    publisher: Publisher,
    stashes: Vec<Stash>,
    held: HeldBytes,
}

impl Leftovers {
    pub(crate) fn new(publisher: Publisher, (account, plan): (AccountId, &str)) -> Leftovers {
        let most = open_bytes::limit(publisher.settings.file_size(plan).0);
        let held = HeldBytes::new(&publisher.open_bytes, account, most);
        Leftovers { publisher, stashes: Vec::new(), held }
    }

    pub(crate) fn were_adopted(mut self) {
        self.stashes.clear();
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        let stashes = std::mem::take(&mut self.stashes);
        // Without a runtime the process is about to end, and the lease expires instead.
        if let (false, Ok(runtime)) = (stashes.is_empty(), Handle::try_current()) {
            let (store, clock) = (self.publisher.store.clone(), self.publisher.clock.clone());
            runtime.spawn(async move {
                let abandon = store.write(move |tx| texts::abandon(tx, &stashes, clock.now()));
                if let Err(error) = abandon.await {
                    tracing::warn!(%error, "texts of a refused request not abandoned, swept when their lease expires");
                }
            });
        }
    }
}

impl Texts {
    pub(crate) fn keep(&mut self, text: String, hash: TextHash) -> usize {
        let number = self.before + self.waiting.len();
        self.waiting_bytes += text.len();
        self.sizes.push(text.len() as u32);
        self.hashes.push(hash);
        self.waiting.push(text);
        if self.refused {
            self.refuse();
        }
        number
    }

    /// Replaces a waiting text, if it is still needed.
    pub(crate) fn put(&mut self, number: usize, text: String, hash: TextHash) {
        let Some(slot) = number.checked_sub(self.before).and_then(|index| self.waiting.get_mut(index)) else {
            return;
        };
        self.waiting_bytes = self.waiting_bytes - self.sizes[number] as usize + text.len();
        self.sizes[number] = text.len() as u32;
        self.hashes[number] = hash;
        *slot = text;
    }

    /// Whether the waiting texts should be stored now.
    pub(crate) fn are_many(&self, others_write: bool) -> bool {
        self.waiting_bytes >= if others_write { SHARED_STASH_BYTES } else { STASH_BYTES }
    }

    pub(crate) fn refuse(&mut self) {
        self.refused = true;
        self.before += self.waiting.len();
        self.waiting.clear();
        self.waiting_bytes = 0;
    }

    pub(crate) fn stash(&mut self, publisher: &Publisher, leftovers: &mut Leftovers) -> Result<(), Error> {
        publisher.disks.check()?;
        leftovers.held.add(self.waiting_bytes as u64)?;
        let bodies = std::mem::take(&mut self.waiting);
        self.before += bodies.len();
        let sweep = SWEEP_FACTOR * std::mem::take(&mut self.waiting_bytes) as i64;
        let (publisher, account) = (publisher.clone(), leftovers.held.account);
        let write = async move {
            publisher.pace.pause(account.0).await;
            let _turn = publisher.stashing.take(account).await;
            let clock = publisher.clock.clone();
            let stash = publisher.write_large(account.0, Large::Step, move |tx| {
                let now = tx.lease_now(clock.now())?;
                texts::sweep(tx, now, sweep)?;
                texts::stash(tx, &bodies, now.plus(STASH_LEASE))
            });
            Ok(stash.await?)
        };
        self.under_way = Some(tokio::spawn(write));
        Ok(())
    }

    /// Waits until the previous piece is stored.
    pub(crate) async fn wait_for_stash(&mut self, leftovers: &mut Leftovers) -> Result<(), Error> {
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

    pub(crate) fn hash(&self, text: TextRef) -> Option<TextHash> {
        match text {
            TextRef::Number(number) => Some(self.hashes[number]),
            TextRef::Empty => None,
        }
    }

    pub(crate) fn bytes(&self, text: TextRef) -> i64 {
        match text {
            TextRef::Number(number) => i64::from(self.sizes[number]),
            TextRef::Empty => 0,
        }
    }

    /// The row of a text, once the waiting texts are stored as `last`.
    pub(crate) fn row(&self, text: TextRef, last: Option<TextRange>) -> Option<Text> {
        let TextRef::Number(number) = text else { return None };
        let (first, before) = if number >= self.before {
            (last?.first, self.before)
        } else {
            let stashed = self.stashed.iter().rfind(|stashed| stashed.first_number <= number)?;
            (stashed.stash.range.first, stashed.first_number)
        };
        let id = TextId(first.0 + (number - before) as i64);
        Some(Text { id, bytes: self.bytes(text) })
    }
}

impl Stashed {
    fn end(&self) -> usize {
        let range = self.stash.range;
        self.first_number + (range.last.0 - range.first.0) as usize + 1
    }
}
