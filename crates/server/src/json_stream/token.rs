//! The search for the end of one key or value, chunk by chunk, without looking at a byte twice.

use memchr::memchr2;

/// One key or value on the way to its end.
pub(super) struct Token {
    shape: Shape,
    /// Where in the body it begins.
    start: u64,
    /// How many brackets it has opened.
    open: usize,
    string: InString,
}

enum Shape {
    Text,
    Nested,
    Scalar,
}

enum InString {
    No,
    Yes,
    /// The next byte belongs to the string, whatever it is.
    Escaped,
}

impl Token {
    /// `None` when no value begins with that byte.
    pub(super) fn begin(first: u8, start: u64) -> Option<Token> {
        let (shape, string) = match first {
            // The opening quote itself is the byte that does not end the string.
            b'"' => (Shape::Text, InString::Escaped),
            b'{' | b'[' => (Shape::Nested, InString::No),
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => (Shape::Scalar, InString::No),
            _ => return None,
        };
        Some(Token { shape, start, open: 0, string })
    }

    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// The end of the token in `bytes`, which continue where the last call's ended.
    pub(super) fn find_end(&mut self, bytes: &[u8]) -> Option<usize> {
        match self.shape {
            Shape::Text => self.leave_string(bytes, 0),
            Shape::Nested => self.close_brackets(bytes),
            Shape::Scalar => bytes.iter().position(|byte| b",]} \n\r\t".contains(byte)),
        }
    }

    fn close_brackets(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            if !matches!(self.string, InString::No) {
                at = self.leave_string(bytes, at)?;
            }
            at += bytes[at..].iter().position(|byte| STRUCTURAL[usize::from(*byte)])? + 1;
            match bytes[at - 1] {
                b'"' => self.string = InString::Yes,
                b'{' | b'[' => self.open += 1,
                _ if self.open == 1 => return Some(at),
                _ => self.open -= 1,
            }
        }
    }

    /// From inside a string to behind its closing quote.
    fn leave_string(&mut self, bytes: &[u8], mut at: usize) -> Option<usize> {
        if matches!(self.string, InString::Escaped) && at < bytes.len() {
            self.string = InString::Yes;
            at += 1;
        }
        while let Some(found) = memchr2(b'"', b'\\', bytes.get(at..)?) {
            at += found + 1;
            if bytes[at - 1] == b'"' {
                self.string = InString::No;
                return Some(at);
            }
            if at == bytes.len() {
                self.string = InString::Escaped;
            }
            at += 1;
        }
        None
    }
}

/// The bytes that matter between the strings of a value.
const STRUCTURAL: [bool; 256] = {
    let mut table = [false; 256];
    table[b'"' as usize] = true;
    table[b'{' as usize] = true;
    table[b'}' as usize] = true;
    table[b'[' as usize] = true;
    table[b']' as usize] = true;
    table
};
