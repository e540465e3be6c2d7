//! Shell scripts and terminal sessions.

use super::paint::{Class, Painter};
use super::scan;

const KEYWORDS: &[&str] = &[
    "case", "do", "done", "elif", "else", "esac", "export", "fi", "for", "function", "if", "in", "local",
    "readonly", "return", "select", "set", "then", "until", "unset", "while", "end", "begin", "switch",
];

/// A command may follow these, too.
const BEFORE_COMMANDS: &[&str] =
    &["do", "elif", "else", "env", "exec", "if", "nohup", "sudo", "then", "time", "until", "while"];

pub(super) fn paint(painter: &mut Painter) {
    let mut reader = Reader { painter, at_command: true, here_document: None };
    while let Some(byte) = reader.painter.peek() {
        reader.token(byte);
    }
}

/// Lines with a prompt are commands; the others are their output.
pub(super) fn paint_session(painter: &mut Painter) {
    while !painter.rest().is_empty() {
        let prompt = prompt(painter.rest());
        painter.paint(prompt, Class::Comment);
        let length = scan::line(painter.rest());
        if prompt > 0 {
            painter.within(length, paint);
        } else {
            painter.skip(length);
        }
        painter.skip(scan::while_is(painter.rest(), |byte| byte == b'\n'));
    }
}

/// `$ `, or something like `me@host:~# `.
fn prompt(code: &[u8]) -> usize {
    let word = scan::while_is(code, |byte| byte != b' ' && byte != b'\n');
    let ends_as_prompt = matches!(code[..word].last(), Some(b'$' | b'#' | b'%' | b'>'));
    let is_prompt = word == 1 || code[..word].contains(&b'@') || code[..word].contains(&b':');
    if ends_as_prompt && is_prompt && code.get(word) == Some(&b' ') { word } else { 0 }
}

struct Reader<'r, 'c, 'h> {
    painter: &'r mut Painter<'c, 'h>,
    /// Whether the next word is the name of a command.
    at_command: bool,
    /// The delimiter of the here-document that begins on the next line.
    here_document: Option<&'c str>,
}

impl Reader<'_, '_, '_> {
    fn token(&mut self, byte: u8) {
        match byte {
            b'\n' => self.line_end(),
            b' ' | b'\t' => self.painter.skip(1),
            b'\\' => self.escape(),
            b'#' if self.is_at_word() => self.painter.paint(scan::line(self.painter.rest()), Class::Comment),
            b'\'' | b'"' => self.string(byte),
            b'$' => self.variable(),
            b'|' | b';' | b'&' | b'(' | b'`' | b'{' => {
                self.painter.skip(1);
                self.at_command = true;
            }
            b'<' if self.painter.rest().starts_with(b"<<") => self.here_document(),
            b'<' | b'>' | b')' | b'}' => self.painter.skip(1),
            _ => self.word(),
        }
    }

    /// A backslash: the next byte loses its special meaning, unless it is a letter.
    fn escape(&mut self) {
        self.painter.skip(1);
        if self.painter.peek().is_some_and(is_special) {
            self.painter.skip(1);
        }
    }

    fn is_at_word(&self) -> bool {
        self.painter.last().is_none_or(|byte| byte.is_ascii_whitespace() || byte == b';')
    }

    fn line_end(&mut self) {
        self.painter.skip(1);
        self.at_command = true;
        if let Some(end) = self.here_document.take() {
            let rest = self.painter.rest();
            let length = match rest.starts_with(end.as_bytes()) {
                true => end.len(),
                false => scan::find(rest, &format!("\n{end}")).map_or(rest.len(), |at| at + 1 + end.len()),
            };
            self.painter.paint(length, Class::String);
        }
    }

    fn string(&mut self, quote: u8) {
        let rest = &self.painter.rest()[1..];
        let length = match quote {
            b'\'' => scan::through(rest, "'"),
            _ => scan::through_escaped(rest, "\""),
        };
        self.at_command &= self.painter.last() == Some(b'=');
        self.painter.paint(length + 1, Class::String);
    }

    /// `$name`, `${name}`, `$1`, `$?`; or `$(` before a command, and `$ ` as a prompt.
    fn variable(&mut self) {
        let rest = self.painter.rest();
        let length = match rest.get(1) {
            Some(b'{') => scan::through(&rest[..scan::line(rest)], "}"),
            Some(b'(' | b' ' | b'\n' | b'\'' | b'"') | None => 1,
            Some(&byte) if scan::is_word(byte) => 1 + scan::while_is(&rest[1..], scan::is_word),
            Some(_) => 2,
        };
        match length {
            1 => self.painter.skip(1),
            _ => {
                self.at_command &= self.painter.last() == Some(b'=');
                self.painter.paint(length, Class::Variable);
            }
        }
    }

    /// `<<END`, `<<-'END'`; but not `<<<`.
    fn here_document(&mut self) {
        let rest = self.painter.rest();
        let quotes = 2 + scan::while_is(&rest[2..], |byte| matches!(byte, b'-' | b'~' | b'\'' | b'"'));
        let length = scan::while_is(&rest[quotes..], scan::is_word);
        self.painter.skip(quotes);
        if length > 0 {
            self.here_document = Some(self.painter.text(length));
            self.painter.paint(length, Class::String);
            let is_quoted = matches!(self.painter.peek(), Some(b'\'' | b'"'));
            self.painter.skip(usize::from(is_quoted));
        }
    }

    fn word(&mut self) {
        let rest = self.painter.rest();
        let length = scan::while_is(rest, |byte| !is_special(byte)).max(1);
        let word = self.painter.text(length);
        let name = scan::while_is(rest, scan::is_word);
        if name > 0 && rest.get(name) == Some(&b'=') {
            self.painter.paint(name, Class::Variable);
            self.painter.skip(length.max(name + 1) - name);
        } else if (self.at_command || word == "in") && KEYWORDS.contains(&word) {
            self.painter.paint(length, Class::Keyword);
            self.at_command = BEFORE_COMMANDS.contains(&word);
        } else if self.at_command {
            self.painter.paint(length, Class::Function);
            self.at_command = BEFORE_COMMANDS.contains(&word);
        } else if word.starts_with('-') {
            self.painter.paint(length, Class::Attribute);
        } else {
            self.painter.skip(length);
        }
    }
}

fn is_special(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\n'
            | b'\\'
            | b'\''
            | b'"'
            | b'$'
            | b'|'
            | b';'
            | b'&'
            | b'('
            | b')'
            | b'`'
            | b'<'
            | b'>'
    )
}
