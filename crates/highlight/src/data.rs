//! Keys and values: TOML, INI files, `.env` files.

use super::paint::{Class, Painter};
use super::scan;

pub(super) fn paint_toml(painter: &mut Painter) {
    while !painter.rest().is_empty() {
        paint_line(painter, Dialect::Toml);
    }
}

pub(super) fn paint_ini(painter: &mut Painter) {
    while !painter.rest().is_empty() {
        paint_line(painter, Dialect::Ini);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Dialect {
    Toml,
    /// Values are plain words, not literals.
    Ini,
}

fn paint_line(painter: &mut Painter, dialect: Dialect) {
    painter.skip(scan::blanks(painter.rest()));
    let rest = painter.rest();
    let line = scan::line(rest);
    match rest.first() {
        Some(b'#') => painter.paint(line, Class::Comment),
        Some(b';' | b'!') if dialect == Dialect::Ini => painter.paint(line, Class::Comment),
        Some(b'[') => {
            painter.paint(section(&rest[..line]), Class::Type);
            painter.within(line - section(&rest[..line]), paint_value);
        }
        _ => {
            if let Some(separator) = rest[..line].iter().position(|&byte| byte == b'=' || byte == b':') {
                let key = rest[..separator].trim_ascii_end().len();
                painter.paint(key, Class::Function);
                painter.skip(separator + 1 - key);
            }
            match dialect {
                Dialect::Toml => paint_value(painter),
                Dialect::Ini => painter.paint(scan::line(painter.rest()), Class::String),
            }
        }
    }
    let left = scan::line(painter.rest());
    painter.skip((left + 1).min(painter.rest().len()));
}

/// `[name]`, without the comment that may follow.
fn section(line: &[u8]) -> usize {
    line.iter().rposition(|&byte| byte == b']').map_or(line.len(), |at| at + 1)
}

/// Up to the end of the line; strings and arrays may span several.
fn paint_value(painter: &mut Painter) {
    let mut depth = 0_usize;
    while let Some(byte) = painter.peek() {
        let rest = painter.rest();
        match byte {
            b'\n' if depth == 0 => return,
            b'#' => painter.paint(scan::line(rest), Class::Comment),
            b'"' | b'\'' => painter.paint(string(rest), Class::String),
            b'[' | b'{' => {
                depth += 1;
                painter.skip(1);
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                painter.skip(1);
            }
            b'0'..=b'9' => painter.paint(date_or_number(rest), Class::Number),
            _ if scan::is_word(byte) => paint_word(painter),
            _ => painter.skip(1),
        }
    }
}

/// A key of an inline table, or a constant.
fn paint_word(painter: &mut Painter) {
    let rest = painter.rest();
    let length = scan::while_is(rest, scan::is_dashed_word);
    let after = &rest[length..];
    let is_key = after.get(scan::blanks(after)) == Some(&b'=');
    painter.paint(length, if is_key { Class::Function } else { Class::Number });
}

fn string(code: &[u8]) -> usize {
    for triple in ["\"\"\"", "'''"] {
        if let Some(inner) = code.strip_prefix(triple.as_bytes()) {
            return triple.len() + scan::through(inner, triple);
        }
    }
    scan::string(code).unwrap_or_else(|| scan::line(code))
}

/// `1979-05-27T07:32:00Z` is one token.
fn date_or_number(code: &[u8]) -> usize {
    scan::while_is(code, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':' | b'.' | b'_' | b'+')
    })
}
