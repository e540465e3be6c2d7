//! Splits a text into words, and characters of scripts that are written without spaces.

use unicode_normalization::char::compose;

use crate::fold::{Folded, combines, fold, is_han_or_kana};

/// A longer word is cut, in texts and in queries. Bytes.
pub(crate) const MAX_TERM: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// In UTF-8, folded: without case and accents.
    Word(&'t [u8]),
    Char {
        char: char,
        /// Whether it directly follows the previous token, which is a character, too.
        follows: bool,
    },
}

/// Calls `each` with each token and the offset in the text at which it begins.
pub(crate) fn tokens(text: &str, each: impl FnMut(usize, Token<'_>)) {
    let mut tokens =
        Tokens { each, word: [0; MAX_TERM], length: 0, word_at: 0, char: None, after: After::Other };
    let (bytes, mut at) = (text.as_bytes(), 0);
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii_alphanumeric() {
            at += tokens.letters(&bytes[at..], at);
        } else if byte.is_ascii() {
            tokens.separator(byte);
            at += 1;
        } else {
            let char = text[at..].chars().next().expect("the offset is before the end");
            fold(char, |folded| tokens.put(folded, at));
            at += char.len_utf8();
        }
    }
    tokens.end_word();
    tokens.end_char();
}

struct Tokens<F> {
    each: F,
    /// The word being read.
    word: [u8; MAX_TERM],
    length: usize,
    word_at: usize,
    /// The last character of a script without spaces: the next one may combine with it.
    char: Option<(usize, char, bool)>,
    after: After,
}

/// What stood before the next character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Char(char),
    /// A line break after this character.
    Line(char),
    Other,
}

impl<F: FnMut(usize, Token<'_>)> Tokens<F> {
    /// Letters and digits of ASCII, and their number: nearly all text passes through here.
    fn letters(&mut self, bytes: &[u8], at: usize) -> usize {
        self.begin_word(at);
        let mut count = 0;
        for byte in bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()) {
            if let Some(place) = self.word.get_mut(self.length) {
                *place = byte.to_ascii_lowercase();
                self.length += 1;
            }
            count += 1;
        }
        count
    }

    /// Another character of ASCII.
    fn separator(&mut self, byte: u8) {
        self.end_word();
        self.after = match self.after {
            After::Char(char) if byte == b'\n' => After::Line(char),
            _ => After::Other,
        };
    }

    fn put(&mut self, folded: Folded, at: usize) {
        match folded {
            Folded::Letter(letter) => self.letter(letter, at),
            Folded::Unspaced(char) => self.char(char, at),
            Folded::Nothing => {}
            Folded::Other => {
                self.end_word();
                self.after = After::Other;
            }
        }
    }

    fn begin_word(&mut self, at: usize) {
        if self.length == 0 {
            self.end_char();
            self.after = After::Other;
            self.word_at = at;
        }
    }

    fn letter(&mut self, letter: char, at: usize) {
        self.begin_word(at);
        if self.length + letter.len_utf8() <= MAX_TERM {
            self.length += letter.encode_utf8(&mut self.word[self.length..]).len();
        }
    }

    fn char(&mut self, char: char, at: usize) {
        self.end_word();
        if combines(char)
            && let (After::Char(_), Some((start, before, follows))) = (self.after, self.char)
            && let Some(both) = compose(before, char)
        {
            self.char = Some((start, both, follows));
            self.after = After::Char(both);
            return;
        }
        let follows = match self.after {
            After::Char(_) => true,
            After::Line(before) => is_han_or_kana(before) && is_han_or_kana(char),
            After::Other => false,
        };
        self.end_char();
        self.char = Some((at, char, follows));
        self.after = After::Char(char);
    }

    fn end_word(&mut self) {
        if self.length > 0 {
            (self.each)(self.word_at, Token::Word(&self.word[..self.length]));
            self.length = 0;
        }
    }

    fn end_char(&mut self) {
        if let Some((at, char, follows)) = self.char.take() {
            (self.each)(at, Token::Char { char, follows });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words in brackets; a `+` before a character that follows another.
    fn split(text: &str) -> String {
        let mut out = String::new();
        tokens(text, |_, token| match token {
            Token::Word(word) => out.push_str(&format!("[{}]", str::from_utf8(word).unwrap())),
            Token::Char { char, follows } => {
                out.push_str(if follows { "+" } else { "" });
                out.push(char);
            }
        });
        out
    }

    #[test]
    fn words_end_at_everything_but_letters_and_digits() {
        assert_eq!(split("It's max_len = v2.0!"), "[it][s][max][len][v2][0]");
        assert_eq!(split("Überall süß"), "[uberall][suss]");
        assert_eq!(split("co\u{ad}operate e\u{301}t"), "[cooperate][et]");
        assert_eq!(split(""), "");
    }

    #[test]
    fn scripts_without_spaces_are_split_into_characters() {
        assert_eq!(split("日本語。本"), "日+本+語本");
        assert_eq!(split("Rust入門2"), "[rust]入+門[2]");
        assert_eq!(split("가나 다"), "가+나다");
        assert_eq!(split("กิน"), "ก+ิ+น");
    }

    #[test]
    fn a_line_break_inside_chinese_or_japanese_is_no_boundary() {
        assert_eq!(split("日\n本"), "日+本");
        assert_eq!(split("日\n\n本"), "日本");
        assert_eq!(split("日 本"), "日本");
        assert_eq!(split("가\n나"), "가나");
    }

    #[test]
    fn decomposed_characters_are_composed() {
        assert_eq!(split("か\u{3099}き"), "が+き");
        assert_eq!(split("\u{1112}\u{1161}\u{11ab}글"), "한+글");
        assert_eq!(split("ﾊﾟﾝ"), "パ+ン");
    }

    #[test]
    fn tokens_know_where_they_begin() {
        let mut offsets = Vec::new();
        tokens("é ab 日本 c", |at, _| offsets.push(at));
        assert_eq!(offsets, [0, 3, 6, 9, 13]);
    }

    #[test]
    fn a_long_word_is_cut() {
        assert_eq!(split(&"x".repeat(100)), format!("[{}]", "x".repeat(64)));
        assert_eq!(split(&"д".repeat(100)), format!("[{}]", "д".repeat(32)));
    }
}
