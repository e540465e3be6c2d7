//! Entries are checked in pieces: other threads check some while the next ones arrive, when it is their account's turn.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use model::{AccountId, Params, TextHash};
use tokio::task::JoinError;
use tokio_util::task::AbortOnDropHandle;

use super::entry::{Entry, LongText, check_entry};
use crate::limits::priority;
use crate::{Error, Turns};

/// Bytes of JSON that are checked at a time, in about two milliseconds.
const PIECE_BYTES: usize = 256 << 10;
/// Pieces of a request that are checked or wait for it, so that neither the reading nor the checking waits for each piece of
/// the other.
const PIECES: usize = 3;
/// Less is not worth waking another thread.
const SMALL_BYTES: usize = 64 << 10;

/// Entries that have arrived, and are not part of the request yet.
pub(super) struct Checking {
    turns: Arc<Turns>,
    account: AccountId,
    arrived: Piece,
    /// The oldest one first.
    under_way: VecDeque<UnderWay>,
}

/// Entries as JSON, one behind the other.
#[derive(Default)]
struct Piece {
    json: String,
    ends: Vec<usize>,
}

struct UnderWay {
    entries: usize,
    checked: AbortOnDropHandle<Result<Vec<CheckedEntry>, JoinError>>,
}

/// `Err`: the JSON is not a valid object.
pub(super) type CheckedEntry = Result<Checked, String>;

pub(super) struct Checked {
    pub(super) entry: Entry,
    /// Its long texts. The entry refers to them by their index.
    pub(super) texts: Vec<(LongText, String, TextHash)>,
}

impl Checked {
    pub(super) fn new(json: &str) -> CheckedEntry {
        check([json]).pop().expect("one entry")
    }
}

/// An entry whose texts are not hashed yet.
struct Parsed {
    entry: Entry,
    texts: Vec<(LongText, String)>,
}

impl Parsed {
    fn new(json: &str) -> Result<Parsed, String> {
        let mut texts = Vec::new();
        let entry = check_entry(json, |which, text| {
            texts.push((which, text));
            texts.len() - 1
        })?;
        Ok(Parsed { entry, texts })
    }
}

/// The texts of all entries are hashed together, which is faster than one after the other.
fn check<'j>(entries: impl IntoIterator<Item = &'j str>) -> Vec<CheckedEntry> {
    let parsed: Vec<Result<Parsed, String>> = entries.into_iter().map(Parsed::new).collect();
    let texts = parsed.iter().flatten().flat_map(|parsed| &parsed.texts);
    let hashed: Vec<Cow<str>> = texts.map(|(which, text)| hashed_form(*which, text)).collect();
    let mut hashes = TextHash::of_each(&hashed).into_iter();
    drop(hashed);
    let mut with_hashes = |Parsed { entry, texts }| {
        let texts = texts.into_iter().zip(hashes.by_ref());
        Checked { entry, texts: texts.map(|((which, text), hash)| (which, text, hash)).collect() }
    };
    parsed.into_iter().map(|parsed| parsed.map(&mut with_hashes)).collect()
}

/// Params that mean the same have the same hash.
fn hashed_form(which: LongText, text: &str) -> Cow<'_, str> {
    match which {
        LongText::Content => Cow::Borrowed(text),
        LongText::Params => Cow::Owned(Params::canonical(text)),
    }
}

impl Piece {
    fn with_space() -> Piece {
        Piece { json: String::with_capacity(PIECE_BYTES + SMALL_BYTES), ends: Vec::new() }
    }

    fn check(&self) -> Vec<CheckedEntry> {
        let starts = std::iter::once(&0).chain(&self.ends);
        check(starts.zip(&self.ends).map(|(start, end)| &self.json[*start..*end]))
    }
}

impl Checking {
    pub(super) fn new(turns: Arc<Turns>, account: AccountId) -> Checking {
        Checking { turns, account, arrived: Piece::default(), under_way: VecDeque::new() }
    }

    /// Forgets all that have arrived.
    pub(super) fn clear(&mut self) {
        (self.arrived, self.under_way) = (Piece::default(), VecDeque::new());
    }

    pub(super) fn len(&self) -> usize {
        self.arrived.ends.len() + self.under_way.iter().map(|piece| piece.entries).sum::<usize>()
    }

