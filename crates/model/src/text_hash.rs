//! A hash of a long text, to compare it with the stored one without reading that.

use sha256::{sha256, sha256_each};

/// The SHA-256 of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextHash(pub [u8; 32]);

impl TextHash {
    pub fn of(text: &str) -> TextHash {
        TextHash(sha256(text))
    }

    /// The hash of each of these texts, on many processors several times faster than one after the other.
    pub fn of_each(texts: &[impl AsRef<str>]) -> Vec<TextHash> {
        sha256_each(&texts.iter().map(AsRef::as_ref).collect::<Vec<_>>()).into_iter().map(TextHash).collect()
    }
}
