//! Task lists, links, strikethrough, and raw HTML.

use crate::check;

#[test]
fn the_checkbox_of_a_task_has_a_label() {
    check(
        "- [ ] a\n- [x] b",
        "<ul>\n<li class=\"task\"><input type=\"checkbox\" disabled aria-label=\"Incomplete task\"> a</li>\n\
         <li class=\"task\"><input type=\"checkbox\" disabled checked aria-label=\"Completed task\"> b</li>\n</ul>\n",
    );
}

#[test]
fn a_line_that_begins_with_a_colon_is_text() {
    check("Recto\n\n: The right-hand page.\n", "<p>Recto</p>\n<p>: The right-hand page.</p>\n");
}

#[test]
fn bare_urls_are_links() {
    check(
        "See https://example.com/a?b=c&d, www.example.com or me@example.com.",
        "<p>See <a href=\"https://example.com/a?b=c&amp;d\">https://example.com/a?b=c&amp;d</a>, \
         <a href=\"http://www.example.com\">www.example.com</a> or \
         <a href=\"mailto:me@example.com\">me@example.com</a>.</p>\n",
    );
}

#[test]
fn raw_html_stays_unchanged() {
    check("<div class=\"a\">\n*b*\n</div>", "<div class=\"a\">\n*b*\n</div>\n");
    check("A <kbd>Ctrl</kbd>.", "<p>A <kbd>Ctrl</kbd>.</p>\n");
}

#[test]
fn void_elements_have_no_slash() {
    check("a\\\nb\n\n---", "<p>a<br>\nb</p>\n<hr>\n");
}

#[test]
fn punctuation_stays_as_written() {
    check("\"A\" -- it's...", "<p>&quot;A&quot; -- it's...</p>\n");
}

#[test]
fn unmatched_tildes_do_not_affect_the_rest() {
    check("~x~~ **b**", "<p>~x~~ <strong>b</strong></p>\n");
    check("~x~ ~~y~~ ~~~z~~~", "<p><del>x</del> <del>y</del> ~~~z~~~</p>\n");
}
