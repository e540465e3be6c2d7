//! Splits the top level of a JSON request body into its values while the body arrives, so that thousands of pages are
//! never in memory at once.
//!
//! Only the structure is checked here: one object at the top level, valid separators, unique keys, size limits. The
//! values themselves are not parsed; the caller gets their text.

mod error;
mod lookalike;
mod token;

use std::collections::HashSet;
use std::ops::Range;

use bytes::Bytes;

pub(crate) use self::error::{Fault, JsonError, JsonLocation};
use self::token::Token;

/// A page has a dozen fields. Unknown fields are ignored, but their names are kept to detect duplicates.
const MAX_KEYS: usize = 1000;
const MAX_KEY_BYTES: usize = 1024;

/// Push a chunk, take events with `next` until there are none, push the next chunk; at the end `finish`.
pub(crate) struct JsonStream {
    max_value: usize,
    state: State,
    /// The current key or value, until its end is found.
    token: Option<Token>,
    chunk: Bytes,
    /// The first byte of `chunk` that is not processed yet.
    at: usize,
    /// The offset of `chunk` in the body.
    before: u64,
    /// The beginning of the current token, from earlier chunks.
    carry: Vec<u8>,
    key: String,
    keys: HashSet<String>,
    array: Streamed,
    index: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event<'a> {
    /// A member of the top object, with the raw text of its value.
    Member {
        key: &'a str,
        value: &'a str,
    },
    ArrayStart {
        array: Streamed,
    },
    /// An element of a streamed array, with its raw text.
    Element {
        array: Streamed,
        index: usize,
        value: &'a str,
    },
    ArrayEnd {
        array: Streamed,
        len: usize,
    },
}

/// Members whose elements are returned one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streamed {
    Pages,
    DeleteSlugs,
}

impl Streamed {
    fn from_key(key: &str) -> Option<Streamed> {
        match key {
            "pages" => Some(Streamed::Pages),
            "deleteSlugs" => Some(Streamed::DeleteSlugs),
            _ => None,
        }
    }

    pub(crate) fn key(self) -> &'static str {
        match self {
            Streamed::Pages => "pages",
            Streamed::DeleteSlugs => "deleteSlugs",
        }
    }
}

/// What the next token may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    FirstKey,
    Key,
    Colon,
    Value,
    AfterMember,
    FirstElement,
    Element,
    AfterElement,
    End,
}

/// An event whose texts are not borrowed yet.
enum Found {
    Member(Text),
    ArrayStart,
    Element(Text),
    ArrayEnd(usize),
}

/// Where a token's bytes are.
enum Text {
    Chunk(Range<usize>),
    Carry,
}

impl JsonStream {
    /// `max_value` is the most bytes that the raw text of one value may have.
    pub(crate) fn new(max_value: usize) -> JsonStream {
        JsonStream {
            max_value,
            state: State::Start,
            token: None,
            chunk: Bytes::new(),
            at: 0,
            before: 0,
            carry: Vec::new(),
            key: String::new(),
            keys: HashSet::new(),
            array: Streamed::Pages,
            index: 0,
        }
    }

