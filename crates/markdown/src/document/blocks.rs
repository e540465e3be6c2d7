//! Blocks: `:::details`, `:::steps`, `:::cards`, `:::tabs`.
//!
//! A block ends where it began: in the same list item, or outside of all.

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};
use rustc_hash::FxHashMap;

use super::page::Page;
use super::plain::end_of;
use crate::parse::blocks::{BlockKind, BlockLine, MARK};

#[derive(Default)]
pub(super) struct Blocks {
    /// What the paragraph or the code block that begins at an event means.
    steps: FxHashMap<usize, Step>,
    /// The open groups of tabs: the number of each, and how many tabs have been written.
    groups: Vec<(usize, usize)>,
    groups_begun: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Begin(BlockKind),
    End(BlockKind),
    Tab,
}

/// A block that is not closed yet.
struct Open {
    kind: BlockKind,
    colons: usize,
    /// The event that begins it, and how many elements are open there.
    at: usize,
    depth: usize,
    /// `== Name`, and code blocks.
    names: Vec<usize>,
    codes: Vec<usize>,
}

impl Blocks {
    /// Finds the blocks, and removes their marks from the events.
    pub(super) fn take(events: &mut [Event]) -> Blocks {
        let mut blocks = Blocks::default();
        let has_mark = |event: &Event| matches!(event, Event::Text(text) if text.starts_with(MARK));
        if events.iter().any(has_mark) {
            blocks.find(events);
            events.iter_mut().for_each(without_mark);
        }
        blocks
    }

    fn find(&mut self, events: &mut [Event]) {
        let (mut open, mut depth, mut at) = (Vec::<Open>::new(), 0_usize, 0);
        while at < events.len() {
            match &events[at] {
                // Its last paragraph has a link back.
                Event::Start(Tag::FootnoteDefinition(_)) => at = end_of(events, at),
                Event::Start(Tag::CodeBlock(_)) => {
                    if let Some(block) = open.last_mut().filter(|block| block.depth == depth) {
                        block.codes.push(at);
                    }
                    depth += 1;
                }
                Event::Start(Tag::Paragraph) => {
                    if let Some(title) = self.read_line(events, at, depth, &mut open) {
                        events[at + 1] = Event::Text(title);
                    }
                    depth += 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(_) => {
                    depth -= 1;
                    open.retain(|block| block.depth <= depth);
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Reads a paragraph that may be a line of a block. Returns the title that is to be shown instead of its text.
    fn read_line<'t>(
        &mut self,
        events: &[Event<'t>],
        at: usize,
        depth: usize,
        open: &mut Vec<Open>,
    ) -> Option<CowStr<'t>> {
        let Event::Text(text) = &events[at + 1] else { return None };
        match BlockLine::parse(text.strip_prefix(MARK)?)? {
            BlockLine::Begin { kind, colons, title } => {
                open.push(Open { kind, colons, at, depth, names: vec![], codes: vec![] });
                Some(title.to_owned().into()).filter(|_| kind == BlockKind::Details)
            }
            BlockLine::Tab { title } => {
                let is_in_tabs = |block: &&mut Open| block.kind == BlockKind::Tabs && block.depth == depth;
                open.last_mut().filter(is_in_tabs)?.names.push(at);
                Some(title.to_owned().into())
            }
            BlockLine::End { colons } => {
                let begun = open.iter().rposition(|block| block.colons == colons && block.depth == depth)?;
                self.close(open.drain(begun..).next()?, at);
                None
            }
        }
    }

    fn close(&mut self, block: Open, end: usize) {
        self.steps.insert(block.at, Step::Begin(block.kind));
        self.steps.insert(end, Step::End(block.kind));
        if block.kind == BlockKind::Tabs {
            let tabs = if block.names.is_empty() { block.codes } else { block.names };
            self.steps.extend(tabs.into_iter().map(|at| (at, Step::Tab)));
        }
    }
}

fn without_mark(event: &mut Event) {
    if let Event::Text(text) | Event::Html(text) | Event::Code(text) = event
        && text.contains(MARK)
    {
        *text = CowStr::from(text.replace(MARK, ""));
    }
}

impl Page {
    /// Writes the line of a block, if this paragraph is one; returns the index of the next event.
    pub(super) fn put_block_line(&mut self, events: &[Event], at: usize) -> Option<usize> {
        let step = *self.blocks.steps.get(&at)?;
        self.html.line();
        match step {
            Step::Begin(BlockKind::Details) => {
                self.html.push("<details>\n");
                return Some(self.put_summary(events, at));
            }
            Step::Tab => {
                let label = self.begin_tab();
                return Some(self.open_paragraph(&label, "</label>\n<div>\n", at));
            }
            Step::Begin(BlockKind::Steps) => self.html.push("<div class=\"steps\">\n"),
            Step::Begin(BlockKind::Cards) => self.html.push("<div class=\"card-grid\">\n"),
            Step::Begin(BlockKind::Tabs) => {
                self.blocks.groups_begun += 1;
                self.blocks.groups.push((self.blocks.groups_begun, 0));
            }
            Step::End(BlockKind::Details) => self.html.push("</details>\n"),
            Step::End(BlockKind::Steps | BlockKind::Cards) => self.html.push("</div>\n"),
            Step::End(BlockKind::Tabs) => {
                let tabs = self.blocks.groups.pop().map_or(0, |(_, tabs)| tabs);
                self.html.push(if tabs > 0 { "</div>\n</div>\n" } else { "" });
            }
        }
        Some(end_of(events, at) + 1)
    }

    fn put_summary(&mut self, events: &[Event], at: usize) -> usize {
        match &events[at + 1..] {
            [Event::Text(title), Event::End(TagEnd::Paragraph), ..] if title.is_empty() => {
                self.html.push(&format!("<summary>{}</summary>\n", self.style.words.details));
                at + 3
            }
            _ => self.open_paragraph("<summary>", "</summary>\n", at),
        }
    }

    /// Begins the tab of a code block, if that is one. Returns whether it is.
    pub(super) fn begin_code_tab(&mut self, at: usize, name: &str) -> bool {
        if self.blocks.steps.get(&at) != Some(&Step::Tab) {
            return false;
        }
        let label = self.begin_tab();
        self.html.push(&label);
        match self.blocks.groups.last().filter(|_| name.is_empty()) {
            Some((_, number)) => self.html.push(&number.to_string()),
            None => self.html.text(name),
        }
        self.html.push("</label>\n<div>\n");
        true
    }

    /// Ends the tab before it, and returns the beginning of its label. Without a script, a radio button selects a tab.
    fn begin_tab(&mut self) -> String {
        let Some((group, tabs)) = self.blocks.groups.last_mut() else { return String::new() };
        *tabs += 1;
        let (before, checked) = match tabs {
            1 => ("<div class=\"tabs\">\n", " checked"),
            _ => ("</div>\n", ""),
        };
        format!("{before}<label><input type=\"radio\" name=\"tabs:{group}\"{checked}>")
    }
}