    pub(super) fn add(&mut self, json: &str) {
        self.arrived.json.push_str(json);
        self.arrived.ends.push(self.arrived.json.len());
    }

    /// Begins to check what has arrived once that is a piece, or less while nothing is being checked. Returns what was
    /// checked meanwhile.
    pub(super) async fn advance(&mut self) -> Result<Vec<CheckedEntry>, Error> {
        let is_piece = self.arrived.json.len() >= PIECE_BYTES;
        let checked = self.wait_for(if is_piece { PIECES - 1 } else { PIECES }).await?;
        if is_piece || self.under_way.is_empty() && self.arrived.json.len() >= SMALL_BYTES {
            self.begin();
        }
        Ok(checked)
    }

    fn begin(&mut self) {
        if self.arrived.ends.is_empty() {
            return;
        }
        // The next one will be about as large.
        let piece = std::mem::replace(&mut self.arrived, Piece::with_space());
        let entries = piece.ends.len();
        let (turns, account) = (self.turns.clone(), self.account);
        let checked = priority::spawn_short(async move {
            let turn = turns.take(account).await;
            // Not in this task: it would be run by the thread that has spawned it, as soon as that waits for the body.
            let checked = priority::spawn_low(move || {
                let _turn = turn;
                piece.check()
            });
            checked.await
        });
        self.under_way.push_back(UnderWay { entries, checked });
    }

    /// Waits until at most so many pieces are under way, and returns the entries of those that are checked, in order.
    async fn wait_for(&mut self, most: usize) -> Result<Vec<CheckedEntry>, Error> {
        let mut entries = Vec::new();
        while let Some(oldest) = self.under_way.pop_front() {
            if self.under_way.len() < most && !oldest.checked.is_finished() {
                self.under_way.push_front(oldest);
                break;
            }
            let checked = oldest.checked.await.and_then(|checked| checked);
            entries.extend(checked.map_err(|error| Error::Internal(format!("check pages: {error}")))?);
        }
        Ok(entries)
    }

    /// All that have arrived.
    pub(super) async fn finish(&mut self) -> Result<Vec<CheckedEntry>, Error> {
        if self.arrived.json.len() >= SMALL_BYTES {
            self.begin();
        }
        let mut checked = self.wait_for(0).await?;
        checked.extend(std::mem::take(&mut self.arrived).check());
        Ok(checked)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use model::Timestamp;
    use tokio::time::sleep;

    use super::*;

    #[tokio::test]
    async fn a_piece_is_checked_when_it_is_its_accounts_turn() {
        let account = || AccountId::new(Timestamp::from_micros(0));
        let turns = Turns::new(1);
        let of_another = turns.take(account()).await;
        let mut checking = Checking::new(turns, account());
        checking.add(&format!(r#"{{"title":"A","content":"{}"}}"#, "a".repeat(PIECE_BYTES)));
        assert!(checking.advance().await.unwrap().is_empty());
        sleep(Duration::from_millis(50)).await;
        assert!(!checking.under_way[0].checked.is_finished());
        drop(of_another);
        assert_eq!(checking.finish().await.unwrap().len(), 1);
        assert_eq!(checking.len(), 0);
    }

    #[tokio::test]
    async fn few_pieces_are_under_way_and_their_order_is_kept() {
        let mut checking = Checking::new(Turns::new(3), AccountId::new(Timestamp::from_micros(0)));
        let mut checked = Vec::new();
        for number in 0..20 {
            let content = "a".repeat(if number % 3 == 0 { 3 * PIECE_BYTES } else { PIECE_BYTES });
            checking.add(&format!(r#"{{"title":"Page {number}","content":"{content}"}}"#));
            checked.extend(checking.advance().await.unwrap());
            assert!(checking.under_way.len() <= PIECES);
            assert_eq!(checked.len() + checking.len(), number + 1);
        }
        checked.extend(checking.finish().await.unwrap());
        let titles = checked.into_iter().map(|entry| entry.unwrap().entry.title.unwrap().as_str().to_owned());
        assert_eq!(
            titles.collect::<Vec<_>>(),
            (0..20).map(|number| format!("Page {number}")).collect::<Vec<_>>()
        );
    }
}
