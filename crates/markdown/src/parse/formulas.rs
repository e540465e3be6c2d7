//! Decides which `$…$` are formulas, where the parser accepts more than GitHub.
//!
//! Code and links take precedence: ``$HOME or `$PATH` `` is not a formula, nor is `[$a](b$)`. A `$` followed by a digit
//! does not end a formula, as in `$5–$10`. (The parser itself requires that formulas neither begin nor end with white
//! space.)

mod barriers;

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Tag};

use self::barriers::Barriers;
use super::{OPTIONS, events_with, is_block, plain_events};
use crate::TooComplex;
use crate::limits::Budget;

/// When one `$…$` is not a formula, its closing `$` may seem to begin another, and so on.
const ROUNDS: usize = 4;

const WITHOUT_MATH: Options = OPTIONS.difference(Options::ENABLE_MATH);

/// The text with a backslash before each `$` that the parser would wrongly take as the beginning of a formula.
pub(super) fn escaped<'t>(mut text: Cow<'t, str>, budget: &Budget) -> Result<Cow<'t, str>, TooComplex> {
    if memchr::memchr_iter(b'$', text.as_bytes()).take(2).count() < 2 {
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
            // Still not settled: give up on the formulas of these blocks.
            wrong = dollars_around(&text, &wrong, budget)?;
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

/// Every literal `$` in the blocks that contain one of these offsets.
fn dollars_around(text: &str, wrong: &[usize], budget: &Budget) -> Result<Vec<usize>, TooComplex> {
    let (mut dollars, mut block, mut in_code) = (vec![], vec![], false);
    for (event, range) in events_with(WITHOUT_MATH, text, budget)? {
        if is_block(&event) {
            in_code = matches!(event, Event::Start(Tag::CodeBlock(_)));
            let is_meant = block.iter().any(|at| wrong.binary_search(at).is_ok());
            dollars.extend(std::mem::take(&mut block).into_iter().filter(|_| is_meant));
        } else if let Event::Text(_) = event
            && !in_code
        {
            let found = text[range.clone()].match_indices('$').map(|(at, _)| range.start + at);
            block.extend(found.filter(|at| !text[..*at].ends_with('\\')));
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn check(text: &str, expected: &str) {
        let budget = Budget::new(Duration::from_secs(10));
        assert_eq!(escaped(Cow::Borrowed(text), &budget).unwrap(), expected);
    }

    #[test]
    fn a_dollar_that_begins_no_formula_is_escaped() {
        check("a $b$ c", "a $b$ c");
        check("$b `c$` d", "\\$b `c$` d");
        check("$5-$6", "\\$5-$6");
    }

    #[test]
    fn a_block_with_too_many_false_formulas_has_none() {
        // Each `$…$` that is not a formula makes the next one seem to be one.
        let tangle = "$1-".repeat(100);
        check(&format!("$x$\n\n{tangle}\n\n$y$"), &format!("$x$\n\n{}\n\n$y$", tangle.replace('$', "\\$")));
    }
}
