//! The name of a site: the first label of its host name.

use crate::slug::{check_label, slugify};
use crate::text::check_length;
use crate::{Checked, limits};

/// Lower-case letters, digits and hyphens, with a letter or digit at both ends; 1 to 63 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteName(String);

impl SiteName {
    pub fn parse(text: &str) -> Checked<SiteName> {
        check_length("site name", text, limits::SITE_NAME_CHARS)?;
        check_label("site name", text)?;
        Ok(SiteName(text.to_owned()))
    }

    /// The name of an account's first site: the slug of the account's name, or `site` if that is empty.
    pub fn from_account_name(name: &str) -> SiteName {
        match slugify(name, limits::SITE_NAME_CHARS) {
            name if name.is_empty() => SiteName("site".to_owned()),
            name => SiteName(name),
        }
    }

    /// `name-2`: the next candidate if a name is in use.
    pub fn numbered(&self, n: u32) -> SiteName {
        let suffix = format!("-{n}");
        let limit = limits::SITE_NAME_CHARS - suffix.len();
        let base = self.0.get(..limit).unwrap_or(&self.0);
        SiteName(format!("{}{suffix}", base.trim_end_matches('-')))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_site_name_is_a_host_label() {
        let check = |text: &str| assert_eq!(SiteName::parse(text).map(|name| name.0), Ok(text.to_owned()));
        check("a");
        check("my-site-2");
        check(&"a".repeat(63));
    }

    #[test]
    fn anything_else_is_not_a_site_name() {
        let check = |text: &str, expected: &str| assert_eq!(SiteName::parse(text), Err(expected.into()));
        let characters = "site name may contain only lowercase letters, digits and hyphens, \
                          and must start and end with a letter or digit";
        for text in ["", "-a", "a-", "A", "a.b", "a_b", "é"] {
            check(text, characters);
        }
        check(&"a".repeat(64), "site name must be at most 63 characters, got 64");
    }

    #[test]
    fn an_account_name_gives_a_site_name() {
        let check = |name: &str, expected: &str| assert_eq!(SiteName::from_account_name(name).0, expected);
        check("Acme, Inc.", "acme-inc");
        check("Привет мир", "privet-mir");
        check("!!!", "site");
        check(&"a".repeat(80), &"a".repeat(63));
        check(&format!("{} b", "a".repeat(62)), &"a".repeat(62));
    }

    #[test]
    fn a_number_is_appended_within_63_characters() {
        let check = |name: &str, n, expected: &str| {
            assert_eq!(SiteName::parse(name).unwrap().numbered(n).0, expected)
        };
        check("acme", 2, "acme-2");
        check(&"a".repeat(61), 2, &format!("{}-2", "a".repeat(61)));
        check(&"a".repeat(63), 10, &format!("{}-10", "a".repeat(60)));
        check(&format!("{}-bc", "a".repeat(60)), 2, &format!("{}-2", "a".repeat(60)));
    }

    proptest! {
        #[test]
        fn every_generated_name_is_a_site_name(name in any::<String>(), n in any::<u32>()) {
            let name = SiteName::from_account_name(&name);
            let numbered = name.numbered(n);
            prop_assert_eq!(SiteName::parse(name.as_str()), Ok(name));
            prop_assert_eq!(SiteName::parse(numbered.as_str()), Ok(numbered));
        }
    }
}
