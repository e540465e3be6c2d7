//! HTML, XML and templates for them.

use super::paint::{Class, Painter};
use super::scan;

pub(super) fn paint(painter: &mut Painter) {
    while let Some(byte) = painter.peek() {
        let rest = painter.rest();
        match byte {
            b'<' if rest.starts_with(b"<!--") => painter.paint(scan::through(rest, "-->"), Class::Comment),
            b'<' if rest.starts_with(b"<![CDATA[") => {
                painter.paint(scan::through(rest, "]]>"), Class::String)
            }
            b'<' if matches!(rest.get(1), Some(b'!' | b'?')) => {
                painter.paint(scan::through(rest, ">"), Class::Keyword)
            }
            b'<' => paint_tag(painter),
            b'&' => paint_entity(painter),
            _ => painter.skip(1),
        }
    }
}

/// `<name attribute="value">`, and the content of a script or style sheet.
fn paint_tag(painter: &mut Painter) {
    painter.skip(1);
    painter.skip(scan::while_is(painter.rest(), |byte| byte == b'/'));
    let length = scan::while_is(painter.rest(), is_name);
    let name = painter.text(length);
    if name.is_empty() {
        return;
    }
    let opens = painter.last() == Some(b'<');
    painter.paint(length, Class::Keyword);
    paint_attributes(painter);
    match name {
        "script" if opens => paint_inside(painter, "javascript", "</script"),
        "style" if opens => paint_inside(painter, "css", "</style"),
        _ => {}
    }
}

fn paint_attributes(painter: &mut Painter) {
    while let Some(byte) = painter.peek() {
        let rest = painter.rest();
        match byte {
            b'>' => return painter.skip(1),
            b'<' => return,
            b'"' | b'\'' => {
                let close = if byte == b'"' { "\"" } else { "'" };
                painter.paint(1 + scan::through(&rest[1..], close), Class::String);
            }
            b'=' | b' ' | b'\t' | b'\n' | b'/' | b'?' => painter.skip(1),
            _ if painter.last() == Some(b'=') => painter.paint(while_value(rest), Class::String),
            _ if is_name(byte) || matches!(byte, b'@' | b'#' | b'*' | b'(' | b'[') => {
                painter.paint(
                    1 + scan::while_is(&rest[1..], |byte| is_name(byte) || matches!(byte, b')' | b']')),
                    Class::Attribute,
                );
            }
            _ => painter.skip(1),
        }
    }
}

/// A value without quotes.
fn while_value(code: &[u8]) -> usize {
    scan::while_is(code, |byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'>')).max(1)
}

fn paint_inside(painter: &mut Painter, language: &str, end: &str) {
    let length = scan::find(painter.rest(), end).unwrap_or(painter.rest().len());
    painter.within(length, |painter| super::paint(painter, language));
}

/// `&amp;`
fn paint_entity(painter: &mut Painter) {
    let rest = painter.rest();
    let length = 1 + scan::while_is(&rest[1..], |byte| byte.is_ascii_alphanumeric() || byte == b'#');
    match rest.get(length) {
        Some(b';') if length > 1 => painter.paint(length + 1, Class::Number),
        _ => painter.skip(1),
    }
}

fn is_name(byte: u8) -> bool {
    scan::is_dashed_word(byte) || matches!(byte, b':' | b'.')
}
