//! Code blocks, and formulas: inline, on their own line, and in blocks.

use highlight::highlight;
use pulldown_cmark::{CodeBlockKind, Event};

use super::page::Page;
use super::plain::{end_of, text_of};
use crate::math::{Display, mathml};

/// Highlighted code that is larger than this in bytes, and than this multiple of its source, is shown without
/// highlighting.
const MAX_HIGHLIGHTED: (usize, usize) = (128 * 1024, 4);

impl Page {
    /// A block that scrolls must be reachable by keyboard, so it has a `tabindex`.
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
            self.put_highlighted(language, &code);
            self.html.push("</code></pre>\n");
        }
        self.excerpt.space();
        self.plain_text.text(&code);
        self.plain_text.block();
        end + 1
    }

    fn put_highlighted(&mut self, language: &str, code: &str) {
        let mut coloured = String::with_capacity(code.len() * 3);
        highlight(language, code, &mut coloured);
        match coloured.len() > MAX_HIGHLIGHTED.0.max(code.len() * MAX_HIGHLIGHTED.1) {
            true => self.html.text(code),
            false => self.html.push(&coloured),
        }
    }
}

impl Page {
    pub(super) fn put_formula(&mut self, source: &str, display: Display) {
        // GitHub's other notation: $`x`$
        let source = source.strip_prefix('`').and_then(|source| source.strip_suffix('`')).unwrap_or(source);
        match mathml(source, display, &mut self.budget) {
            Some(mathml) => self.html.push(&mathml),
            None => self.put_formula_source(source),
        }
    }

    /// A formula wider than its column scrolls.
    pub(super) fn put_formula_block(&mut self, source: &str) {
        match mathml(source, Display::Block, &mut self.budget) {
            Some(mathml) => self.html.push(&format!("<div class=\"math\" tabindex=\"0\">{mathml}</div>\n")),
            None => {
                self.html.push("<pre tabindex=\"0\">");
                self.put_formula_source(source);
                self.html.push("</pre>\n");
            }
        }
    }

    /// A formula that cannot be converted is shown as its source.
    fn put_formula_source(&mut self, source: &str) {
        self.html.push("<code class=\"math-error\">");
        self.html.text(source);
        self.html.push("</code>");
    }
}
