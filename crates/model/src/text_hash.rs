//! A hash of a long text, to compare it with the stored one without reading that.

use sha2::{Digest, Sha256};

/// The SHA-256 of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextHash(pub [u8; 32]);

impl TextHash {
    pub fn of(text: &str) -> TextHash {
        TextHash(Sha256::digest(text.as_bytes()).into())
    }
}
