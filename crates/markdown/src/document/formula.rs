//! Formulas: in a line, between lines, and in blocks of their own.

use super::page::Page;
use crate::math::{Display, mathml};

impl Page {
    pub(super) fn put_formula(&mut self, source: &str, display: Display) {
        // GitHub's other way to write one: $`x`$
        let source = source.strip_prefix('`').and_then(|source| source.strip_suffix('`')).unwrap_or(source);
        match mathml(source, display, &mut self.budget) {
            Some(mathml) => self.html.push(&mathml),
            None => self.put_formula_source(source),
        }
    }

    /// A formula may be wider than its column, and then scrolls.
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

    /// A formula we cannot read is shown as it was written.
    fn put_formula_source(&mut self, source: &str) {
        self.html.push("<code class=\"math-error\">");
        self.html.text(source);
        self.html.push("</code>");
    }
}
