//! Cleans up user text, and formats section names and times.

use model::Timestamp;

/// One line, trimmed, without the characters that HTML and XML forbid.
pub(crate) fn tidy(text: &mut String) {
    if !is_tidy(text) {
        *text = tidy_copy(text);
    }
}

/// The cleaned text, if it is not empty.
pub(crate) fn tidied(mut text: String) -> Option<String> {
    tidy(&mut text);
    (!text.is_empty()).then_some(text)
}

fn is_tidy(text: &str) -> bool {
    let mut after_space = true;
    for char in text.chars() {
        if is_gap(char) && (char != ' ' || after_space) {
            return false;
        }
        after_space = char == ' ';
    }
    text.is_empty() || !after_space
}

fn tidy_copy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    for word in text.split(is_gap).filter(|word| !word.is_empty()) {
        if !tidy.is_empty() {
            tidy.push(' ');
        }
        tidy.push_str(word);
    }
    tidy
}

/// White space that may break a line, control characters, and code points that are not characters.
fn is_gap(char: char) -> bool {
    matches!(char, ' ' | '\u{2028}' | '\u{2029}' | '\u{fdd0}'..='\u{fdef}')
        || char.is_control()
        || u32::from(char) & 0xfffe == 0xfffe
}

/// Abbreviations that are written in capitals.
const INITIALS: [&str; 12] =
    ["api", "cli", "css", "faq", "html", "http", "json", "sdk", "sql", "ui", "url", "xml"];

/// `getting-started` → `Getting started`, `rest-api` → `Rest API`: the name of a section without a section page.
pub(crate) fn humanise(section: &str) -> String {
    let word = |word: &str| if INITIALS.contains(&word) { word.to_uppercase() } else { word.to_owned() };
    let words: Vec<String> = section.trim_matches('-').split('-').map(word).collect();
    let words = words.join(" ");
    let mut chars = words.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => section.to_owned(),
    }
}

/// A calendar day, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Day {
    pub year: u16,
    pub month: u8,
    pub day: u8,
}

impl Day {
    pub fn of(time: Timestamp) -> Day {
        let text = time.text();
        let digits = text.as_str().as_bytes();
        let number = |digits: &[u8]| digits.iter().fold(0, |n: u16, digit| n * 10 + u16::from(digit - b'0'));
        Day {
            year: number(&digits[0..4]),
            month: number(&digits[5..7]) as u8,
            day: number(&digits[8..10]) as u8,
        }
    }

    /// `2026-10-02`
    pub fn iso(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// 0 for January.
    pub fn month_index(self) -> usize {
        usize::from(self.month) - 1
    }
}

/// `Fri, 02 Oct 2026 08:30:00 GMT`: the time format of RSS (RFC 822, with a four-digit year).
pub(crate) fn rfc822(time: Timestamp) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    // 1970-01-01 was a Thursday.
    let weekday = time.micros().div_euclid(86_400_000_000).rem_euclid(7) as usize;
    let day = Day::of(time);
    let clock = &time.text().as_str()[11..19].to_owned();
    format!("{}, {:02} {} {:04} {clock} GMT", DAYS[weekday], day.day, MONTHS[day.month_index()], day.year)
}

/// Escapes text for HTML, in an element or a quoted attribute.
pub(crate) fn escape(text: &str) -> String {
    replace_ascii(text, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'"' => Some("&quot;"),
        _ => None,
    })
}

/// JSON that is safe inside `<script>`: nothing in it can end the element.
pub(crate) fn script_json(json: &serde_json::Value) -> String {
    replace_ascii(&json.to_string(), |byte| match byte {
        b'<' => Some("\\u003c"),
        b'>' => Some("\\u003e"),
        b'&' => Some("\\u0026"),
        _ => None,
    })
}

/// Replaces characters of ASCII, and copies what is between them.
fn replace_ascii(text: &str, replacement: impl Fn(u8) -> Option<&'static str>) -> String {
    let (mut replaced, mut copied) = (String::with_capacity(text.len() + text.len() / 8), 0);
    for (at, byte) in text.bytes().enumerate() {
        if let Some(other) = replacement(byte) {
            replaced.push_str(&text[copied..at]);
            replaced.push_str(other);
            copied = at + 1;
        }
    }
    replaced.push_str(&text[copied..]);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_one_line_without_forbidden_characters() {
        let check = |text: &str, expected: &str| {
            let mut tidy_text = text.to_owned();
            tidy(&mut tidy_text);
            assert_eq!(tidy_text, expected, "{text:?}");
            assert!(is_tidy(&tidy_text), "{text:?}");
        };
        check("", "");
        check("Plain title", "Plain title");
        check("  two\n lines\t ", "two lines");
        check("a\u{1}b\u{7f}c\u{85}d", "a b c d");
        check("\u{ffff}\u{1fffe}", "");
        check("x\u{2028}y", "x y");
        check("שלום 🚀 é", "שלום 🚀 é");
    }

    #[test]
    fn a_section_has_a_name() {
        let check = |section: &str, expected: &str| assert_eq!(humanise(section), expected);
        check("getting-started", "Getting started");
        check("api", "API");
        check("rest-api", "Rest API");
        check("2026", "2026");
        check("-a-", "A");
        check("-", "-");
    }

    #[test]
    fn times_are_written_for_machines() {
        let time = Timestamp::parse_iso("2026-10-02T08:30:00Z").unwrap();
        let day = Day::of(time);
        assert_eq!(day.iso(), "2026-10-02");
        assert_eq!(rfc822(time), "Fri, 02 Oct 2026 08:30:00 GMT");
        assert_eq!(rfc822(Timestamp::from_micros(-1)), "Wed, 31 Dec 1969 23:59:59 GMT");
    }

    #[test]
    fn json_cannot_end_its_script() {
        let json = serde_json::json!("</script><!-- & é\"");
        assert_eq!(script_json(&json), r#""\u003c/script\u003e\u003c!-- \u0026 é\"""#);
    }
}
