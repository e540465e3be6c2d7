//! Turns a text into the parser's events. Except for `references`, only this module calls the parser.

pub(crate) mod blocks;
mod formulas;
mod links;
mod pieces;

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, TagEnd};

use crate::TooComplex;
use crate::limits::{self, Budget};

/// Each event with the range of the text it was parsed from, including markup.
pub(crate) type Events<'t> = Vec<(Event<'t>, Range<usize>)>;

/// How many events are parsed between two checks of the CPU time; a check takes as long as some events.
const EVENTS_PER_CHECK: usize = 64;

/// Extensions to CommonMark. No description lists: they are not part of GFM, and many lines begin with `: `.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_MATH)
    // Alerts.
    .union(Options::ENABLE_GFM);

/// The text as passed to the parser: without a byte order mark, without U+0000 (which CommonMark requires to be
/// replaced, and at which pages are joined), with the lines of blocks set apart, and with a backslash before each `$`
/// that only seems to begin a formula.
pub(crate) fn prepared<'t>(text: &'t str, budget: &Budget) -> Result<Cow<'t, str>, TooComplex> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{fffd}")),
        false => Cow::Borrowed(text),
    };
    limits::check_nesting(&text)?;
    formulas::escaped(blocks::set_apart(text, budget)?, budget)
}

/// The events of a prepared text, with bare URLs as links.
pub(crate) fn events<'t>(text: &'t str, budget: &Budget) -> Result<Vec<Event<'t>>, TooComplex> {
    Ok(links::linked(text, plain_events(text, budget)?))
}

/// The same, with bare URLs as text.
pub(crate) fn plain_events<'t>(text: &'t str, budget: &Budget) -> Result<Events<'t>, TooComplex> {
    events_with(OPTIONS, text, budget)
}

fn events_with<'t>(options: Options, text: &'t str, budget: &Budget) -> Result<Events<'t>, TooComplex> {
    let mut events = Events::new();
    for (number, (event, range)) in Parser::new_ext(text, options).into_offset_iter().enumerate() {
        if number.is_multiple_of(EVENTS_PER_CHECK) {
            budget.check()?;
        }
        pieces::push(text, &mut events, event, range);
        if events.len() > limits::max_events(text) {
            return Err(limits::too_long());
        }
    }
    Ok(events)
}

/// Whether a block begins or ends: a paragraph, a list, a table cell.
pub(crate) fn is_block(event: &Event) -> bool {
    let end = match event {
        Event::Start(tag) => tag.to_end(),
        Event::End(end) => *end,
        event => return matches!(event, Event::Rule),
    };
    use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
    !matches!(end, Emphasis | Strong | Strikethrough | Link | Image)
}
