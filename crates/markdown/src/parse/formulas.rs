//! Which `$…$` are formulas, where the parser is more generous than GitHub.
//!
//! Code and links come first: ``$HOME or `$PATH` `` is no formula, nor is `[$a](b$)`. And a `$` that a digit follows ends
//! none, as in `$5–$10`. (That a formula neither begins nor ends with white space the parser knows.)

mod barriers;

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Tag, TagEnd};

use self::barriers::Barriers;
use super::{OPTIONS, events_with, plain_events};
use crate::TooComplex;
use crate::limits::Budget;

/// Where one formula is none, its closing `$` may seem to begin another, and so on.
const ROUNDS: usize = 8;

const WITHOUT_MATH: Options = OPTIONS.difference(Options::ENABLE_MATH);

/// The text with a backslash before each `$` that begins no formula, though the parser would think so.
pub(super) fn escaped<'t>(mut text: Cow<'t, str>, budget: &Budget) -> Result<Cow<'t, str>, TooComplex> {
    if text.bytes().filter(|byte| *byte == b'$').take(2).count() < 2 {
        return Ok(text);
    }
    for round in 0..=ROUNDS {
        let formulas = formulas(&text, budget)?;
        if formulas.is_empty() {
            break;
        }
        let barriers = Barriers::in_events(events_with(WITHOUT_MATH, &text, budget)?);
        let wrong = formulas.into_iter().filter(|formula| is_price(&text, formula) || barriers.cut(formula));
        let mut wrong: Vec<usize> = wrong.map(|formula| formula.start).collect();
        if wrong.is_empty() {
            break;
        }
        if round == ROUNDS {
            // No mathematics is such a tangle.
            wrong = dollars(&text, budget)?;
        }
        text = Cow::Owned(with_backslashes(&text, &wrong));
    }
    Ok(text)
}

fn formulas(text: &str, budget: &Budget) -> Result<Vec<Range<usize>>, TooComplex> {
    let events = plain_events(text, budget)?.into_iter();
    let is_formula = |event: &Event| matches!(event, Event::InlineMath(_) | Event::DisplayMath(_));
    Ok(events.filter(|(event, _)| is_formula(event)).map(|(_, range)| range).collect())
}

fn is_price(text: &str, formula: &Range<usize>) -> bool {
    let is_inline = !text[formula.clone()].starts_with("$$");
    is_inline && text[formula.end..].starts_with(|char: char| char.is_ascii_digit())
}

/// Every `$` that could begin a formula.
fn dollars(text: &str, budget: &Budget) -> Result<Vec<usize>, TooComplex> {
    let (mut dollars, mut in_code) = (vec![], false);
    for (event, range) in events_with(WITHOUT_MATH, text, budget)? {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(_) if !in_code => {
                let found = text[range.clone()].match_indices('$').map(|(at, _)| range.start + at);
                dollars.extend(found.filter(|at| !text[..*at].ends_with('\\')));
            }
            _ => {}
        }
    }
    Ok(dollars)
}

fn with_backslashes(text: &str, before: &[usize]) -> String {
    let mut escaped = String::with_capacity(text.len() + before.len());
    let mut copied = 0;
    for &at in before {
        escaped.push_str(&text[copied..at]);
        escaped.push('\\');
        copied = at;
    }
    escaped + &text[copied..]
}
