//! The long texts of a request. Small requests store them in the publish's transaction; large ones store them ahead in
//! pieces (stashes), while the next texts are being read.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{AccountId, TextHash};
use store::texts::{self, Stash, Text, TextId};
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
    /// The last ones, which are not stored yet.
    waiting: Vec<String>,
    waiting_bytes: usize,
    /// All of them.
    all: Vec<Arrived>,
    stashes: Vec<Stash>,
    under_way: VecDeque<UnderWay>,
    /// The request is already refused, so its texts are not needed.
    refused: bool,
}

struct Arrived {
    bytes: u32,
    hash: TextHash,
    state: TextState,
}

/// Where a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextState {
    Waiting,
    Stashed(TextId),
    /// The page that it belongs to had it when it was looked up. The text is gone from here.
    Page,
}

struct UnderWay {
    write: JoinHandle<Result<Option<Stash>, Error>>,
    /// The numbers of its texts.
    numbers: Vec<usize>,
}

/// Stashes that no publish has adopted yet. When the request and its writes have dropped them, they are left to the sweep
/// at once: a request that is refused or interrupted uses no disk space.
pub(crate) struct Leftovers {
    publisher: Publisher,
    account: AccountId,
    stashes: Mutex<Vec<Stash>>,
    held: Mutex<HeldBytes>,
}

impl Leftovers {
    pub(crate) fn new(publisher: Publisher, (account, plan): (AccountId, &str)) -> Leftovers {
        let most = open_bytes::limit(publisher.settings.file_size(plan).0);
        let held = Mutex::new(HeldBytes::new(&publisher.open_bytes, account, most));
        Leftovers { publisher, account, stashes: Mutex::default(), held }
    }

    pub(crate) fn were_adopted(&self) {
        self.stashes().clear();
    }

    fn stashes(&self) -> MutexGuard<'_, Vec<Stash>> {
        self.stashes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hold(&self, bytes: usize) -> Result<(), Error> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).add(bytes as u64)
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        let stashes = std::mem::take(&mut *self.stashes());
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
        let number = self.all.len();
        self.waiting_bytes += text.len();
        self.all.push(Arrived { bytes: text.len() as u32, hash, state: TextState::Waiting });
        self.waiting.push(text);
        if self.refused {
            self.refuse();
        }
        number
    }

    /// Replaces a waiting text, if it is still needed.
    pub(crate) fn put(&mut self, number: usize, text: String, hash: TextHash) {
        let before = self.stored();
        let Some(slot) = number.checked_sub(before).and_then(|index| self.waiting.get_mut(index)) else {
            return;
        };
        let arrived = &mut self.all[number];
        self.waiting_bytes = self.waiting_bytes - arrived.bytes as usize + text.len();
        (arrived.bytes, arrived.hash) = (text.len() as u32, hash);
        *slot = text;
    }

    /// How many texts have arrived.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// How many texts came before those that wait.
    fn stored(&self) -> usize {
        self.all.len() - self.waiting.len()
    }

    /// Whether the waiting texts should be stored now.
    pub(crate) fn are_many(&self, others_write: bool) -> bool {
        self.waiting_bytes >= most_waiting(others_write)
    }

    /// Whether they should be stored even if that has to wait.
    pub(crate) fn are_too_many(&self, others_write: bool) -> bool {
        self.waiting_bytes >= 2 * most_waiting(others_write)
    }

    pub(crate) fn refuse(&mut self) {
        self.refused = true;
        self.waiting.clear();
        self.waiting_bytes = 0;
    }

    /// The page of a text has it already, so that it need not be stored.
    pub(crate) fn is_at_its_page(&mut self, text: TextRef) {
        if let TextRef::Number(number) = text {
            self.all[number].state = TextState::Page;
        }
    }

    /// Stores the waiting texts with numbers up to `end`, except those that their pages have.
    pub(crate) fn stash(&mut self, end: usize, leftovers: &Arc<Leftovers>) -> Result<(), Error> {
        leftovers.publisher.disks.check()?;
        let (mut numbers, mut bodies, mut bytes) = (Vec::new(), Vec::new(), 0);
        let first = self.stored();
        for (number, text) in (first..end).zip(self.waiting.drain(..end.saturating_sub(first))) {
            self.waiting_bytes -= text.len();
            if self.all[number].state == TextState::Waiting {
                bytes += text.len();
                numbers.push(number);
                bodies.push(text);
            }
        }
        if !bodies.is_empty() {
            leftovers.hold(bytes)?;
            let write = tokio::spawn(write(bodies, bytes, leftovers.clone()));
            self.under_way.push_back(UnderWay { write, numbers });
        }
        Ok(())
    }

    /// Whether so many pieces are being stored.
    pub(crate) fn are_being_stashed(&self, pieces: usize) -> bool {
        self.under_way.iter().filter(|piece| !piece.write.is_finished()).count() >= pieces
    }

    /// Waits until at most so many pieces are still being stored.
    pub(crate) async fn wait_for_stashes(&mut self, most: usize) -> Result<(), Error> {
        while self.under_way.len() > most {
            let Some(UnderWay { write, numbers }) = self.under_way.pop_front() else { return Ok(()) };
            let stash =
                write.await.map_err(|error| Error::Internal(format!("store texts ahead: {error}")))??;
            if let Some(stash) = stash {
                for (number, id) in numbers.into_iter().zip(stash.range.ids()) {
                    self.all[number].state = TextState::Stashed(id);
                }
                self.stashes.push(stash);
            }
        }
        Ok(())
    }

    pub(crate) fn stashes(&self) -> &[Stash] {
        &self.stashes
    }

    pub(crate) fn hash(&self, text: TextRef) -> Option<TextHash> {
        match text {
            TextRef::Number(number) => Some(self.all[number].hash),
            TextRef::Empty => None,
        }
    }

    pub(crate) fn bytes(&self, text: TextRef) -> i64 {
        match text {
            TextRef::Number(number) => i64::from(self.all[number].bytes),
            TextRef::Empty => 0,
        }
    }

    /// A text that waits.
    pub(crate) fn waiting(&self, text: TextRef) -> Option<&str> {
        let TextRef::Number(number) = text else { return None };
        let index = number.checked_sub(self.stored())?;
        self.waiting.get(index).map(String::as_str)
    }

    /// The row of a text that is stored ahead.
    pub(crate) fn stashed(&self, text: TextRef) -> Option<Text> {
        let TextRef::Number(number) = text else { return None };
        match self.all[number].state {
            TextState::Stashed(id) => Some(Text { id, bytes: self.bytes(text) }),
            TextState::Waiting | TextState::Page => None,
        }
    }
}

async fn write(bodies: Vec<String>, bytes: usize, leftovers: Arc<Leftovers>) -> Result<Option<Stash>, Error> {
    let (publisher, account) = (&leftovers.publisher, leftovers.account);
    publisher.pace.pause(account.0).await;
    let _turn = publisher.stashing.take(account).await;
    let clock = publisher.clock.clone();
    let stash = publisher.write_large(account.0, Large::Step, move |tx| {
        let now = tx.lease_now(clock.now())?;
        texts::sweep(tx, now, SWEEP_FACTOR * bytes as i64)?;
        texts::stash(tx, &bodies, now.plus(STASH_LEASE))
    });
    let stash = stash.await?;
    leftovers.stashes().extend(stash);
    Ok(stash)
}

fn most_waiting(others_write: bool) -> usize {
    if others_write { SHARED_STASH_BYTES } else { STASH_BYTES }
}
