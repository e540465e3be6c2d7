//! The text of a page, with places for the addresses of files.

use std::ops::Range;
use std::sync::OnceLock;

use model::TextHash;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What a reference may contain besides letters and digits: nothing that Markdown or HTML would read as its end.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    text: String,
    /// Where the addresses of which files belong, in order. The file is named by its path in the folder.
    places: Vec<(Range<usize>, String)>,
    /// Computed once, for texts without files.
    hash: OnceLock<TextHash>,
}

impl Text {
    /// The text with each range replaced, in order: by a text, or by the address of a file.
    pub(crate) fn new(text: &str, replacements: Vec<(Range<usize>, Replacement)>) -> Text {
        let (mut new, mut copied) = (Text { text: String::with_capacity(text.len()), ..Text::default() }, 0);
        for (range, replacement) in replacements {
            new.text.push_str(&text[copied..range.start]);
            copied = range.end;
            match replacement {
                Replacement::Text(text) => new.text.push_str(&text),
                Replacement::File(file) => {
                    let start = new.text.len();
                    new.places.push((start..start, file));
                }
            }
        }
        new.text.push_str(&text[copied..]);
        new
    }

    /// The files it shows, as often as it does.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|(_, file)| file.as_str())
    }

    /// The text with the address of each file.
    pub fn with<'t>(&'t self, address: impl Fn(&'t str) -> String) -> String {
        let (mut filled, mut copied) = (String::with_capacity(self.text.len()), 0);
        for (range, file) in &self.places {
            filled.push_str(&self.text[copied..range.start]);
            filled.push_str(&address(file));
            copied = range.end;
        }
        filled + &self.text[copied..]
    }

    /// The text for a request to which files are attached under their paths in the folder: all but those that have an
    /// address already.
    pub fn for_upload(&self, address: impl Fn(&str) -> Option<String>) -> String {
        self.with(|file| address(file).unwrap_or_else(|| reference(file)))
    }

    /// The hash of the text with the address of each file; `None` if it is empty.
    pub(crate) fn hash<'t>(&'t self, address: impl Fn(&'t str) -> String) -> Option<TextHash> {
        match (self.is_empty(), self.places.is_empty()) {
            (true, _) => None,
            (false, true) => Some(*self.hash.get_or_init(|| TextHash::of(&self.text))),
            (false, false) => Some(TextHash::of(&self.with(address))),
        }
    }

    /// Its bytes, about.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.places.is_empty()
    }
}

/// How a text refers to an attached file, by its path in the folder.
pub(crate) fn reference(file: &str) -> String {
    format!("file:{}", utf8_percent_encode(file, ESCAPED))
}

pub(crate) enum Replacement {
    Text(String),
    /// By its path in the folder.
    File(String),
}
