//! Summaries and word counts.

use recto_markdown::show_source;

use crate::page;

fn check(text: &str, summary: &str, words: usize) {
    let page = page(text);
    assert_eq!((page.summary.as_str(), page.words), (summary, words), "{text}");
}

#[test]
fn the_summary_is_the_beginning_of_the_text() {
    check("A **bo**ld `word`\nand\\\n[a link](b).\n\n- More.", "A bold word and a link. More.", 7);
}

#[test]
fn the_title_is_not_counted() {
    check("# The title\n\nText.", "Text.", 1);
}

#[test]
fn front_matter_is_not_counted() {
    check("---\ntitle: Some words\n---\n# The title\n\nText.", "Text.", 1);
    check("+++\ntitle = 'Some words'\n+++\nText.", "Text.", 1);
    assert_eq!(show_source("---\na: b\n---\nText.").summary, "Text.");
}

#[test]
fn headings_and_tables_are_counted_and_not_quoted() {
    check("## One two\n\n| three |\n|---|\n| four |\n\nFive.", "Five.", 5);
}

#[test]
fn code_formulas_images_and_html_are_neither_counted_nor_quoted() {
    check("```\na b\n```\n\n$$c$$\n\n![d e](f.png)\n\n<p>g</p>\n\nText $h$ <b>i</b>.", "Text i.", 2);
}

#[test]
fn footnotes_are_counted_and_not_quoted() {
    check("Text.[^a]\n\n[^a]: Two words.", "Text.", 3);
}

#[test]
fn a_text_without_words_has_no_summary() {
    check("", "", 0);
    check("---", "", 0);
}
