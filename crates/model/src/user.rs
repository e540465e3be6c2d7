//! People who use the dashboard: their email, their password, their role in an account.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::check_length;
use crate::{Checked, limits};

/// The name a person signs in with, in lower case. Recto sends no mail, so only the form is checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Email(String);

impl Email {
    pub fn parse(text: &str) -> Checked<Email> {
        let text = text.trim();
        check_length("email", text, limits::EMAIL_CHARS)?;
        let is_plain =
            |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control());
        match text.split_once('@') {
            Some((name, host)) if is_plain(name) && is_plain(host) && !host.contains('@') => {
                Ok(Email(text.to_lowercase()))
            }
            _ => Err("email must look like ada@example.com".to_owned()),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A new password.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    pub fn parse(text: &str) -> Checked<Password> {
        if text.chars().count() < limits::PASSWORD_MIN_CHARS {
            return Err(format!("password must have at least {} characters", limits::PASSWORD_MIN_CHARS));
        }
        if text.len() > limits::PASSWORD_BYTES {
            return Err(format!("password must have at most {} bytes", limits::PASSWORD_BYTES));
        }
        Ok(Password(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Does not show the password, so that it cannot end up in a log.
impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// What a member of an account may do. A writer manages pages, media and builds; an owner everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Owner,
    Writer,
}

impl Role {
    pub const ALL: [Role; 2] = [Role::Owner, Role::Writer];

    pub fn as_str(self) -> &'static str {
        match self {
            Role::Owner => "owner",
            Role::Writer => "writer",
        }
    }

    pub fn parse(text: &str) -> Option<Role> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_has_a_name_and_a_host_and_is_kept_in_lower_case() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(Email::parse(text).ok().as_ref().map(Email::as_str), expected, "{text}");
        };
        check(" Ada@Example.COM ", Some("ada@example.com"));
        check("owner@localhost", Some("owner@localhost"));
        for wrong in ["", "ada", "@example.com", "ada@", "a@b@c", "a b@c", "a@b\0c"] {
            check(wrong, None);
        }
        check(&format!("{}@b", "a".repeat(252)), Some(&format!("{}@b", "a".repeat(252))));
        check(&format!("{}@b", "a".repeat(253)), None);
    }

    #[test]
    fn a_password_is_neither_short_nor_endless_and_is_not_shown() {
        assert!(Password::parse(&"é".repeat(9)).is_err());
        assert!(Password::parse(&"é".repeat(10)).is_ok());
        assert!(Password::parse(&"a".repeat(1000)).is_ok());
        assert!(Password::parse(&"a".repeat(1001)).is_err());
        assert_eq!(format!("{:?}", Password::parse("0123456789").unwrap()), "Password(…)");
    }

    #[test]
    fn every_role_parses_back() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
        assert_eq!(Role::parse("Owner"), None);
    }
}
