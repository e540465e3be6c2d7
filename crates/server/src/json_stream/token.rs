//! Finds the end of a key or value, chunk by chunk, reading each byte once.

use memchr::memchr2;

/// A key or value whose end is not found yet.
pub(super) struct Token {
    shape: Shape,
    /// Its offset in the body.
    start: u64,
    /// How many brackets are open.
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

    /// Moves from inside a string to the position after its closing quote.
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

/// The bytes that matter outside strings.
const STRUCTURAL: [bool; 256] = {
    let mut table = [false; 256];
    table[b'"' as usize] = true;
    table[b'{' as usize] = true;
    table[b'}' as usize] = true;
    table[b'[' as usize] = true;
    table[b']' as usize] = true;
    table
};
