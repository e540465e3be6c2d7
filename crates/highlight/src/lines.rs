//! Formats in which the beginning of each line says what it is.

use super::paint::{Class, Painter};
use super::{json, scan};

pub(super) fn paint_diff(painter: &mut Painter) {
    while !painter.rest().is_empty() {
        let line = scan::line(painter.rest());
        let class = match &painter.rest()[..line] {
            [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => Some(Class::Keyword),
            [b'+' | b'>', ..] => Some(Class::Inserted),
            [b'-' | b'<', ..] => Some(Class::Deleted),
            [b'@', b'@', ..] => Some(Class::Attribute),
            line if line.starts_with(b"diff ") || line.starts_with(b"index ") => Some(Class::Keyword),
            _ => None,
        };
        match class {
            Some(class) => painter.paint(line, class),
            None => painter.skip(line),
        }
        end_line(painter);
    }
}

/// A request or a response: its first line, its headers, and a body that may be JSON.
pub(super) fn paint_http(painter: &mut Painter) {
    let first = scan::while_is(painter.rest(), |byte| byte != b' ' && byte != b'\n');
    painter.paint(first, Class::Keyword);
    painter.skip(scan::line(painter.rest()));
    end_line(painter);
    while !matches!(painter.peek(), None | Some(b'\n')) {
        let line = scan::line(painter.rest());
        if let Some(colon) = painter.rest()[..line].iter().position(|&byte| byte == b':') {
            painter.paint(colon, Class::Function);
        }
        painter.skip(scan::line(painter.rest()));
        end_line(painter);
    }
    end_line(painter);
    if matches!(painter.peek(), Some(b'{' | b'[')) {
        json::paint(painter);
    }
}

pub(super) fn paint_markdown(painter: &mut Painter) {
    while !painter.rest().is_empty() {
        painter.skip(scan::blanks(painter.rest()));
        let rest = painter.rest();
        let line = scan::line(rest);
        match rest {
            [b'`', b'`', b'`', ..] => {
                painter.paint(line + scan::through(&rest[line..], "\n```"), Class::String)
            }
            [b'#', ..] => painter.paint(line, Class::Keyword),
            [b'>', ..] => painter.paint(line, Class::Comment),
            [b'-' | b'*' | b'+', b' ', ..] => painter.paint(1, Class::Attribute),
            _ => {}
        }
        painter.within(scan::line(painter.rest()), paint_markdown_text);
        end_line(painter);
    }
}

fn paint_markdown_text(painter: &mut Painter) {
    while let Some(byte) = painter.peek() {
        let rest = painter.rest();
        match byte {
            b'`' => painter.paint(1 + scan::through(&rest[1..], "`"), Class::String),
            b'(' if painter.last() == Some(b']') => painter.paint(scan::through(rest, ")"), Class::Variable),
            _ => painter.skip(1),
        }
    }
}

fn end_line(painter: &mut Painter) {
    painter.skip(1.min(painter.rest().len()));
}
