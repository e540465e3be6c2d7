//! Style sheets, and their dialects with variables and nesting.

use super::paint::{Class, Painter};
use super::scan;

pub(super) fn paint(painter: &mut Painter) {
    while !painter.rest().is_empty() {
        match statement(painter.rest()) {
            Statement::Selector(length) => painter.within(length, paint_selector),
            Statement::Declaration(length) => painter.within(length, paint_declaration),
        }
        // Skip the brace or semicolon.
        painter.skip(1.min(painter.rest().len()));
    }
}

enum Statement {
    Selector(usize),
    Declaration(usize),
}

/// Whether the next statement ends with `{`, or with `;` or `}`.
fn statement(code: &[u8]) -> Statement {
    let mut at = 0;
    while let Some(&byte) = code.get(at) {
        let rest = &code[at..];
        match byte {
            b'{' if at > 0 && code[at - 1] == b'#' => at += scan::through(rest, "}"),
            b'{' => return Statement::Selector(at),
            b';' | b'}' => return Statement::Declaration(at),
            b'/' if rest.starts_with(b"/*") => at += scan::through(rest, "*/"),
            b'/' if begins_comment(rest, at.checked_sub(1).map(|before| code[before])) => {
                at += scan::line(rest)
            }
            b'"' | b'\'' => at += scan::string(rest).unwrap_or(1),
            b'(' => at += scan::through(&rest[..scan::line(rest)], ")"),
            _ => at += 1,
        }
    }
    Statement::Declaration(code.len())
}

/// `//` in SCSS and the like, unless it is part of a URL.
fn begins_comment(code: &[u8], before: Option<u8>) -> bool {
    code.starts_with(b"//") && before != Some(b':')
}

fn paint_selector(painter: &mut Painter) {
    while let Some(byte) = painter.peek() {
        if paint_common(painter, byte) {
            continue;
        }
        let rest = painter.rest();
        match byte {
            b'.' | b'#' if name(rest) > 1 => painter.paint(name(rest), Class::Type),
            b':' if name(rest) > 1 => painter.paint(name(rest), Class::Attribute),
            b'0'..=b'9' => painter.paint(scan::number(rest), Class::Number),
            _ if scan::is_word(byte) => painter.paint(name(rest), Class::Keyword),
            _ => painter.skip(1),
        }
    }
}

fn paint_declaration(painter: &mut Painter) {
    let mut in_value = false;
    while let Some(byte) = painter.peek() {
        if paint_common(painter, byte) {
            continue;
        }
        let rest = painter.rest();
        match byte {
            b':' => {
                in_value = true;
                painter.skip(1);
            }
            b'-' if rest.starts_with(b"--") => painter.paint(name(rest), Class::Variable),
            b'!' if name(rest) > 1 => painter.paint(name(rest), Class::Keyword),
            b'#' if name(rest) > 1 => painter.paint(name(rest), Class::Number),
            b'0'..=b'9' | b'-' | b'.' if number(rest) > 0 => painter.paint(number(rest), Class::Number),
            _ if !scan::is_dashed_word(byte) => painter.skip(1),
            _ if !in_value => painter.paint(name(rest), Class::Attribute),
            _ if rest.get(name(rest)) == Some(&b'(') => painter.paint(name(rest), Class::Function),
            _ => painter.skip(name(rest)),
        }
    }
}

/// `-1.5em`, `.5`, `50%`; 0 if there is no number.
fn number(code: &[u8]) -> usize {
    let sign = scan::while_is(&code[..code.len().min(2)], |byte| byte == b'-' || byte == b'.');
    match code.get(sign) {
        Some(b'0'..=b'9') => {
            let length = sign + scan::number(&code[sign..]);
            length + usize::from(code.get(length) == Some(&b'%'))
        }
        _ => 0,
    }
}

/// Tokens that mean the same in selectors and in declarations.
fn paint_common(painter: &mut Painter, byte: u8) -> bool {
    let rest = painter.rest();
    let (length, class) = match byte {
        b'/' if rest.starts_with(b"/*") => (scan::through(rest, "*/"), Class::Comment),
        b'/' if begins_comment(rest, painter.last()) => (scan::line(rest), Class::Comment),
        b'"' | b'\'' => (scan::string(rest).unwrap_or(0), Class::String),
        b'@' if name(rest) > 1 => (name(rest), Class::Keyword),
        b'$' if name(rest) > 1 => (name(rest), Class::Variable),
        _ => return false,
    };
    painter.paint(length, class);
    length > 0
}

/// A word with the sign it may begin with.
fn name(code: &[u8]) -> usize {
    1 + scan::while_is(&code[1..], scan::is_dashed_word)
}
