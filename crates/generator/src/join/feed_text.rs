//! The text of a page in a feed.

use std::fmt::Write;

use super::next_placeholder;

/// In a feed, `\0<PATH ORIGIN\0` and `\0"PATH ORIGIN\0` are replaced by the text of the page at `PATH`, as text of XML or
/// inside a JSON string.
pub(super) struct FeedText<'j> {
    path: &'j str,
    origin: &'j str,
    format: Format,
}

#[derive(Clone, Copy)]
enum Format {
    Xml,
    Json,
}

impl<'j> FeedText<'j> {
    /// `None` for another placeholder.
    pub fn read(words: &'j [u8]) -> Option<FeedText<'j>> {
        let (format, words) = match words.split_first()? {
            (b'<', words) => (Format::Xml, words),
            (b'"', words) => (Format::Json, words),
            _ => return None,
        };
        let (path, origin) = std::str::from_utf8(words).ok()?.split_once(' ')?;
        Some(FeedText { path, origin, format })
    }

    pub fn put<B: AsRef<[u8]>>(
        &self,
        fragment: &mut dyn FnMut(&str) -> Option<B>,
        joined: &mut Vec<u8>,
    ) -> Option<()> {
        let page = fragment(self.path)?;
        let text = std::str::from_utf8(text_of(page.as_ref())?).ok()?;
        let text = markdown::for_feed(text, self.origin, self.path);
        joined.extend_from_slice(
            match self.format {
                Format::Xml => xml(&text),
                Format::Json => json(&text),
            }
            .as_bytes(),
        );
        Some(())
    }
}

/// What stands between the first two empty placeholders of a page.
fn text_of(page: &[u8]) -> Option<&[u8]> {
    let mut rest = page;
    loop {
        let (_, words, after) = next_placeholder(rest)?;
        rest = after;
        if words.is_empty() {
            return memchr::memmem::find(rest, b"\0\0").map(|end| &rest[..end]);
        }
    }
}

/// Without the characters that XML forbids.
fn xml(text: &str) -> String {
    let mut xml = String::with_capacity(text.len() * 5 / 4);
    for char in text.chars() {
        match char {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '\t' | '\n' | '\r' => xml.push(char),
            '\u{fffe}' | '\u{ffff}' => {}
            _ if char < ' ' => {}
            _ => xml.push(char),
        }
    }
    xml
}

/// Without the quotes around it.
fn json(text: &str) -> String {
    let mut json = String::with_capacity(text.len() * 9 / 8);
    write!(json, "{}", serde_json::Value::from(text)).expect("writing to a String cannot fail");
    json[1..json.len() - 1].to_owned()
}
