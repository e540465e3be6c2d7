//! A hostile text costs about as much as an honest one: bounds on nesting, on time and on what is written.

use std::fmt;
use std::time::{Duration, Instant};

use crate::TooComplex;

/// The most HTML a page may become. The largest honest page is some hundred kilobytes.
const MAX_HTML_BYTES: usize = 16 * 1024 * 1024;

/// The parser needs time in the square of this depth: 3 ms for a thousand, half a minute for 100,000.
const MAX_QUOTE_DEPTH: usize = 1000;

/// Far beyond what any text within the other bounds takes, so that a busy machine fails no build.
const MAX_PARSE_TIME: Duration = Duration::from_secs(5);

pub(super) fn check(text: &str) -> Result<(), TooComplex> {
    if text.bytes().filter(|&byte| byte == b'>').count() <= MAX_QUOTE_DEPTH {
        return Ok(());
    }
    match text.lines().position(|line| quote_depth(line) > MAX_QUOTE_DEPTH) {
        Some(line) => {
            let line = line + 1;
            Err(TooComplex(format!("line {line} has more than {MAX_QUOTE_DEPTH} quote signs (`>`) in a row")))
        }
        None => Ok(()),
    }
}

/// The most `>` with nothing between them but spaces and the markers of lists, wherever in the line they stand: what
/// comes before them may open a block, too.
fn quote_depth(line: &str) -> usize {
    let is_marker =
        |byte: &u8| matches!(byte, b'>' | b' ' | b'\t' | b'-' | b'+' | b'*' | b'.' | b')' | b'0'..=b'9');
    let runs = line.as_bytes().split(|byte| !is_marker(byte));
    runs.map(|run| run.iter().filter(|&&byte| byte == b'>').count()).max().unwrap_or(0)
}

pub(super) fn too_slow() -> TooComplex {
    TooComplex(
        "the text takes too long to read: it nests too deeply, or has too many unclosed brackets".into(),
    )
}

pub(super) fn too_long() -> TooComplex {
    TooComplex(format!(
        "the page would be larger than {} MB: it has too many table cells, formulas or footnote references",
        MAX_HTML_BYTES / 1024 / 1024
    ))
}

pub(super) struct Deadline(Instant);

impl Deadline {
    pub(super) fn from_now() -> Deadline {
        Deadline(Instant::now() + MAX_PARSE_TIME)
    }

    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.0
    }
}

/// HTML that cannot grow beyond its bound; the write that would is refused.
pub(super) struct Bounded(String);

impl Bounded {
    pub(super) fn for_text(text: &str) -> Bounded {
        Bounded(String::with_capacity(text.len() * 2))
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.0.len() + piece.len() > MAX_HTML_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(piece);
        Ok(())
    }
}
