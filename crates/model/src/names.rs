//! The names of accounts, tokens and passkeys.

use crate::text::check_length;
use crate::{Checked, limits};

/// One line of text, trimmed, 1 to 200 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountName(String);

impl AccountName {
    pub fn parse(text: &str) -> Checked<AccountName> {
        match line("account name", text, limits::ACCOUNT_NAME_CHARS)? {
            "" => Err("account name must not be empty".to_owned()),
            name => Ok(AccountName(name.to_owned())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One line of text, trimmed, at most 100 characters; may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenName(String);

impl TokenName {
    pub fn parse(text: &str) -> Checked<TokenName> {
        let name = line("token name", text, limits::TOKEN_NAME_CHARS)?;
        Ok(TokenName(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One line of text, trimmed, 1 to 100 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasskeyName(String);

impl PasskeyName {
    pub fn parse(text: &str) -> Checked<PasskeyName> {
        match line("passkey name", text, limits::PASSKEY_NAME_CHARS)? {
            "" => Err("passkey name must not be empty".to_owned()),
            name => Ok(PasskeyName(name.to_owned())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The trimmed text, if it is printable on one line.
fn line<'t>(field: &str, text: &'t str, limit: usize) -> Checked<&'t str> {
    let text = text.trim();
    check_length(field, text, limit)?;
    if text.contains(char::is_control) {
        return Err(format!("{field} must not contain control characters"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_a_name_on_one_line() {
        let check = |text: &str, expected: Result<&str, &str>| {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(AccountName::parse(text).map(|name| name.0), expected);
        };
        check(" Acme, Inc. ", Ok("Acme, Inc."));
        check(&"é".repeat(200), Ok(&"é".repeat(200)));
        check(&"é".repeat(201), Err("account name must be at most 200 characters, got 201"));
        check(" \n", Err("account name must not be empty"));
        check("a\nb", Err("account name must not contain control characters"));
        check("a\u{1b}[31m", Err("account name must not contain control characters"));
    }

    #[test]
    fn a_token_may_have_a_name_on_one_line() {
        let check = |text: &str, expected: Result<&str, &str>| {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(TokenName::parse(text).map(|name| name.0), expected);
        };
        check(" CI ", Ok("CI"));
        check("", Ok(""));
        check(&"a".repeat(101), Err("token name must be at most 100 characters, got 101"));
        check("a\0b", Err("token name must not contain control characters"));
    }
}
