//! Headings, each with a link to itself, and their levels: a page has one `h1`, its title.

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};

use super::page::Page;
use super::plain::{end_of, shown_text_of, text_of};
use crate::limits::{Budget, CPU_TIME};
use crate::{Heading, Quotes, parse};

pub(super) enum Outline {
    AsWritten,
    /// Below a title that the page already shows.
    Below,
    /// The same, after a `#` in the text: everything is one level deeper.
    BelowHeading,
}

impl Outline {
    /// Also returns the index of the first event to write: a first heading that only repeats the title is skipped.
    pub(super) fn below(title: &str, quotes: Option<Quotes>, events: &[Event]) -> (Outline, usize) {
        let Some(Event::Start(Tag::Heading { .. })) = events.first() else { return (Outline::Below, 0) };
        let end = end_of(events, 0);
        let is_repeated = is_same(&shown_text_of(&events[..end], quotes), title);
        (Outline::Below, if is_repeated { end + 1 } else { 0 })
    }

    /// The level at which the next heading is shown.
    pub(super) fn level(&mut self, written: u8) -> u8 {
        if matches!(self, Outline::Below) && written == 1 {
            *self = Outline::BelowHeading;
        }
        match self {
            Outline::AsWritten | Outline::Below => written,
            Outline::BelowHeading => (written + 1).min(6),
        }
    }
}

/// The text of the first heading that has one.
pub(crate) fn first_heading(text: &str) -> Option<String> {
    let budget = Budget::new(CPU_TIME);
    let prepared = parse::prepared(text, &budget).ok()?;
    let mut events = parse::events(&prepared, &budget).ok()?;
    take_ids(&mut events);
    let starts = (0..events.len()).filter(|&at| matches!(events[at], Event::Start(Tag::Heading { .. })));
    let mut texts = starts.map(|start| text_of(&events[start..end_of(&events, start)]).trim().to_owned());
    texts.find(|text| !text.is_empty())
}

/// Ignores case and white space; a title is not Markdown, but may have backticks around code.
fn is_same(heading: &str, title: &str) -> bool {
    let [heading, title] = [heading, title].map(|text| text.replace('`', "").to_lowercase());
    heading.split_whitespace().eq(title.split_whitespace())
}

/// Turns a `{#id}` at the end of a heading into its id. (The parser could do that, too, but then removes everything in
/// braces, such as the end of `GET /users/{id}`.)
pub(super) fn take_ids(events: &mut [Event]) {
    let mut start = 0;
    for at in 0..events.len() {
        match &events[at] {
            Event::Start(Tag::Heading { .. }) => start = at,
            Event::End(TagEnd::Heading(_)) => {
                let Event::Text(text) = &events[at - 1] else { continue };
                let Some((before, id)) = split_id(text) else { continue };
                let (before, taken) = (CowStr::from(before.to_owned()), CowStr::from(id.to_owned()));
                events[at - 1] = Event::Text(before);
                if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                    *id = Some(taken);
                }
            }
            _ => {}
        }
    }
}

/// Splits a text into the part before its final `{#id}`, and the id. The first part must not be empty: an escaped `\{`
/// begins an event of its own.
fn split_id(text: &str) -> Option<(&str, &str)> {
    let (before, id) = text.trim_end().strip_suffix('}')?.rsplit_once("{#")?;
    let is_valid = |char: char| char.is_alphanumeric() || "-_.".contains(char);
    (!before.is_empty() && !id.is_empty() && id.chars().all(is_valid)).then(|| (before.trim_end(), id))
}

impl Page {
    pub(super) fn start_heading(&mut self, level: u8, id: Option<&str>, events: &[Event], at: usize) {
        self.excerpt.mute();
        self.plain_text.start_heading();
        let level = self.outline.level(level);
        let inside = &events[at..end_of(events, at)];
        let id = match id {
            Some(id) => self.anchors.claim_id(id.to_owned()),
            None => self.anchors.claim(text_of(inside).trim()),
        };
        let text = shown_text_of(inside, self.style.quotes).trim().to_owned();
        self.html.line();
        self.html.push(&format!("<h{level} id=\"{id}\">"));
        self.heading = Some(Heading { level, id, text });
    }

    /// The link comes last, after a space: a screen reader announces the heading first, then the link. Its sign is made
    /// by the style sheet, so that it is not part of the heading for programs that read the text.
    pub(super) fn end_heading(&mut self) {
        self.excerpt.unmute();
        let Some(heading) = self.heading.take() else { return };
        let Heading { level, id, text } = &heading;
        let label = self.style.words.section_link;
        self.html
            .push(&format!(" <a class=\"anchor\" href=\"#{id}\" aria-label=\"{label}\"></a></h{level}>\n"));
        if !text.is_empty() {
            self.headings.push(heading);
            self.plain_text.end_heading();
        }
    }
}
