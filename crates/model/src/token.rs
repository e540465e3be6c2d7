//! API tokens: the client's secret, and its hash, which is all that is stored.

use std::fmt;

use crate::sha256;

const PREFIX: &str = "rec_";
/// 256 random bits cannot be guessed, so a fast hash without salt is enough.
const RANDOM_BYTES: usize = 32;

/// `rec_` and 64 hexadecimal digits. Hexadecimal, because a double click then selects all of it.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret(String);

impl TokenSecret {
    pub fn generate() -> Result<TokenSecret, getrandom::Error> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes)?;
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        Ok(TokenSecret(std::iter::once(PREFIX.to_owned()).chain(digits).collect()))
    }

    /// Checks only the form; the store knows which tokens exist.
    pub fn parse(text: &str) -> Option<TokenSecret> {
        let digits = text.strip_prefix(PREFIX)?;
        let is_hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (is_hex && digits.len() == 2 * RANDOM_BYTES).then(|| TokenSecret(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash of the whole text, including the prefix.
    pub fn hash(&self) -> TokenHash {
        TokenHash(sha256(&self.0))
    }
}

/// Does not show the secret, so that it cannot end up in a log.
impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSecret(rec_…)")
    }
}

/// The SHA-256 of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenHash(pub [u8; 32]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_token_parses_back() {
        let secret = TokenSecret::generate().unwrap();
        assert_eq!(TokenSecret::parse(secret.as_str()), Some(secret.clone()));
        assert_ne!(TokenSecret::generate().unwrap(), secret);
    }

    #[test]
    fn only_texts_in_the_form_of_a_token_are_tokens() {
        let check = |text: String| assert_eq!(TokenSecret::parse(&text), None, "{text}");
        let digits = "0123456789abcdef".repeat(4);
        assert!(TokenSecret::parse(&format!("rec_{digits}")).is_some());
        check(String::new());
        check("rec_".into());
        check(digits.clone());
        check(format!("rec_{digits}0"));
        check(format!("rec_{}", &digits[1..]));
        check(format!("REC_{digits}"));
        check(format!("rec_{}", digits.to_uppercase()));
        check(format!("rec_{}", "é".repeat(32)));
        check(format!(" rec_{digits}"));
    }

    #[test]
    fn the_hash_is_the_sha_256_of_the_whole_text() {
        let secret = TokenSecret::parse(&format!("rec_{}", "0".repeat(64))).unwrap();
        let hex: String = secret.hash().0.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "3b96911720b75196d15fcdc2c78e56b7b63129993aa13764712c5ace0184cef5");
    }

    #[test]
    fn debugging_does_not_show_the_secret() {
        let secret = TokenSecret::generate().unwrap();
        assert_eq!(format!("{secret:?}"), "TokenSecret(rec_…)");
    }
}
