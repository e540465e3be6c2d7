//! Blocks of code.

use pulldown_cmark::{CodeBlockKind, Event};

use super::page::Page;
use super::plain::{end_of, text_of};
use crate::highlight::highlight;

/// Code that its colours make larger than this, and than so many times itself, is data, and shown without.
const MAX_COLOURED: (usize, usize) = (128 * 1024, 4);

impl Page {
    /// A block that scrolls must be reachable by keyboard, hence the `tabindex`.
    pub(super) fn put_code(&mut self, kind: &CodeBlockKind, events: &[Event], at: usize) -> usize {
        let end = end_of(events, at);
        let mut code = text_of(&events[at..end]);
        if !code.is_empty() && !code.ends_with('\n') {
            code.push('\n');
        }
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        self.html.line();
        if language == "math" {
            self.put_formula_block(&code);
        } else {
            self.html.push("<pre tabindex=\"0\"><code");
            if !language.is_empty() {
                self.html.attribute("class", &format!("language-{language}"));
            }
            self.html.push(">");
            self.put_coloured(language, &code);
            self.html.push("</code></pre>\n");
        }
        self.excerpt.space();
        end + 1
    }

    fn put_coloured(&mut self, language: &str, code: &str) {
        let mut coloured = String::with_capacity(code.len() * 3);
        highlight(language, code, &mut coloured);
        match coloured.len() > MAX_COLOURED.0.max(code.len() * MAX_COLOURED.1) {
            true => self.html.text(code),
            false => self.html.push(&coloured),
        }
    }
}
