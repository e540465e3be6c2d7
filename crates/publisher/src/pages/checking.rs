//! Entries are checked in pieces: another thread checks one while the next ones arrive.

use model::TextHash;
use tokio_util::task::AbortOnDropHandle;

use super::entry::{Entry, LongText, check_entry};
use crate::Error;
use crate::limits::priority;

/// Bytes of JSON that are checked at a time, in about two milliseconds.
const PIECE_BYTES: usize = 256 << 10;
/// Less is checked by the thread that reads it.
const SMALL_BYTES: usize = 64 << 10;

/// Entries that have arrived, and are not part of the request yet.
#[derive(Default)]
pub(super) struct Checking {
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
            let checked = AbortOnDropHandle::new(priority::spawn_short(move || piece.check()));
            self.under_way = Some(UnderWay { entries, checked });
        }
        result_of(before).await
    }

    /// All that have arrived.
    pub(super) async fn finish(&mut self) -> Result<Vec<CheckedEntry>, Error> {
        let mut checked = result_of(self.under_way.take()).await?;
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
