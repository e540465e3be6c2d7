//! The whole text of a page without markup, by heading: for search.

/// Blocks are separated by an empty line, lines of a block by a line break.
#[derive(Default)]
pub(crate) struct PlainText {
    text: String,
    /// Where the text below each heading begins.
    starts: Vec<usize>,
    /// Where the text of the open heading begins.
    heading: usize,
}

impl PlainText {
    pub(crate) fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(crate) fn line(&mut self) {
        self.text.push('\n');
    }

    /// A boundary between two blocks.
    pub(crate) fn block(&mut self) {
        while !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub(crate) fn start_heading(&mut self) {
        self.heading = self.text.len();
    }

    /// The heading itself is not part of the text below it.
    pub(crate) fn end_heading(&mut self) {
        self.text.truncate(self.heading);
        self.starts.push(self.text.len());
    }

    pub(crate) fn into_parts(self) -> (String, Vec<usize>) {
        (self.text, self.starts)
    }
}
