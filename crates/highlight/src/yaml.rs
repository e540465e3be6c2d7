//! YAML.

use super::paint::{Class, Painter};
use super::scan;

pub(super) fn paint(painter: &mut Painter) {
    // The indentation of the line whose value is the block of text below it.
    let mut block: Option<usize> = None;
    while !painter.rest().is_empty() {
        let indent = scan::blanks(painter.rest());
        let is_blank = matches!(painter.rest().get(indent), None | Some(b'\n'));
        painter.skip(indent);
        if block.is_some_and(|parent| indent > parent) {
            painter.paint(scan::line(painter.rest()), Class::String);
        } else if !is_blank {
            block = paint_line(painter).then_some(indent);
        }
        painter.skip(1.min(painter.rest().len()));
    }
}

/// Returns whether a block of text begins on the next line.
fn paint_line(painter: &mut Painter) -> bool {
    while painter.rest().starts_with(b"- ") {
        painter.skip(2);
        painter.skip(scan::blanks(painter.rest()));
    }
    if let Some(key) = key(painter.rest()) {
        painter.paint(key, Class::Function);
        painter.skip(1);
    }
    let line = scan::line(painter.rest());
    let value = &painter.rest()[..line];
    let begins_block =
        matches!(value.trim_ascii(), [b'|' | b'>'] | [b'|' | b'>', b'-' | b'+' | b'1'..=b'9', ..]);
    painter.within(line, paint_value);
    begins_block
}

/// Up to a colon that ends a word; `None` for a line that is only a value.
fn key(code: &[u8]) -> Option<usize> {
    let line = &code[..scan::line(code)];
    let from = match line.first()? {
        b'"' | b'\'' => scan::string(line)?,
        b'#' | b'[' | b'{' | b'&' | b'*' | b'!' | b'|' | b'>' | b'%' | b'@' => return None,
        _ => 0,
    };
    let colon = line[from..].iter().enumerate().position(|(at, &byte)| {
        byte == b':' && matches!(line.get(from + at + 1), None | Some(b' ' | b'\t'))
    })?;
    let key = &line[..from + colon];
    (!key.windows(2).any(|pair| pair == b" #")).then_some(key.len())
}

fn paint_value(painter: &mut Painter) {
    while let Some(byte) = painter.peek() {
        let rest = painter.rest();
        let begins =
            painter.last().is_none_or(|last| matches!(last, b' ' | b'\t' | b'[' | b'{' | b',' | b'\n'));
        match byte {
            b'#' if begins => painter.paint(rest.len(), Class::Comment),
            b'"' | b'\'' if begins => painter.paint(scan::string(rest).unwrap_or(rest.len()), Class::String),
            b'&' | b'*' | b'!' if begins => {
                painter.paint(scan::while_is(rest, |byte| byte != b' '), Class::Attribute)
            }
            b' ' | b'\t' | b'[' | b']' | b'{' | b'}' | b',' => painter.skip(1),
            _ => paint_scalar(painter),
        }
    }
}

/// A word in flow style, or all of a plain value.
fn paint_scalar(painter: &mut Painter) {
    let rest = painter.rest();
    let length = scan::while_is(rest, |byte| !matches!(byte, b',' | b']' | b'}' | b'#')).max(1);
    let length = rest[..length].trim_ascii_end().len().max(1);
    let class = match &rest[..length] {
        b"true" | b"false" | b"null" | b"yes" | b"no" | b"on" | b"off" | b"~" => Some(Class::Number),
        [b'-', b'0'..=b'9', ..] | [b'0'..=b'9', ..] if is_number(&rest[..length]) => Some(Class::Number),
        [.., b':'] => Some(Class::Function),
        _ => None,
    };
    match class {
        Some(class) => painter.paint(length, class),
        None => painter.skip(length),
    }
}

fn is_number(value: &[u8]) -> bool {
    value.iter().all(|byte| {
        byte.is_ascii_hexdigit() || matches!(byte, b'.' | b'-' | b'+' | b'_' | b':' | b'x' | b'T' | b'Z')
    })
}
