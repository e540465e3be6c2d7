//! Strings and attributes in the delimiters that languages use.

use super::grammar::{Quote, QuoteKind};
use super::scan;

/// The length of the string that the code begins with, if there is one with these quotes.
pub(super) fn string(code: &[u8], quote: &Quote) -> Option<usize> {
    let inner = code.strip_prefix(quote.open.as_bytes())?;
    let length = match quote.kind {
        QuoteKind::Line => return scan::string(code),
        QuoteKind::Character => return scan::character(code),
        QuoteKind::Lines => scan::through_escaped(inner, quote.close),
        QuoteKind::Raw => scan::through(inner, quote.close),
    };
    Some(quote.open.len() + length)
}

/// `"…"` between any number of `#`, starting at the first `#`.
pub(super) fn hashed_string(code: &[u8]) -> Option<usize> {
    let hashes = scan::while_is(code, |byte| byte == b'#').min(8);
    let inner = code[hashes..].strip_prefix(b"\"")?;
    let close = &"\"########"[..=hashes];
    Some(hashes + 1 + scan::through(inner, close))
}

/// `#[…]` including nested brackets; 0 if it does not end soon.
pub(super) fn attribute(code: &[u8]) -> usize {
    let mut depth = 0;
    for (at, byte) in code.iter().take(scan::MAX_SHORT).enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 1 => return at + 1,
            b']' => depth -= 1,
            _ => {}
        }
    }
    0
}
