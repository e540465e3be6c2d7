//! From the text to the parser's events. Beside `references`, what is above this only reads them.

mod formulas;
mod links;
mod pieces;

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, TagEnd};

use crate::TooComplex;
use crate::limits::{self, Budget};

/// What an event is made of: the text that stands for it, markup included.
pub(crate) type Events<'t> = Vec<(Event<'t>, Range<usize>)>;

/// So many events pass between two looks at the clock, which takes as long as some of them.
const STRIDE: usize = 64;

/// What we understand beside CommonMark. No description lists: they are no part of GFM, and `: ` begins many a line.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_MATH)
    // Alerts.
    .union(Options::ENABLE_GFM);

/// The text as the parser gets it: without a byte order mark, without U+0000 (which CommonMark wants replaced, and pages
/// are joined at), and with a backslash before each `$` that only seems to begin a formula.
pub(crate) fn prepared<'t>(text: &'t str, budget: &Budget) -> Result<Cow<'t, str>, TooComplex> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{fffd}")),
        false => Cow::Borrowed(text),
    };
    limits::check_nesting(&text)?;
    formulas::escaped(text, budget)
}

/// The events of a prepared text, bare URLs as links.
pub(crate) fn events<'t>(text: &'t str, budget: &Budget) -> Result<Vec<Event<'t>>, TooComplex> {
    Ok(links::linked(text, plain_events(text, budget)?))
}

/// The same, with bare URLs as they are.
pub(crate) fn plain_events<'t>(text: &'t str, budget: &Budget) -> Result<Events<'t>, TooComplex> {
    events_with(OPTIONS, text, budget)
}

fn events_with<'t>(options: Options, text: &'t str, budget: &Budget) -> Result<Events<'t>, TooComplex> {
    let mut events = Events::new();
    for (number, (event, range)) in Parser::new_ext(text, options).into_offset_iter().enumerate() {
        if number.is_multiple_of(STRIDE) {
            budget.check()?;
        }
        pieces::push(text, &mut events, event, range);
        if events.len() > limits::max_events(text) {
            return Err(limits::too_long());
        }
    }
    Ok(events)
}

/// Whether a block begins or ends: a paragraph, a list, a cell of a table.
pub(crate) fn is_block(event: &Event) -> bool {
    let end = match event {
        Event::Start(tag) => tag.to_end(),
        Event::End(end) => *end,
        event => return matches!(event, Event::Rule),
    };
    use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
    !matches!(end, Emphasis | Strong | Strikethrough | Link | Image)
}
