//! Sets the lines apart that begin and end blocks: `:::details`, `:::steps`, `:::cards`, `:::tabs`.
//!
//! To the parser they are text, which may be part of a paragraph, or of an item of the list before them. So each gets
//! empty lines around it, and a mark, by which `document::blocks` recognises it among the parser's events.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use super::events_with;
use crate::TooComplex;
use crate::limits::Budget;

/// A character that no text may contain: a text that does has no blocks.
pub(crate) const MARK: char = '\u{fdd0}';

/// Deeper nested blocks stay text, so that the search for the block that a line ends is short.
const MAX_DEPTH: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Details,
    Steps,
    Cards,
    Tabs,
}

/// A line that has a meaning in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockLine<'t> {
    Begin {
        kind: BlockKind,
        colons: usize,
        title: &'t str,
    },
    End {
        colons: usize,
    },
    /// `== Name`, in a block of tabs.
    Tab {
        title: &'t str,
    },
}

impl BlockLine<'_> {
    /// Parses a line, or its beginning up to the first markup.
    pub(crate) fn parse(line: &str) -> Option<BlockLine<'_>> {
        let line = line.trim_start();
        if let Some(title) = line.strip_prefix("== ") {
            return Some(BlockLine::Tab { title: title.trim_start() });
        }
        let after = line.trim_start_matches(':');
        let colons = line.len() - after.len();
        let name = after.trim_start();
        if colons < 3 {
            return None;
        }
        if name.is_empty() {
            return Some(BlockLine::End { colons });
        }
        let (name, title) = name.split_once(char::is_whitespace).unwrap_or((name, ""));
        let title = title.trim_start();
        let kind = match name {
            "details" => BlockKind::Details,
            "steps" if title.is_empty() => BlockKind::Steps,
            "cards" if title.is_empty() => BlockKind::Cards,
            "tabs" if title.is_empty() => BlockKind::Tabs,
            _ => return None,
        };
        Some(BlockLine::Begin { kind, colons, title })
    }
}

/// The text with the lines of its blocks set apart. A block that is not closed, or of an unknown kind, stays text.
pub(super) fn set_apart<'t>(text: Cow<'t, str>, budget: &Budget) -> Result<Cow<'t, str>, TooComplex> {
    if memchr::memmem::find(text.as_bytes(), b":::").is_none()
        || text.contains(MARK)
        || lines_of_blocks(&text, &[]).is_empty()
    {
        return Ok(text);
    }
    let verbatim = verbatim(&text, budget)?;
    let mut apart = String::with_capacity(text.len() + 1024);
    let mut copied = 0;
    for line in lines_of_blocks(&text, &verbatim) {
        let content = &text[line.clone()];
        let indent = content.len() - content.trim_start().len();
        apart.push_str(&text[copied..line.start]);
        apart.push('\n');
        apart.push_str(&content[..indent]);
        apart.push(MARK);
        apart.push_str(&content[indent..]);
        apart.push('\n');
        copied = line.end;
    }
    apart.push_str(&text[copied..]);
    Ok(Cow::Owned(apart))
}

/// An open block: its first line, and those of its tabs.
struct Open {
    kind: BlockKind,
    colons: usize,
    lines: Vec<Range<usize>>,
}

/// The lines that begin, divide or end the blocks that are closed, in order; each with its line break.
fn lines_of_blocks(text: &str, verbatim: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut found, mut open, mut start) = (vec![], Vec::<Open>::new(), 0);
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let Some(parsed) = BlockLine::parse(line).filter(|_| !is_within(range.start, verbatim)) else {
            continue;
        };
        match parsed {
            BlockLine::Begin { kind, colons, .. } if open.len() < MAX_DEPTH => {
                open.push(Open { kind, colons, lines: vec![range] });
            }
            BlockLine::Begin { .. } => {}
            BlockLine::Tab { .. } => {
                let tabs = open.last_mut().filter(|block| block.kind == BlockKind::Tabs);
                tabs.into_iter().for_each(|block| block.lines.push(range.clone()));
            }
            BlockLine::End { colons } => {
                if let Some(at) = open.iter().rposition(|block| block.colons == colons) {
                    found.append(&mut open[at].lines);
                    found.push(range);
                    open.truncate(at);
                }
            }
        }
    }
    found.sort_unstable_by_key(|line| line.start);
    found
}

fn is_within(at: usize, ranges: &[Range<usize>]) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.start <= at)
}

/// Code blocks, and the HTML blocks that an empty line does not end; in order.
fn verbatim(text: &str, budget: &Budget) -> Result<Vec<Range<usize>>, TooComplex> {
    const UNENDED: [&str; 6] = ["<pre", "<script", "<style", "<textarea", "<!", "<?"];
    let begins =
        |html: &str, tag: &str| html.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag));
    let events = events_with(super::OPTIONS, text, budget)?.into_iter();
    let is_verbatim = |event: &Event, range: &Range<usize>| match event {
        Event::Start(Tag::CodeBlock(_)) => true,
        Event::Start(Tag::HtmlBlock) => {
            UNENDED.iter().any(|tag| begins(text[range.clone()].trim_start(), tag))
        }
        _ => false,
    };
    Ok(events.filter(|(event, range)| is_verbatim(event, range)).map(|(_, range)| range).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::CPU_TIME;

    fn check(text: &str, expected: &str) {
        let apart = set_apart(Cow::Borrowed(text), &Budget::new(CPU_TIME)).unwrap();
        assert_eq!(apart.replace(MARK, "@"), expected, "{text}");
    }

    #[test]
    fn the_lines_of_a_block_are_set_apart() {
        check("a\n:::details b\nc\n:::\nd", "a\n\n@:::details b\n\nc\n\n@:::\n\nd");
        check("::: tabs\n== a\nb\n:::", "\n@::: tabs\n\n\n@== a\n\nb\n\n@:::\n");
        check("- a\n  :::steps\n  :::\n", "- a\n\n  @:::steps\n\n\n  @:::\n\n");
        check("::::steps\n:::cards\n:::\n::::", "\n@::::steps\n\n\n@:::cards\n\n\n@:::\n\n\n@::::\n");
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for text in [
            ":::details",
            ":::note\n:::",
            ":::steps with a title\n:::",
            ":::details\n::::",
            "::steps\n::",
            "\\:::steps\n:::",
            "== a\n",
            "```\n:::steps\n:::\n```",
            "<pre>\n:::steps\n:::\n</pre>",
            "\u{fdd0}\n:::steps\n:::",
        ] {
            let apart = set_apart(Cow::Borrowed(text), &Budget::new(CPU_TIME)).unwrap();
            assert_eq!(apart, text);
        }
    }
}
