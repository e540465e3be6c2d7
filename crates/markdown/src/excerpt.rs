//! The word count of a page, and its beginning as plain text.

/// Maximum length of a summary in characters, including the ellipsis.
const SUMMARY_CHARS: usize = 200;

#[derive(Default)]
pub(crate) struct Excerpt {
    pub(crate) words: usize,
    /// Whether the text so far ends inside a word, which the next piece may continue.
    in_word: bool,
    summary: String,
    /// Length of `summary`; one more than fits means that the text is longer.
    chars: usize,
    space: bool,
    /// How many elements that are not quoted in the summary (headings, tables …) are open.
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

    /// A boundary between two blocks or lines: the text on either side is not one word.
    pub(crate) fn space(&mut self) {
        self.in_word = false;
        self.space = true;
    }

    /// Text that follows is counted, but not quoted in the summary.
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

    /// The same for many bytes at a time: nearly all text passes through here.
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

    /// At most 200 characters, cut between words if possible.
    pub(crate) fn into_summary(mut self) -> String {
        if self.chars <= SUMMARY_CHARS {
            return self.summary;
        }
        let limit = self.summary.char_indices().nth(SUMMARY_CHARS - 1).map_or(0, |(at, _)| at);
        let (fits, rest) = self.summary.split_at(limit);
        let end = if rest.starts_with(' ') { limit } else { fits.rfind(' ').unwrap_or(limit) };
        self.summary.truncate(end);
        self.summary.truncate(self.summary.trim_end_matches([',', ';', ':', '-', '–', '—', ' ']).len());
        self.summary.push('…');
        self.summary
    }
}

/// Han, Hiragana and Katakana: each character counts as a word.
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
    fn words_are_counted_as_they_are_read() {
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
    fn a_word_may_arrive_in_pieces() {
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
    fn muted_text_is_counted_but_not_quoted() {
        let mut excerpt = Excerpt::default();
        excerpt.mute();
        excerpt.text("A heading");
        excerpt.unmute();
        excerpt.space();
        excerpt.text("Text.");
        assert_eq!((excerpt.words, excerpt.into_summary()), (3, "Text.".to_owned()));
    }
}
