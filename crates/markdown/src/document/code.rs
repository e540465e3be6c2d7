//! Code blocks, and formulas: inline, on their own line, and in blocks.

mod info;
mod lines;

use highlight::highlight;
use pulldown_cmark::{CodeBlockKind, Event};

use self::info::Info;
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
        let mut info = match kind {
            CodeBlockKind::Fenced(info) => Info::parse(info),
            CodeBlockKind::Indented => Info::default(),
        };
        self.html.line();
        if self.begin_code_tab(at, info.title.unwrap_or(info.language)) {
            info.title = None;
        }
        if info.language == "math" {
            self.put_formula_block(&code);
        } else {
            self.put_block(&info, &code);
        }
        self.excerpt.space();
        self.plain_text.text(&code);
        self.plain_text.block();
        end + 1
    }

    /// A block with a title is a figure.
    fn put_block(&mut self, info: &Info<'_>, code: &str) {
        if let Some(title) = info.title {
            self.html.push("<figure class=\"code\"><figcaption><span>");
            self.html.text(title);
            self.html.push("</span></figcaption>");
        }
        self.html.push("<pre tabindex=\"0\"><code");
        if !info.language.is_empty() {
            self.html.attribute("class", &format!("language-{}", info.language));
        }
        self.html.push(">");
        self.put_highlighted(info, code);
        self.html.push(if info.title.is_some() { "</code></pre></figure>\n" } else { "</code></pre>\n" });
    }

    fn put_highlighted(&mut self, info: &Info<'_>, code: &str) {
        let mut coloured = String::with_capacity(code.len() * 3);
        highlight(info.language, code, &mut coloured);
        if coloured.len() > MAX_HIGHLIGHTED.0.max(code.len() * MAX_HIGHLIGHTED.1) {
            return self.html.text(code);
        }
        match info.marked.is_empty() {
            true => self.html.push(&coloured),
            false => self.html.push(&lines::mark(&coloured, &info.marked)),
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
