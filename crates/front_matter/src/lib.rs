//! Reads a Markdown file: its front matter (YAML or TOML) as the fields of a page, and the text below it. Writes one, too.
//! Pure functions, bounded in time and memory.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod fields;
mod parse;
mod write;

pub use fields::Fields;
pub use parse::{large_yaml, toml, yaml};
pub use write::write;

/// More than any page that the API accepts has: its params have at most 100,000 characters.
const MAX_BYTES: usize = 256 << 10;

/// A Markdown file, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document<'t> {
    pub fields: Fields,
    /// The text below the front matter, without the empty lines between them.
    pub body: &'t str,
    /// The number of the line in the file on which the body begins, from 1.
    pub body_line: usize,
}

/// Why front matter cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The number of the line in the file, from 1.
    pub line: usize,
    pub message: String,
}

impl std::fmt::Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Invalid {}

/// Front matter stands between two lines `---` (YAML) or `+++` (TOML), the first of which is the first line. A text may
/// also begin with a thematic break: what is between the lines must be a mapping.
pub fn read(text: &str) -> Result<Document<'_>, Invalid> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(Parts { format, inside, body }) = split(text)? else {
        return Ok(Document { fields: Fields::default(), body: text, body_line: 1 });
    };
    if inside.len() > MAX_BYTES {
        let message = format!("the front matter has more than {} KB", MAX_BYTES >> 10);
        return Err(Invalid { line: 1, message });
    }
    let fields = match parse::parse(format, inside) {
        Ok(Some(fields)) => fields,
        // No mapping: a text between two thematic breaks.
        Ok(None) => return Ok(Document { fields: Fields::default(), body: text, body_line: 1 }),
        Err(invalid) if format == Format::Toml || inside.lines().any(looks_like_key) => return Err(invalid),
        Err(_) => return Ok(Document { fields: Fields::default(), body: text, body_line: 1 }),
    };
    let below = body.trim_start_matches(['\n', '\r']);
    let body_line = text[..text.len() - below.len()].matches('\n').count() + 1;
    Ok(Document { fields, body: below, body_line })
}

/// The number of the line on which the front matter of a file gives a field, by the API's name of it; 1 if it does not.
pub fn line_of(text: &str, field: &str) -> usize {
    let names =
        |line: &str| line.split_once([':', '=']).is_some_and(|(key, _)| parse::is_named(key.trim(), field));
    let Ok(Document { body_line, .. }) = read(text) else { return 1 };
    text.lines().take(body_line - 1).position(names).map_or(1, |line| line + 1)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Yaml,
    Toml,
}

struct Parts<'t> {
    format: Format,
    inside: &'t str,
    body: &'t str,
}

fn split(text: &str) -> Result<Option<Parts<'_>>, Invalid> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let format = match first.trim_ascii_end() {
        "---" => Format::Yaml,
        "+++" => Format::Toml,
        _ => return Ok(None),
    };
    let start = first.len();
    let mut end = start;
    for line in lines {
        if line.trim_ascii_end() == first.trim_ascii_end() {
            return Ok(Some(Parts { format, inside: &text[start..end], body: &text[end + line.len()..] }));
        }
        end += line.len();
    }
    let second = text[start..].lines().next().unwrap_or_default();
    let is_open = format == Format::Toml || looks_like_key(second);
    let message = || format!("the front matter has no end: a line {} is missing", first.trim_ascii_end());
    if is_open { Err(Invalid { line: 1, message: message() }) } else { Ok(None) }
}

/// `key:` or `key: value`
fn looks_like_key(line: &str) -> bool {
    line.split_once(':').is_some_and(|(key, value)| {
        let is_part = |char: char| char.is_alphanumeric() || "_-.\"'".contains(char);
        !key.is_empty()
            && key.chars().all(is_part)
            && (value.is_empty() || value.starts_with(char::is_whitespace))
    })
}

#[cfg(test)]
mod tests;
