//! A hash of a long text, to compare it with the stored one without reading that.

use crate::sha256;

/// The SHA-256 of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextHash(pub [u8; 32]);

impl TextHash {
    pub fn of(text: &str) -> TextHash {
        TextHash(sha256(text))
    }
}
