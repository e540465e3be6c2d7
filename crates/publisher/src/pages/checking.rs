//! Entries are checked in pieces: another thread checks one while the next ones arrive, when it is its account's turn.

use std::sync::Arc;

use model::{AccountId, TextHash};
use tokio_util::task::AbortOnDropHandle;

use super::entry::{Entry, LongText, check_entry};
use crate::limits::priority;
use crate::{Error, Turns};

/// Bytes of JSON that are checked at a time, in about two milliseconds.
const PIECE_BYTES: usize = 256 << 10;
/// Less is checked by the thread that reads it.
const SMALL_BYTES: usize = 64 << 10;

/// Entries that have arrived, and are not part of the request yet.
pub(super) struct Checking {
    turns: Arc<Turns>,
    account: AccountId,
    arrived: Piece,
    under_way: Option<UnderWay>,
}

/// Entries as JSON, one behind the other.
#[derive(Default)]
struct Piece {
    json: String,
    ends: Vec<usize>,
}

struct UnderWay {
    entries: usize,
    checked: AbortOnDropHandle<Vec<CheckedEntry>>,
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
        let mut texts = Vec::new();
        let entry = check_entry(json, |which, text, hash| {
            texts.push((which, text, hash));
            texts.len() - 1
        })?;
        Ok(Checked { entry, texts })
    }
}

impl Piece {
    fn check(&self) -> Vec<CheckedEntry> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| Checked::new(&self.json[*start..*end])).collect()
    }
}

impl Checking {
    pub(super) fn new(turns: Arc<Turns>, account: AccountId) -> Checking {
        Checking { turns, account, arrived: Piece::default(), under_way: None }
    }

    /// Forgets all that have arrived.
    pub(super) fn clear(&mut self) {
        (self.arrived, self.under_way) = (Piece::default(), None);
    }

    pub(super) fn len(&self) -> usize {
        self.arrived.ends.len() + self.under_way.as_ref().map_or(0, |under_way| under_way.entries)
    }

    pub(super) fn add(&mut self, json: &str) {
        self.arrived.json.push_str(json);
        self.arrived.ends.push(self.arrived.json.len());
    }

    /// Once a piece has arrived: begins to check it, and returns the one before.
    pub(super) async fn advance(&mut self) -> Result<Vec<CheckedEntry>, Error> {
        match self.arrived.json.len() < PIECE_BYTES {
            true => Ok(Vec::new()),
            false => self.next().await,
        }
    }

    /// The same with less than a piece, while more of the body is awaited: errors are found early.
    pub(super) async fn advance_early(&mut self) -> Result<Vec<CheckedEntry>, Error> {
        match &self.under_way {
            None if self.arrived.json.len() < SMALL_BYTES => self.finish().await,
            Some(under_way) if !under_way.checked.is_finished() => Ok(Vec::new()),
            _ => self.next().await,
        }
    }

    async fn next(&mut self) -> Result<Vec<CheckedEntry>, Error> {
        let piece = std::mem::take(&mut self.arrived);
        let before = self.under_way.take();
        if !piece.ends.is_empty() {
            let entries = piece.ends.len();
            let (turns, account) = (self.turns.clone(), self.account);
            let checked = priority::spawn_short(async move {
                let _turn = turns.take(account).await;
                piece.check()
            });
            self.under_way = Some(UnderWay { entries, checked });
        }
        result_of(before).await
    }

    /// All that have arrived.
    pub(super) async fn finish(&mut self) -> Result<Vec<CheckedEntry>, Error> {
        let mut checked = Vec::new();
        if self.arrived.json.len() >= SMALL_BYTES {
            checked = self.next().await?;
        }
        checked.extend(result_of(self.under_way.take()).await?);
        checked.extend(std::mem::take(&mut self.arrived).check());
        Ok(checked)
    }
}

async fn result_of(under_way: Option<UnderWay>) -> Result<Vec<CheckedEntry>, Error> {
    match under_way {
        Some(UnderWay { checked, .. }) => {
            checked.await.map_err(|error| Error::Internal(format!("check pages: {error}")))
        }
        None => Ok(Vec::new()),
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
        assert!(!checking.under_way.as_ref().unwrap().checked.is_finished());
        drop(of_another);
        assert_eq!(checking.finish().await.unwrap().len(), 1);
        assert_eq!(checking.len(), 0);
    }
}
