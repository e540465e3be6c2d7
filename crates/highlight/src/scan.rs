//! The length of the token at the beginning of some code.

/// How far to search for the end of something that may not be a string, so that time stays linear in the code.
const MAX_STRING: usize = 1000;

/// The same for shorter tokens: regular expressions, attributes.
pub(super) const MAX_SHORT: usize = 200;

/// Letters, digits, `_` and everything beyond ASCII, which no supported language uses as a separator.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The same, and hyphens: the words of CSS, HTML and most data formats.
pub(super) fn is_dashed_word(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

pub(super) fn while_is(code: &[u8], is: impl Fn(u8) -> bool) -> usize {
    code.iter().position(|&byte| !is(byte)).unwrap_or(code.len())
}

/// Up to the end of the line, or of the code.
pub(super) fn line(code: &[u8]) -> usize {
    while_is(code, |byte| byte != b'\n')
}

/// Spaces and tabs.
pub(super) fn blanks(code: &[u8]) -> usize {
    while_is(code, |byte| byte == b' ' || byte == b'\t')
}

/// The offset of `needle`.
pub(super) fn find(code: &[u8], needle: &str) -> Option<usize> {
    let (&first, more) = needle.as_bytes().split_first()?;
    let mut from = 0;
    while let Some(found) = code[from..].iter().position(|&byte| byte == first) {
        from += found + 1;
        if code[from..].starts_with(more) {
            return Some(from - 1);
        }
    }
    None
}

/// Up to and including `needle`, or everything if there is none.
pub(super) fn through(code: &[u8], needle: &str) -> usize {
    find(code, needle).map_or(code.len(), |at| at + needle.len())
}

/// The same, ignoring any `needle` after a backslash.
pub(super) fn through_escaped(code: &[u8], needle: &str) -> usize {
    let mut at = 0;
    while at < code.len() {
        if code[at] == b'\\' {
            at += 2;
        } else if code[at..].starts_with(needle.as_bytes()) {
            return at + needle.len();
        } else {
            at += 1;
        }
    }
    code.len()
}

/// `1_000`, `0xff`, `1.5e-3`, `10px`; only the `0` of `0..9`.
pub(super) fn number(code: &[u8]) -> usize {
    let mut length = 0;
    while let Some(&byte) = code.get(length) {
        let goes_on = match byte {
            b'.' => code.get(length + 1).is_some_and(u8::is_ascii_digit),
            b'+' | b'-' => is_exponent(&code[..length]),
            _ => byte.is_ascii_alphanumeric() || byte == b'_',
        };
        if !goes_on {
            break;
        }
        length += 1;
    }
    length
}

fn is_exponent(before: &[u8]) -> bool {
    matches!(before, [b'0'..=b'9', .., b'e' | b'E'])
        && before[..before.len() - 1].iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'_'))
}

/// A string that begins at the first byte, ends on its line and may contain its quote after a backslash.
pub(super) fn string(code: &[u8]) -> Option<usize> {
    let quote = *code.first()?;
    closed(&code[1..], MAX_STRING, |byte| byte == quote).map(|length| length + 1)
}

/// `/…/` and its flags, on one line; a slash in brackets does not end it.
pub(super) fn regex(code: &[u8]) -> Option<usize> {
    let mut in_class = false;
    let length = closed(code.get(1..)?, MAX_SHORT, |byte| {
        in_class = (in_class || byte == b'[') && byte != b']';
        byte == b'/' && !in_class
    })?;
    Some(1 + length + while_is(&code[1 + length..], |byte| byte.is_ascii_lowercase()))
}

/// A character between two `'`, which elsewhere may be an apostrophe, a lifetime or a quoted symbol.
pub(super) fn character(code: &[u8]) -> Option<usize> {
    let end = match code.get(1)? {
        b'\\' => 3 + code.get(3..)?.iter().take(10).position(|&byte| byte == b'\'')?,
        b'\'' | b'\n' => return None,
        _ => 2 + while_is(&code[2..code.len().min(6)], |byte| (0x80..0xc0).contains(&byte)),
    };
    (code.get(end) == Some(&b'\'')).then_some(end + 1)
}

fn closed(code: &[u8], within: usize, mut closes: impl FnMut(u8) -> bool) -> Option<usize> {
    let mut at = 0;
    while at < code.len().min(within) {
        match code[at] {
            b'\n' => return None,
            b'\\' => at += 1,
            byte if closes(byte) => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}
