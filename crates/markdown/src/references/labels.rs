//! Labels of definitions, `[label]: …`, and their uses.

use std::collections::HashSet;
use std::ops::Range;

use memchr::{memchr2, memrchr2};

/// Maximum number of bytes between a label's brackets, as in the parser.
const MAX_LABEL_BYTES: usize = 1000;

/// The offsets that are neither in the label of a definition nor in a use of it.
pub(super) fn outside(text: &str, mut offsets: Vec<usize>) -> Vec<usize> {
    let folded = |label: Range<usize>| folded(&text[label]);
    let defined = offsets.iter().filter_map(|&at| label(text, at).filter(|label| is_defined(text, label)));
    let defined: HashSet<String> = defined.map(folded).collect();
    if !defined.is_empty() {
        offsets.retain(|&at| label(text, at).is_none_or(|label| !defined.contains(&folded(label))));
    }
    offsets
}

/// The range between the brackets around an offset.
fn label(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let first = at.saturating_sub(MAX_LABEL_BYTES);
    let open = first + memrchr2(b'[', b']', &bytes[first..at])?;
    let close = at + memchr2(b'[', b']', &bytes[at..bytes.len().min(at + MAX_LABEL_BYTES)])?;
    (bytes[open] == b'[' && bytes[close] == b']').then_some(open + 1..close)
}

/// Whether the label is followed by `: …` that makes it a definition: a destination with an optional title, or the
/// content of a footnote.
fn is_defined(text: &str, label: &Range<usize>) -> bool {
    let Some(rest) = text[label.end..].strip_prefix("]:") else { return false };
    if rest.trim_ascii_start().is_empty() || !begins_block(&text[..label.start - "[".len()]) {
        return false;
    }
    let line = rest.lines().next().unwrap_or_default().trim_ascii();
    let title = line.split_once([' ', '\t']).map_or("", |(_, title)| title.trim_ascii_start());
    text[label.clone()].starts_with('^')
        || line.starts_with('<')
        || title.is_empty()
        || title.starts_with(['"', '\'', '('])
}

/// Whether its line contains nothing before it except markers of quotes and lists.
fn begins_block(before: &str) -> bool {
    let mut line = before.bytes().rev().take_while(|byte| !matches!(byte, b'\n' | b'\r'));
    line.all(|byte| byte.is_ascii_whitespace() || byte.is_ascii_digit() || b">-+*.):".contains(&byte))
}

/// Normalises a label for comparison.
fn folded(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
