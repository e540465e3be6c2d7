//! References of a request's texts to its files.

use std::sync::Arc;
use std::time::Duration;

use markdown::{ReferenceError, TooComplex, thread_time};
use model::{Params, TextHash};

use super::covers::replace_covers;
use super::draft::Draft;
use crate::limits::priority;
use crate::{Entry, Error, ProcessedFiles};

/// CPU time for finding the references of a whole request, and how much each byte of its texts adds.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceTime {
    pub base: Duration,
    pub per_byte: Duration,
}

impl Default for ReferenceTime {
    /// Ten times what real texts need.
    fn default() -> ReferenceTime {
        ReferenceTime { base: Duration::from_secs(5), per_byte: Duration::from_nanos(100) }
    }
}

/// The files that `file:` references can name.
#[derive(Clone)]
pub(super) enum Attached {
    None,
    All(Arc<ProcessedFiles>),
    /// Some have not arrived: references are not checked yet.
    Unknown,
}

impl Attached {
    /// The text with the addresses of the files it refers to.
    fn resolve(&self, text: &str) -> Result<String, ReferenceError> {
        markdown::replace_files(text, &|name| media::MediaKind::of(name).is_some(), &|name| self.url(name))
    }

    fn url(&self, name: &str) -> Option<String> {
        match self {
            Attached::All(files) => files.url(name),
            Attached::None | Attached::Unknown => None,
        }
    }
}

impl Draft {
    /// Puts the addresses of files into a text that refers to some. Parsing Markdown is slow, so another thread does
    /// it, when it is the account's turn.
    pub(super) async fn resolve(
        &mut self,
        number: usize,
        text: String,
        entry: &mut Entry,
    ) -> Result<(), Error> {
        if let Attached::Unknown = self.attached {
            return Ok(());
        }
        if self.search.is_zero() {
            let why = "the references to files in this request take too long to find: send its pages in several requests";
            entry.errors.insert("content", why.to_owned());
            return Ok(());
        }
        self.search += self.publisher.reference_time.per_byte * text.len() as u32;
        let (attached, turn) = (self.attached.clone(), self.publisher.parsing.take(self.account).await);
        let resolved = priority::spawn_low(move || {
            let _turn = turn;
            let began = thread_time();
            let resolved = attached.resolve(&text);
            (resolved, thread_time() - began)
        });
        let (resolved, time) =
            resolved.await.map_err(|error| Error::Internal(format!("resolve references: {error}")))?;
        self.search = self.search.saturating_sub(time);
        match resolved {
            Ok(text) => {
                let hash = TextHash::of(&text);
                self.texts.put(number, text, hash);
            }
            Err(ReferenceError::Unresolved(names)) => {
                self.request.unresolved.add(self.request.entries.len(), names);
                self.texts.refuse();
            }
            Err(ReferenceError::TooComplex(TooComplex(why))) => {
                entry
                    .errors
                    .insert("content", format!("content refers to files, but they cannot be found: {why}"));
            }
        }
        Ok(())
    }

    /// The same for params, of which only the cover may refer to a file.
    pub(super) fn resolve_params(&mut self, number: usize, json: String, hash: TextHash, entry: &mut Entry) {
        if let Attached::Unknown = self.attached {
            return;
        }
        match replace_covers(&json, |name| self.attached.url(name)) {
            Ok(same) if same == json => self.texts.put(number, same, hash),
            Ok(replaced) => match Params::parse(&replaced) {
                Ok(params) => {
                    let hash = params.hash();
                    self.texts.put(number, params.into_json(), hash);
                }
                Err(why) => drop(entry.errors.insert("params", why)),
            },
            Err(names) => {
                self.request.unresolved.add(self.request.entries.len(), names);
                self.texts.refuse();
            }
        }
    }
}
