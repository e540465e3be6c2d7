//! The last segment of a page's URL.

use deunicode::deunicode;

use crate::text::check_length;
use crate::{Checked, limits};

/// Lower-case letters, digits and hyphens, with a letter or digit at both ends; 1 to 100 characters.
///
/// Stricter than the specification on purpose: a slug is part of a path, and cannot express `..` or `/`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

impl Slug {
    pub fn parse(text: &str) -> Checked<Slug> {
        check_length("slug", text, limits::SLUG_CHARS)?;
        check_label("slug", text)?;
        Ok(Slug(text.to_owned()))
    }

    /// The slug for a title, if it has any letters or digits.
    pub fn from_title(title: &str) -> Option<Slug> {
        let slug = slugify(title, limits::SLUG_CHARS);
        (!slug.is_empty()).then_some(Slug(slug))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Rejects anything but `a-z 0-9 -` with a letter or digit at both ends.
pub(crate) fn check_label(field: &str, text: &str) -> Checked<()> {
    let hyphen_at_an_end = text.starts_with('-') || text.ends_with('-');
    if text.is_empty() || hyphen_at_an_end || !text.bytes().all(is_label_byte) {
        return Err(format!(
            "{field} may contain only lowercase letters, digits and hyphens, \
             and must start and end with a letter or digit"
        ));
    }
    Ok(())
}

pub(crate) fn is_label_byte(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')
}

/// At most `limit` of `a-z 0-9 -`, without hyphens at the ends; may be empty.
///
/// Published URLs depend on it: its result for a text must never change.
pub(crate) fn slugify(text: &str, limit: usize) -> String {
    let mut slug = String::new();
    // Transliteration writes `’`, and the soft sign of Slavic scripts, as `'`.
    for byte in deunicode(text).bytes().filter(|&byte| byte != b'\'') {
        match byte.to_ascii_lowercase() {
            byte if byte.is_ascii_alphanumeric() => slug.push(char::from(byte)),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(limit);
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_slug_is_letters_digits_and_hyphens() {
        let check = |text: &str| assert_eq!(Slug::parse(text).map(|slug| slug.0), Ok(text.to_owned()));
        check("a");
        check("2026");
        check("hello-world");
        check("a--b");
        check(&"a".repeat(100));
    }

    #[test]
    fn anything_else_is_not_a_slug() {
        let check =
            |text: &str, expected: &str| assert_eq!(Slug::parse(text), Err(expected.into()), "{text}");
        let characters = "slug may contain only lowercase letters, digits and hyphens, \
                          and must start and end with a letter or digit";
        for text in ["", "-", "-a", "a-", "Hello", "a b", "a/b", "..", "a_b", "é", "a\0", "a\n"] {
            check(text, characters);
        }
        check(&"a".repeat(132), "slug must be at most 100 characters, got 132");
        check(&"é".repeat(101), "slug must be at most 100 characters, got 101");
    }

    /// Must not change: an update of the transliteration that changes a line here would move published pages.
    #[test]
    fn a_title_of_any_script_gives_its_slug() {
        let check = |title: &str, expected: &str| {
            assert_eq!(Slug::from_title(title).map(|slug| slug.0).unwrap_or_default(), expected, "{title}");
        };
        check("Hello, World!", "hello-world");
        check("  --Release 1.0 & more…  ", "release-1-0-more");
        check("Don't panic, it’s fine", "dont-panic-its-fine");
        check("Привет мир", "privet-mir");
        check("Съешь ещё этих булок", "sesh-eshchio-etikh-bulok");
        check("Об’єднані їжаки", "obiednani-yizhaki");
        check("Crème brûlée à la façon d’Élise", "creme-brulee-a-la-facon-delise");
        check("Größe & Übermaß", "grosse-ubermass");
        check("Zażółć gęślą jaźń", "zazolc-gesla-jazn");
        check("Türkiye’de İlk Işık", "turkiyede-ilk-isik");
        check("Tiếng Việt dễ lắm", "tieng-viet-de-lam");
        check("Ελληνική γλώσσα", "ellenike-glossa");
        check("שלום עולם", "shlvm-vlm");
        check("مرحبا بالعالم", "mrhb-bl-lm");
        check("नमस्ते दुनिया", "nmste-duniyaa");
        check("สวัสดีชาวโลก", "swasdiichaawolk");
        check("你好，世界", "ni-hao-shi-jie");
        check("こんにちは カタカナ", "konnitiha-katakana");
        check("안녕하세요 세계", "annyeonghaseyo-segye");
        check("Հայերեն", "hayeren");
        check("ქართული ენა", "k-art-uli-ena");
        check("አማርኛ", "amaarenyaa");
        check("50 € for ½ the price", "50-eur-for-1-2-the-price");
        check("Launch 🚀 day 🎉", "launch-rocket-day-tada");
        check("ﬁne Ⅳ №5", "fine-iv-no5");
        check("Æther ø þorn ŋ", "aether-o-thorn-ng");
    }

    #[test]
    fn a_title_without_letters_or_digits_gives_none() {
        for title in ["", " ", "---", "!?", "''", "\0"] {
            assert_eq!(Slug::from_title(title), None, "{title}");
        }
    }

    #[test]
    fn truncation_leaves_no_hyphen_at_the_end() {
        let title = format!("{} tail", "a".repeat(99));
        assert_eq!(Slug::from_title(&title).unwrap().as_str(), "a".repeat(99));
        assert_eq!(Slug::from_title(&"b".repeat(300)).unwrap().as_str(), "b".repeat(100));
    }

    proptest! {
        #[test]
        fn the_slug_of_any_title_is_a_slug(title in any::<String>()) {
            let slug = Slug::from_title(&title);
            // Some titles have no slug; proptest fails if it rejects too many.
            prop_assume!(slug.is_some());
            prop_assert_eq!(Slug::parse(slug.as_ref().unwrap().as_str()).ok(), slug);
        }

        #[test]
        fn a_slug_without_doubled_hyphens_is_its_own_slug(text in "[a-z0-9]{1,30}(-[a-z0-9]{1,30}){0,2}") {
            prop_assert_eq!(Slug::from_title(&text), Slug::parse(&text).ok());
        }
    }
}
