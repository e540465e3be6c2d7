//! Renders a text: parses it, then writes its HTML event by event.

mod alert;
mod block;
mod blocks;
mod code;
mod footnote;
mod heading;
pub(crate) mod html;
mod image;
mod inline;
mod page;
mod plain;
mod table;

use std::ops::Range;

use pulldown_cmark::Event;

use self::blocks::Blocks;
use self::footnote::Footnotes;
use self::heading::Outline;
pub(crate) use self::heading::first_heading;
pub use self::image::IMAGE_SIZES;
use self::page::Page;
use crate::limits::{Budget, CPU_TIME, max_html, too_long};
use crate::{Rendered, Style, TooComplex, parse};

/// How many events are written between two checks of the CPU time.
const EVENTS_PER_CHECK: usize = 64;

/// The page that a text is part of.
#[derive(Clone, Copy)]
pub(crate) struct Context<'p> {
    pub(crate) title: &'p str,
    pub(crate) path: &'p str,
}

pub(crate) fn render(text: &str, context: Option<Context<'_>>, style: Style) -> Result<Rendered, TooComplex> {
    render_within(text, context, style, Budget::new(CPU_TIME))
}

fn render_within(
    text: &str,
    context: Option<Context<'_>>,
    style: Style,
    budget: Budget,
) -> Result<Rendered, TooComplex> {
    let prepared = parse::prepared(text, &budget)?;
    let mut events = parse::events(&prepared, &budget)?;
    heading::take_ids(&mut events);
    let blocks = Blocks::take(&mut events);
    let (outline, first) = match context {
        Some(Context { title, .. }) => Outline::below(title, style.quotes, &events),
        None => (Outline::AsWritten, 0),
    };
    let mut page = Page::new(outline, Footnotes::of(&events), style, budget);
    page.path = context.map(|context| context.path.to_owned());
    page.blocks = blocks;
    write(&mut page, &events, first..events.len(), max_html(text))?;
    for number in page.begin_footnotes() {
        let inside = page.begin_footnote(number);
        write(&mut page, &events, inside, max_html(text))?;
        page.end_footnote();
    }
    page.end_footnotes();
    Ok(page.into_rendered())
}

fn write(page: &mut Page, events: &[Event], range: Range<usize>, max: usize) -> Result<(), TooComplex> {
    let (mut at, mut written) = (range.start, 0_usize);
    while at < range.end {
        if written.is_multiple_of(EVENTS_PER_CHECK) {
            page.budget.check()?;
        }
        at = page.put(events, at);
        written += 1;
        if page.html.len() > max {
            return Err(too_long());
        }
    }
    Ok(())
}

impl Page {
    /// Writes one event, or several that belong together, and returns the index of the next.
    fn put(&mut self, events: &[Event], at: usize) -> usize {
        match &events[at] {
            Event::Start(tag) => return self.start(tag, events, at),
            Event::End(tag) => self.end(*tag, at),
            event => self.put_inline(event, &events[at + 1..]),
        }
        at + 1
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_text_that_takes_too_long_to_parse_is_refused() {
        assert!(render_within("a", None, Style::default(), Budget::new(Duration::ZERO)).is_err());
    }

    #[test]
    fn a_text_that_takes_too_long_to_write_is_refused() {
        let events = parse::events("a $x$", &Budget::new(CPU_TIME)).unwrap();
        let write_within = |time| {
            let footnotes = Footnotes::of(&events);
            let mut page = Page::new(Outline::AsWritten, footnotes, Style::default(), Budget::new(time));
            write(&mut page, &events, 0..events.len(), 1000)
        };
        assert_eq!(write_within(CPU_TIME), Ok(()));
        assert!(write_within(Duration::ZERO).is_err());
    }
}
