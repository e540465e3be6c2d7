//! Turns bare URLs and e-mail addresses into links, as GFM specifies.
//!
//! The parser does not support them, and may have found emphasis inside one: `https://example.com/*/a_b_/*`. So they
//! are searched for in the text of a whole paragraph, and emphasis inside them is undone.

mod find;
mod flat;

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};

use self::flat::Flat;
use super::{Events, is_block};

pub(super) fn linked<'t>(text: &'t str, events: Events<'t>) -> Vec<Event<'t>> {
    if !find::may_contain_link(text) {
        return events.into_iter().map(|(event, _)| event).collect();
    }
    let (mut linked, mut run, mut in_code) = (Vec::with_capacity(events.len()), Events::new(), false);
    for (event, range) in events {
        if !is_block(&event) && !in_code {
            run.push((event, range));
            continue;
        }
        put_run(text, &mut run, &mut linked);
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => in_code = true,
            Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => in_code = false,
            _ => {}
        }
        linked.push(event);
    }
    put_run(text, &mut run, &mut linked);
    linked
}

/// Processes the inline events of one block.
fn put_run<'t>(text: &'t str, run: &mut Events<'t>, linked: &mut Vec<Event<'t>>) {
    let mut flat = Flat::new(text, std::mem::take(run));
    for found in find::links(flat.text()) {
        let Some(link) = flat.within_emphasis(found) else { continue };
        flat.put_until(link.range.start, linked);
        let shown = flat.take_until(link.range.end);
        let dest_url = CowStr::from(format!("{}{shown}", link.scheme));
        let (title, id) = (CowStr::Borrowed(""), CowStr::Borrowed(""));
        linked.push(Event::Start(Tag::Link { link_type: LinkType::Autolink, dest_url, title, id }));
        linked.push(Event::Text(CowStr::from(shown)));
        linked.push(Event::End(TagEnd::Link));
    }
    flat.put_until(usize::MAX, linked);
}
