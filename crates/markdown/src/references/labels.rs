//! Labels of definitions, `[label]: …`, and where they are used.

use std::collections::HashSet;
use std::ops::Range;

use memchr::{memchr2, memrchr2};

/// The most bytes between a label's brackets, as the parser has it.
const MAX_LABEL_BYTES: usize = 1000;

/// Those of the offsets that are not in the label of a definition, nor where that is used.
pub(super) fn outside(text: &str, mut offsets: Vec<usize>) -> Vec<usize> {
    let folded = |label: Range<usize>| folded(&text[label]);
    let defined = offsets.iter().filter_map(|&at| label(text, at).filter(|label| is_defined(text, label)));
    let defined: HashSet<String> = defined.map(folded).collect();
    if !defined.is_empty() {
        offsets.retain(|&at| label(text, at).is_none_or(|label| !defined.contains(&folded(label))));
    }
    offsets
}

/// What stands between the brackets around an offset.
fn label(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let first = at.saturating_sub(MAX_LABEL_BYTES);
    let open = first + memrchr2(b'[', b']', &bytes[first..at])?;
    let close = at + memchr2(b'[', b']', &bytes[at..bytes.len().min(at + MAX_LABEL_BYTES)])?;
    (bytes[open] == b'[' && bytes[close] == b']').then_some(open + 1..close)
}

/// Whether `: …` follows that makes it a definition: a destination, at most with a title, or what a footnote says.
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

/// Whether nothing but the markers of quotes and lists stands before it in its line.
fn begins_block(before: &str) -> bool {
    let mut line = before.bytes().rev().take_while(|byte| !matches!(byte, b'\n' | b'\r'));
    line.all(|byte| byte.is_ascii_whitespace() || byte.is_ascii_digit() || b">-+*.):".contains(&byte))
}

/// As labels are compared.
fn folded(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
