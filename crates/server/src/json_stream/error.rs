//! Why a JSON body is refused; the messages are for the developer of the client.

use std::fmt;

use super::{MAX_KEYS, Streamed, lookalike};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) struct JsonError {
    pub fault: Fault,
    /// The offset in the body of the fault, or of the key or value with the fault.
    pub offset: u64,
    pub location: Option<JsonLocation>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("the body must be one JSON object")]
    TopLevel,
    /// The body is in another format; the text also says how to fix that.
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
    /// For a body with the content type JSON: names the actual format if it is recognised. `chunk` is the chunk with the
    /// error.
    pub(crate) fn with_detected_format(self, chunk: &[u8]) -> JsonError {
        match self.fault {
            Fault::TopLevel => JsonError { fault: lookalike::of(chunk).unwrap_or(Fault::TopLevel), ..self },
            _ => self,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JsonLocation {
    Member(String),
    Element { array: Streamed, index: usize },
}

impl fmt::Display for JsonLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonLocation::Member(key) => f.write_str(key),
            JsonLocation::Element { array, index } => write!(f, "{}[{index}]", array.key()),
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        write!(f, "{} (at byte {})", self.fault, self.offset)
    }
}