    /// Adds the next chunk of the body, once `next` has returned `None`.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        if self.at == self.chunk.len() {
            self.before += self.chunk.len() as u64;
            self.chunk = chunk;
        } else {
            self.before += self.at as u64;
            self.chunk = [&self.chunk[self.at..], &chunk].concat().into();
        }
        self.at = 0;
    }

    /// The next event, or `None` when it needs more of the body.
    pub(crate) fn next(&mut self) -> Result<Option<Event<'_>>, JsonError> {
        let Some(found) = self.advance()? else { return Ok(None) };
        let array = self.array;
        Ok(Some(match found {
            Found::Member(text) => Event::Member { key: &self.key, value: self.text(text)? },
            Found::ArrayStart => Event::ArrayStart { array },
            Found::Element(text) => Event::Element { array, index: self.index, value: self.text(text)? },
            Found::ArrayEnd(len) => Event::ArrayEnd { array, len },
        }))
    }

    /// Call this when the body has ended. Remaining events are checked and dropped.
    pub(crate) fn finish(mut self) -> Result<(), JsonError> {
        while self.next()?.is_some() {}
        match self.state {
            State::End => Ok(()),
            _ => Err(self.error(Fault::Truncated)),
        }
    }

    fn advance(&mut self) -> Result<Option<Found>, JsonError> {
        loop {
            if self.token.is_some() {
                let Some(text) = self.end_token()? else { return Ok(None) };
                if let Some(found) = self.take_token(text)? {
                    return Ok(Some(found));
                }
            }
            let Some(byte) = self.skip_white_space() else { return Ok(None) };
            match (self.state, byte) {
                (State::Start, b'{') => self.consume(State::FirstKey),
                (State::FirstKey | State::Key, b'"') => self.begin_token(byte)?,
                (State::Colon, b':') => self.consume(State::Value),
                (State::Value, b'[') if let Some(array) = Streamed::from_key(&self.key) => {
                    self.array = array;
                    self.index = 0;
                    self.consume(State::FirstElement);
                    return Ok(Some(Found::ArrayStart));
                }
                (State::Value, _) => self.begin_token(byte)?,
                (State::AfterMember, b',') => self.consume(State::Key),
                (State::AfterMember | State::FirstKey, b'}') => self.consume(State::End),
                (State::FirstElement, b']') => {
                    self.consume(State::AfterMember);
                    return Ok(Some(Found::ArrayEnd(0)));
                }
                (State::FirstElement | State::Element, _) => self.begin_token(byte)?,
                (State::AfterElement, b',') => {
                    self.index += 1;
                    self.consume(State::Element);
                }
                (State::AfterElement, b']') => {
                    self.consume(State::AfterMember);
                    return Ok(Some(Found::ArrayEnd(self.index + 1)));
                }
                (state, byte) => return Err(self.error(misplaced(state, byte))),
            }
        }
    }

    fn consume(&mut self, next: State) {
        self.at += 1;
        self.state = next;
    }

    /// Returns the next byte that is not white space, without consuming it.
    fn skip_white_space(&mut self) -> Option<u8> {
        let rest = &self.chunk[self.at..];
        let skipped = rest.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
        self.at += skipped.unwrap_or(rest.len());
        self.chunk.get(self.at).copied()
    }

    fn begin_token(&mut self, first: u8) -> Result<(), JsonError> {
        let Some(token) = Token::begin(first, self.offset()) else {
            return Err(self.error(Fault::Expected("a value")));
        };
        self.carry.clear();
        self.token = Some(token);
        Ok(())
    }

    /// Looks for the end of the token. If it is not in this chunk, the token so far is carried to the next chunk.
    fn end_token(&mut self) -> Result<Option<Text>, JsonError> {
        let Some(token) = &mut self.token else { return Ok(None) };
        let rest = &self.chunk[self.at..];
        let end = token.find_end(rest);
        let most = match self.state {
            State::FirstKey | State::Key => MAX_KEY_BYTES,
            _ => self.max_value,
        };
        if self.carry.len() + end.unwrap_or(rest.len()) > most {
            return Err(self.error(Fault::TooLarge { most }));
        }
        let Some(end) = end else {
            self.carry.extend_from_slice(rest);
            self.at = self.chunk.len();
            return Ok(None);
        };
        let text = if self.carry.is_empty() {
            Text::Chunk(self.at..self.at + end)
        } else {
            self.carry.extend_from_slice(&rest[..end]);
            Text::Carry
        };
        self.at += end;
        Ok(Some(text))
    }

    fn take_token(&mut self, text: Text) -> Result<Option<Found>, JsonError> {
        let (next, found) = match self.state {
            State::FirstKey | State::Key => {
                self.take_key(&text)?;
                (State::Colon, None)
            }
            State::FirstElement | State::Element => (State::AfterElement, Some(Found::Element(text))),
            _ => (State::AfterMember, Some(Found::Member(text))),
        };
        self.state = next;
        self.token = None;
        Ok(found)
    }

    fn take_key(&mut self, text: &Text) -> Result<(), JsonError> {
        let Ok(key) = serde_json::from_slice::<String>(self.bytes(text)) else {
            return Err(self.error(Fault::Key));
        };
        if self.keys.len() == MAX_KEYS {
            return Err(self.error(Fault::TooManyKeys));
        }
        if !self.keys.insert(key.clone()) {
            return Err(self.error(Fault::DuplicateKey(key)));
        }
        self.key = key;
        Ok(())
    }

    fn bytes(&self, text: &Text) -> &[u8] {
        match text {
            Text::Chunk(range) => &self.chunk[range.clone()],
            Text::Carry => &self.carry,
        }
    }

    fn text(&self, text: Text) -> Result<&str, JsonError> {
        let bytes = self.bytes(&text);
        std::str::from_utf8(bytes).map_err(|error| {
            let behind = bytes.len() - error.valid_up_to();
            JsonError { offset: self.offset() - behind as u64, ..self.error(Fault::Utf8) }
        })
    }

    fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    fn error(&self, fault: Fault) -> JsonError {
        let offset = self.token.as_ref().map_or(self.offset(), Token::start);
        let location = match self.state {
            State::Colon | State::Value | State::AfterMember => Some(JsonLocation::Member(self.key.clone())),
            State::FirstElement | State::Element | State::AfterElement => {
                Some(JsonLocation::Element { array: self.array, index: self.index })
            }
            State::Start | State::FirstKey | State::Key | State::End => None,
        };
        JsonError { fault, offset, location }
    }
}

fn misplaced(state: State, byte: u8) -> Fault {
    match state {
        // 0xEF is the first byte of the byte order mark in UTF-8.
        State::Start if byte == 0xEF => Fault::Bom,
        State::Start => Fault::TopLevel,
        State::FirstKey => Fault::Expected("a key in double quotes or `}`"),
        State::Key => Fault::Expected("a key in double quotes"),
        State::Colon => Fault::Expected("`:`"),
        State::AfterMember => Fault::Expected("`,` or `}`"),
        State::AfterElement => Fault::Expected("`,` or `]`"),
        State::Value | State::FirstElement | State::Element => Fault::Expected("a value"),
        State::End => Fault::Trailing,
    }
}

#[cfg(test)]
mod tests;
