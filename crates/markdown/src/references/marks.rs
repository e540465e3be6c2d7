//! Numbers each `file:` of a text, so that it is found again wherever the parser puts it. (The parser's source positions
//! are not enough: they miss what it rewrites, such as table cells and paragraphs that begin with definitions.)

use memchr::memmem;
use rustc_hash::FxHashSet;

/// What stands in for `file:` is `fx<salt>x<number>xile:`. It means the same to the parser: letters and digits within a
/// word, short enough for the scheme of an autolink.
pub(super) struct Marks {
    /// Up to the number; does not occur in the text.
    start: String,
}

impl Marks {
    pub(super) fn for_text(text: &str) -> Marks {
        let digits = |at: usize| text[at + "fx".len()..].split(|char: char| !char.is_ascii_digit()).next();
        let taken = memmem::find_iter(text.as_bytes(), "fx").filter_map(|at| digits(at)?.parse().ok());
        let taken: FxHashSet<usize> = taken.collect();
        let salt = (0..).find(|salt| !taken.contains(salt)).expect("a text is finite");
        Marks { start: format!("fx{salt}x") }
    }

    /// The text with the `file:` at each of these offsets marked by its number.
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

    /// The marks in what the parser made of the text: where, and which.
    pub(super) fn find<'t>(&'t self, piece: &'t str) -> impl Iterator<Item = (usize, usize)> + 't {
        let starts = memmem::find_iter(piece.as_bytes(), self.start.as_bytes());
        starts.filter_map(|at| Some((at, self.number(&piece[at..])?)))
    }

    /// The mark that a piece begins with.
    pub(super) fn first(&self, piece: &str) -> Option<usize> {
        piece.starts_with(&self.start).then(|| self.number(piece))?
    }

    fn number(&self, mark: &str) -> Option<usize> {
        let (number, rest) = mark[self.start.len()..].split_once('x')?;
        rest.starts_with("ile:").then(|| number.parse().ok())?
    }
}
