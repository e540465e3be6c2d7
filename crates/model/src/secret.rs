//! The secret of a session or of a one-time link. Like a token, only its hash is stored.

use std::fmt;

use crate::{TokenHash, sha256};

/// 256 random bits cannot be guessed, so a fast hash without salt is enough.
const RANDOM_BYTES: usize = 32;

/// 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn generate() -> Result<Secret, getrandom::Error> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Secret(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Checks only the form; the store knows which secrets exist.
    pub fn parse(text: &str) -> Option<Secret> {
        let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (is_hex && text.len() == 2 * RANDOM_BYTES).then(|| Secret(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> TokenHash {
        TokenHash(sha256(&self.0))
    }
}

/// Does not show the secret, so that it cannot end up in a log.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_secret_parses_back_and_is_not_shown() {
        let secret = Secret::generate().unwrap();
        assert_eq!(Secret::parse(secret.as_str()), Some(secret.clone()));
        assert_ne!(Secret::generate().unwrap(), secret);
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn only_64_digits_are_a_secret() {
        for text in ["", "0", &"0".repeat(63), &"0".repeat(65), &"A".repeat(64), &"é".repeat(32)] {
            assert_eq!(Secret::parse(text), None, "{text}");
        }
    }
}
