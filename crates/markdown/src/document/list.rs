//! Lists and their items, tasks among them.

use pulldown_cmark::{Event, Tag};

use super::page::Page;

impl Page {
    pub(super) fn start_list(&mut self, first: Option<u64>) {
        self.html.line();
        match first {
            None => self.html.push("<ul>\n"),
            Some(1) => self.html.push("<ol>\n"),
            Some(first) => self.html.push(&format!("<ol start=\"{first}\">\n")),
        }
    }

    pub(super) fn end_list(&mut self, is_ordered: bool) {
        self.html.push(if is_ordered { "</ol>\n" } else { "</ul>\n" });
    }

    /// The box has a name of its own: the text beside it may hold links and lists, which a `<label>` may not.
    pub(super) fn start_item(&mut self, inside: &[Event]) {
        self.html.line();
        self.html.push(match inside {
            [Event::TaskListMarker(is_done), ..]
            | [Event::Start(Tag::Paragraph), Event::TaskListMarker(is_done), ..] => match is_done {
                true => {
                    "<li class=\"task\"><input type=\"checkbox\" disabled checked aria-label=\"Completed task\"> "
                }
                false => "<li class=\"task\"><input type=\"checkbox\" disabled aria-label=\"Incomplete task\"> ",
            },
            _ => "<li>",
        });
    }
}
