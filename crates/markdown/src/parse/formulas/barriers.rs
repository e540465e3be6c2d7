//! Ranges whose boundaries a formula must not cross: code, links and tags, as parsed without math.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::parse::{Events, is_block};
use crate::raw_html::Html;

#[derive(Default)]
pub(super) struct Barriers {
    /// Code spans, and everything between `<code>` and `</code>`; in order, not overlapping.
    code: Vec<Range<usize>>,
    /// Links, images, their destinations, and tags: a formula may be inside one, or contain one. Sorted by start.
    whole: Vec<Range<usize>>,
    /// The same, sorted by end.
    ends: Vec<Range<usize>>,
}

impl Barriers {
    pub(super) fn in_events(events: Events) -> Barriers {
        let mut barriers = Barriers::default();
        let (mut html, mut end) = (Html::default(), 0);
        for (event, range) in events {
            let next_end = if matches!(event, Event::Start(_)) { range.start } else { range.end };
            match event {
                Event::Code(_) if html.shows_text() => barriers.code.push(range),
                Event::Start(Tag::Link { .. } | Tag::Image { .. }) => barriers.whole.push(range),
                // The part after the link's text.
                Event::End(TagEnd::Link | TagEnd::Image) => barriers.whole.push(end..range.end),
                Event::InlineHtml(tag) => {
                    let was_code = !html.shows_text();
                    html.read(&tag, &mut |_| {});
                    match barriers.code.last_mut().filter(|_| was_code) {
                        Some(code) => code.end = range.end,
                        None if html.shows_text() => barriers.whole.push(range),
                        None => barriers.code.push(range),
                    }
                }
                event if is_block(&event) => html = Html::default(),
                // Text after `<code>` is code.
                _ if !html.shows_text() => {
                    if let Some(code) = barriers.code.last_mut() {
                        code.end = range.end.max(code.end);
                    }
                }
                _ => {}
            }
            end = next_end;
        }
        barriers.ends = barriers.whole.clone();
        barriers.ends.sort_unstable_by_key(|range| range.end);
        barriers
    }

    pub(super) fn cut(&self, formula: &Range<usize>) -> bool {
        self.cut_by_code(formula) || self.cut_by_whole(formula)
    }

    fn cut_by_code(&self, formula: &Range<usize>) -> bool {
        let next = self.code.partition_point(|code| code.end <= formula.start);
        // GitHub's other notation: $`x`$
        let inside = formula.start + 1..formula.end - 1;
        self.code.get(next).is_some_and(|code| code.start < formula.end && *code != inside)
    }

    fn cut_by_whole(&self, formula: &Range<usize>) -> bool {
        let after_start = self.whole.partition_point(|range| range.start <= formula.start);
        let mut begun = self.whole[after_start..].iter().take_while(|range| range.start < formula.end);
        let after_end = self.ends.partition_point(|range| range.end <= formula.start);
        let mut ended = self.ends[after_end..].iter().take_while(|range| range.end < formula.end);
        begun.any(|range| range.end > formula.end) || ended.any(|range| range.start < formula.start)
    }
}
