//! Quotes, and alerts: `> [!NOTE]`, with the author's title or a default.

use pulldown_cmark::{BlockQuoteKind, Event, Tag};

use super::page::Page;
use super::plain::end_of;
use crate::Style;
use crate::punctuation::Punctuation;

impl Page {
    pub(super) fn start_quote(&mut self, kind: Option<BlockQuoteKind>, events: &[Event], at: usize) -> usize {
        if let Some(kind) = kind {
            self.open_alert(kind, self.style.words.alerts[kind as usize]);
            return at + 1;
        }
        if let Some((kind, title, next)) = titled(events, at, self.style) {
            self.open_alert(kind, &title);
            return match &events[next] {
                Event::End(_) => next + 1,
                _ => self.open_paragraph("<p>", "</p>\n", next - 1),
            };
        }
        self.html.line();
        self.html.push("<blockquote>\n");
        self.quotes.push("</blockquote>\n");
        at + 1
    }

    pub(super) fn end_quote(&mut self) {
        self.html.line();
        let end = self.quotes.pop().unwrap_or_default();
        self.html.push(end);
    }

    fn open_alert(&mut self, kind: BlockQuoteKind, title: &str) {
        self.html.line();
        self.html.push(&format!("<div class=\"note {}\" role=\"note\">\n<b>", class(kind)));
        self.html.text(title);
        self.html.push("</b>\n");
        self.quotes.push("</div>\n");
    }
}

/// Parses `[!note] A title` at the beginning of a quote, which the parser does not support. Returns the kind, the
/// title, and the index of the event after the title in the quote's first paragraph.
fn titled(events: &[Event], at: usize, style: Style) -> Option<(BlockQuoteKind, String, usize)> {
    if !matches!(events[at + 1], Event::Start(Tag::Paragraph)) {
        return None;
    }
    let Event::Text(first) = &events[at + 2] else { return None };
    let (tag, _) = first.strip_prefix("[!")?.split_once(']')?;
    let kind = KINDS.into_iter().find(|kind| name(*kind).eq_ignore_ascii_case(tag))?;
    let paragraph = &events[at + 2..end_of(events, at + 1)];
    let is_break = |event: &Event| matches!(event, Event::SoftBreak | Event::HardBreak);
    let line = paragraph.iter().position(is_break).unwrap_or(paragraph.len());
    let title = words_of(&paragraph[..line], style)?.split_once(']')?.1.trim().to_owned();
    let next = at + 2 + line;
    Some((kind, title, if line < paragraph.len() { next + 1 } else { next }))
}

/// The text of a title, including anything that looks like HTML. `None` if an element begins on this line and ends on
/// another.
fn words_of(events: &[Event], style: Style) -> Option<String> {
    let (mut words, mut open, mut punctuation) = (String::new(), 0, Punctuation::new(style.quotes));
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Text(text) => words.push_str(&punctuation.text(text, &events[at + 1..])),
            Event::Code(text) | Event::InlineHtml(text) => words.push_str(text),
            Event::InlineMath(text) | Event::DisplayMath(text) => words.push_str(text),
            Event::Start(_) => open += 1,
            Event::End(_) => open -= 1,
            _ => {}
        }
    }
    (open == 0).then_some(words)
}

const KINDS: [BlockQuoteKind; 5] = [
    BlockQuoteKind::Note,
    BlockQuoteKind::Tip,
    BlockQuoteKind::Important,
    BlockQuoteKind::Warning,
    BlockQuoteKind::Caution,
];

fn name(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "Note",
        BlockQuoteKind::Tip => "Tip",
        BlockQuoteKind::Important => "Important",
        BlockQuoteKind::Warning => "Warning",
        BlockQuoteKind::Caution => "Caution",
    }
}

fn class(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "info",
        BlockQuoteKind::Tip => "tip",
        BlockQuoteKind::Important => "important",
        BlockQuoteKind::Warning => "warning",
        BlockQuoteKind::Caution => "caution",
    }
}
