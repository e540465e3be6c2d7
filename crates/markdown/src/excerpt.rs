//! What a page says in short: its number of words, and its beginning as plain text.

/// Characters of a summary, its ellipsis included.
const SUMMARY_CHARS: usize = 200;

#[derive(Default)]
pub(crate) struct Excerpt {
    pub(crate) words: usize,
    /// Whether the text so far ends in a word, which what comes next may continue.
    in_word: bool,
    summary: String,
    /// Of `summary`; one more than fits means that there is more to say.
    chars: usize,
    space: bool,
    /// How many headings, tables and the like we are inside of.
    muted: usize,
}

impl Excerpt {
    pub(crate) fn text(&mut self, text: &str) {
        if text.is_ascii() {
            self.count_ascii(text.as_bytes());
        } else {
            text.chars().for_each(|char| self.count(char));
        }
        if self.muted == 0 && self.chars <= SUMMARY_CHARS {
            self.append(text);
        }
    }

    /// Between two blocks or two lines: what stands on both sides is not one word.
    pub(crate) fn space(&mut self) {
        self.in_word = false;
        self.space = true;
    }

    /// What follows counts, but is no summary of anything.
    pub(crate) fn mute(&mut self) {
        self.muted += 1;
    }

    pub(crate) fn unmute(&mut self) {
        self.muted -= 1;
    }

    fn count(&mut self, char: char) {
        if char.is_whitespace() {
            self.in_word = false;
        } else if is_written_without_spaces(char) {
            self.words += 1;
            self.in_word = false;
        } else if !self.in_word {
            self.words += 1;
            self.in_word = true;
        }
    }

    /// The same many bytes at a time, as this sees nearly all text there is.
    fn count_ascii(&mut self, text: &[u8]) {
        let (Some(first), Some(last)) = (text.first(), text.last()) else { return };
        self.words += usize::from(!self.in_word && *first > b' ');
        self.words += text.iter().zip(&text[1..]).filter(|(a, b)| (**a <= b' ') & (**b > b' ')).count();
        self.in_word = *last > b' ';
    }

    fn append(&mut self, text: &str) {
        for char in text.chars() {
            if char.is_whitespace() {
                self.space = true;
                continue;
            }
            if std::mem::take(&mut self.space) && !self.summary.is_empty() {
                self.push(' ');
            }
            self.push(char);
            if self.chars > SUMMARY_CHARS {
                return;
            }
        }
    }

    fn push(&mut self, char: char) {
        self.summary.push(char);
        self.chars += 1;
    }

    /// At most 200 characters, cut at a word where there is one to cut at.
    pub(crate) fn into_summary(mut self) -> String {
        if self.chars <= SUMMARY_CHARS {
            return self.summary;
        }
        let room = self.summary.char_indices().nth(SUMMARY_CHARS - 1).map_or(0, |(at, _)| at);
        let (fits, rest) = self.summary.split_at(room);
        let end = if rest.starts_with(' ') { room } else { fits.rfind(' ').unwrap_or(room) };
        self.summary.truncate(end);
        self.summary.truncate(self.summary.trim_end_matches([',', ';', ':', '-', '–', '—', ' ']).len());
        self.summary.push('…');
        self.summary
    }
}

/// Han, Hiragana and Katakana: each character is about a word to read.
fn is_written_without_spaces(char: char) -> bool {
    matches!(char, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (usize, String) {
        let mut excerpt = Excerpt::default();
        excerpt.text(text);
        (excerpt.words, excerpt.into_summary())
    }

    #[test]
    fn words_are_what_is_read() {
        let check = |text, words| assert_eq!(of(text).0, words, "{text}");
        check("", 0);
        check("one", 1);
        check("It isn't well-known, is it?", 5);
        check(" 3.14  plus ", 2);
        check("Überall\u{a0}süß", 2);
        check("日本語 text", 4);
        check("안녕 세상", 2);
    }

    #[test]
    fn a_word_may_be_told_in_pieces() {
        let mut excerpt = Excerpt::default();
        excerpt.text("un");
        excerpt.text("likely");
        excerpt.space();
        excerpt.text("two");
        assert_eq!((excerpt.words, excerpt.into_summary()), (2, "unlikely two".to_owned()));
    }

    #[test]
    fn a_short_text_is_its_own_summary() {
        assert_eq!(of("  A short\n\ttext. ").1, "A short text.");
        assert_eq!(of(&"x".repeat(200)).1, "x".repeat(200));
    }

    #[test]
    fn a_summary_is_cut_at_a_word() {
        assert_eq!(of(&"word, ".repeat(100)).1, "word, ".repeat(32) + "word…");
        assert_eq!(of(&format!("{} end", "x".repeat(199))).1, format!("{}…", "x".repeat(199)));
    }

    #[test]
    fn a_summary_without_spaces_is_cut_where_it_is_full() {
        assert_eq!(of(&"語".repeat(300)).1, "語".repeat(199) + "…");
    }

    #[test]
    fn what_is_muted_counts_and_is_not_quoted() {
        let mut excerpt = Excerpt::default();
        excerpt.mute();
        excerpt.text("A heading");
        excerpt.unmute();
        excerpt.space();
        excerpt.text("Text.");
        assert_eq!((excerpt.words, excerpt.into_summary()), (3, "Text.".to_owned()));
    }
}
