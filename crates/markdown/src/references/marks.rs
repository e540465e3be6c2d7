//! Numbers each `file:` in a text, so that it can be found in the parser's events. (The parser's source positions are
//! not enough: they are missing for text that it rewrites, such as table cells and paragraphs that begin with
//! definitions.)

use memchr::memmem::{self, Finder};
use rustc_hash::FxHashSet;

/// `file:` is replaced by `fx<salt>x<number>xile:`, which the parser treats the same: letters and digits within a word,
/// short enough for the scheme of an autolink.
pub(super) struct Marks {
    /// The part before the number; does not occur in the text.
    start: String,
    finder: Finder<'static>,
}

impl Marks {
    pub(super) fn for_text(text: &str) -> Marks {
        let digits = |at: usize| text[at + "fx".len()..].split(|char: char| !char.is_ascii_digit()).next();
        let taken = memmem::find_iter(text.as_bytes(), "fx").filter_map(|at| digits(at)?.parse().ok());
        let taken: FxHashSet<usize> = taken.collect();
        let salt = (0..).find(|salt| !taken.contains(salt)).expect("a text is finite");
        let start = format!("fx{salt}x");
        Marks { finder: Finder::new(&start).into_owned(), start }
    }

    /// The text with the `file:` at each of these offsets replaced by a numbered mark.
    pub(super) fn mark(&self, text: &str, offsets: &[usize]) -> String {
        let mut marked = String::with_capacity(text.len() + offsets.len() * 16);
        let mut copied = 0;
        for (number, &offset) in offsets.iter().enumerate() {
            marked.push_str(&text[copied..offset]);
            marked.push_str(&format!("{}{number}x", self.start));
            copied = offset + "f".len();
        }
        marked + &text[copied..]
    }

    /// The marks in a string from the parser: offset and number.
    pub(super) fn find<'t>(&'t self, piece: &'t str) -> impl Iterator<Item = (usize, usize)> + 't {
        let starts = self.finder.find_iter(piece.as_bytes());
        starts.filter_map(|at| Some((at, self.number(&piece[at..])?)))
    }

    /// The number of the mark that a string begins with.
    pub(super) fn first(&self, piece: &str) -> Option<usize> {
        piece.starts_with(&self.start).then(|| self.number(piece))?
    }

    fn number(&self, mark: &str) -> Option<usize> {
        let (number, rest) = mark[self.start.len()..].split_once('x')?;
        rest.starts_with("ile:").then(|| number.parse().ok())?
    }
}
