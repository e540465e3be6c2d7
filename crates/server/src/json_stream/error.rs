//! Why a body is refused, in words for the client.

use std::fmt;

use super::{MAX_KEYS, Streamed, lookalike};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) struct JsonError {
    pub fault: Fault,
    /// The byte of the body at which the fault, or the key or value at fault, begins.
    pub offset: u64,
    pub place: Option<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("the body must be one JSON object")]
    TopLevel,
    /// Something else, with what to do about it.
    #[error("the body looks like {0}")]
    LooksLike(&'static str),
    #[error("the body must not begin with a byte order mark")]
    Bom,
    #[error("expected {0}")]
    Expected(&'static str),
    #[error("the key is not a valid JSON string")]
    Key,
    #[error("the key `{0}` appears twice")]
    DuplicateKey(String),
    #[error("the object has more than {MAX_KEYS} keys")]
    TooManyKeys,
    #[error("this is larger than {most} bytes")]
    TooLarge { most: usize },
    #[error("this is not valid UTF-8")]
    Utf8,
    #[error("nothing but white space may follow the object")]
    Trailing,
    #[error("the body ends before its JSON does")]
    Truncated,
}

impl JsonError {
    /// Of a body that its content type calls JSON: names what it is instead. `chunk` is the one that was refused.
    pub(crate) fn of_body(self, chunk: &[u8]) -> JsonError {
        match self.fault {
            Fault::TopLevel => JsonError { fault: lookalike::of(chunk).unwrap_or(Fault::TopLevel), ..self },
            _ => self,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Member(String),
    Element { array: Streamed, index: usize },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Member(key) => f.write_str(key),
            Place::Element { array, index } => write!(f, "{}[{index}]", array.key()),
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{} (at byte {})", self.fault, self.offset)
    }
}
