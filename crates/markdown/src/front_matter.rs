//! Front matter: metadata at the beginning of a text, which is not shown.
//!
//! It is enclosed in two lines `---` (YAML) or `+++` (TOML), the first of which is the first line of the text. A text
//! may also begin with a thematic break, so the content must look like front matter: see [`is_yaml`] and [`is_toml`].

use std::borrow::Cow;

/// The text with its front matter replaced by empty lines, so that line numbers stay the same.
pub(crate) fn blanked(text: &str) -> Cow<'_, str> {
    match len(text) {
        0 => Cow::Borrowed(text),
        len => Cow::Owned("\n".repeat(text[..len].matches('\n').count()) + &text[len..]),
    }
}

/// The front matter, including its delimiters, and the rest of the text.
pub fn split_front_matter(text: &str) -> (&str, &str) {
    text.split_at(len(text))
}

/// Length of the front matter in bytes, including its delimiters.
pub(crate) fn len(text: &str) -> usize {
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut lines = text[start..].split_inclusive('\n');
    let Some(first) = lines.next() else { return 0 };
    let looks_right: fn(&str) -> bool = match first.trim_ascii_end() {
        "---" => is_yaml,
        "+++" => is_toml,
        _ => return 0,
    };
    let inside = start + first.len();
    let mut end = inside;
    for line in lines {
        if line.trim_ascii_end() == first.trim_ascii_end() {
            return if looks_right(&text[inside..end]) { end + line.len() } else { 0 };
        }
        end += line.len();
    }
    0
}

/// Whether there is a `key:` or `key: value`, and no line begins with anything else except comments, list items and
/// closing brackets.
fn is_yaml(text: &str) -> bool {
    let is_key = |line: &str| {
        line.split_once(':')
            .is_some_and(|(key, value)| is_name(key) && (value.is_empty() || value.starts_with([' ', '\t'])))
    };
    let goes_on = |line: &str| {
        line.is_empty()
            || line.starts_with([' ', '\t', '#', ']', '}'])
            || line == "-"
            || line.starts_with("- ")
    };
    let mut lines = text.lines().map(str::trim_ascii_end);
    text.lines().any(|line| is_key(line.trim_ascii_end())) && lines.all(|line| is_key(line) || goes_on(line))
}

/// Whether it begins, ignoring comments, with `key = value` or `[table]`.
fn is_toml(text: &str) -> bool {
    let mut lines =
        text.lines().map(str::trim_ascii).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(|line| {
        line.starts_with('[') || line.split_once('=').is_some_and(|(key, _)| is_name(key.trim_ascii_end()))
    })
}

/// One word, with or without quotes.
fn is_name(key: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "_-.".contains(char);
    let key = key.trim_matches(['"', '\'']);
    !key.is_empty() && key.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(front_matter: &str) {
        for text in [format!("{front_matter}Text"), front_matter.to_owned() + "---\na: b\n---\n"] {
            assert_eq!(len(&text), front_matter.len(), "{text}");
            let (blanked, rest) = (blanked(&text), &text[front_matter.len()..]);
            assert_eq!(blanked.trim_start_matches('\n'), rest);
            assert_eq!(blanked.lines().count(), text.lines().count());
        }
    }

    #[test]
    fn front_matter_stands_between_two_lines() {
        check("---\ntitle: A title\n---\n");
        check("\u{feff}--- \r\ntitle: A title\r\n---\t\r\n");
        check("---\n# a comment\n\ntags:\n- a\n-\n  - b\n\"a-key\": 1\n---\n");
        check("---\ndescription: >\n  Some text: and\n\n  more.\nlist: [\n  a\n]\n---\n");
        check("+++\n# a comment\n\ntitle = \"A title\"\ntext = \"\"\"\nanything\n\"\"\"\n[params]\n+++\n");
        check("+++\n[params]\na = 1\n+++\n");
        assert_eq!(len("---\na: b\n---"), "---\na: b\n---".len());
    }

    #[test]
    fn anything_else_is_part_of_the_text() {
        for text in [
            "",
            "---",
            "---\n---\n",
            "---\na: b\n",
            "---\na: b\n----\n",
            "---\na: b\n+++\n",
            "\n---\na: b\n---\n",
            " ---\na: b\n---\n",
            "Text\n---\na: b\n---\n",
            "---\nA paragraph: of text\n---\n",
            "---\na: b\nA paragraph\n---\n",
            "---\nhttps://example.com\n---\n",
            "---\n# A heading\n---\n",
            "---\n- a list\n---\n",
            "+++\nA paragraph\n+++\n",
            "+++\na: b\n+++\n",
        ] {
            assert_eq!(len(text), 0, "{text}");
            assert_eq!(blanked(text), text);
        }
    }
}
