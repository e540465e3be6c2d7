//! JSON, and its dialects with comments and bare keys.

use super::paint::{Class, Painter};
use super::scan;

pub(super) fn paint(painter: &mut Painter) {
    while let Some(byte) = painter.peek() {
        let rest = painter.rest();
        match byte {
            b'"' | b'\'' => {
                let length = scan::string(rest).unwrap_or_else(|| scan::line(rest));
                painter.paint(length, key_or(&rest[length..], Class::String));
            }
            b'/' if rest.starts_with(b"//") => painter.paint(scan::line(rest), Class::Comment),
            b'/' if rest.starts_with(b"/*") => painter.paint(scan::through(rest, "*/"), Class::Comment),
            b'-' | b'0'..=b'9' => painter.paint(1 + scan::number(&rest[1..]), Class::Number),
            byte if scan::is_word(byte) => {
                let length = scan::while_is(rest, scan::is_word);
                painter.paint(length, key_or(&rest[length..], Class::Number));
            }
            _ => painter.skip(1),
        }
    }
}

fn key_or(after: &[u8], value: Class) -> Class {
    if after.get(scan::blanks(after)) == Some(&b':') { Class::Function } else { value }
}
