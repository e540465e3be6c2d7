//! Blocks between lines of colons.

use recto_markdown::{Style, Words, render};

use crate::{check, page};

#[test]
fn details_have_a_summary() {
    check(
        ":::details More *about* `it`\nText.\n:::\nAfter.",
        "<details>\n<summary>More <em>about</em> <code>it</code></summary>\n<p>Text.</p>\n</details>\n<p>After.</p>\n",
    );
}

#[test]
fn details_without_a_summary_have_a_word_of_the_language() {
    const WORDS: Words = Words { details: "Einzelheiten", ..Words::ENGLISH };
    let style = Style { words: &WORDS, ..Style::default() };
    let html = render("::: details\n\nText.\n\n:::", style).unwrap().html;
    assert_eq!(html, "<details>\n<summary>Einzelheiten</summary>\n<p>Text.</p>\n</details>\n");
}

#[test]
fn steps_and_cards_enclose_what_they_contain() {
    check(
        ":::steps\n1. One\n2. Two\n:::",
        "<div class=\"steps\">\n<ol>\n<li>One</li>\n<li>Two</li>\n</ol>\n</div>\n",
    );
    check(
        ":::cards\n- [A](/a)\n  Text.\n:::",
        "<div class=\"card-grid\">\n<ul>\n<li><a href=\"/a\">A</a>\nText.</li>\n</ul>\n</div>\n",
    );
}

#[test]
fn tabs_have_names() {
    check(
        ":::tabs\n== Linux\nA.\n\n== *mac*OS\nB.\n:::",
        "<div class=\"tabs\">\n<label><input type=\"radio\" name=\"tabs:1\" checked>Linux</label>\n<div>\n<p>A.</p>\n\
         </div>\n<label><input type=\"radio\" name=\"tabs:1\"><em>mac</em>OS</label>\n<div>\n<p>B.</p>\n</div>\n</div>\n",
    );
}

#[test]
fn code_blocks_are_tabs_named_by_title_or_language() {
    let html = page(":::tabs\n```sh title=\"npm\"\na\n```\n```python\nb\n```\n```\nc\n```\n:::").html;
    let names: Vec<_> =
        html.split("</label>").filter_map(|tab| tab.rsplit_once("\">").map(|(_, name)| name)).collect();
    assert!(html.contains("name=\"tabs:1\" checked>npm</label>\n<div>\n<pre"), "{html}");
    assert_eq!(names[1..3], ["python", "3"], "{html}");
    assert!(!html.contains("figcaption"), "{html}");
}

#[test]
fn blocks_nest() {
    check(
        "::::details A\n:::details B\nText.\n:::\n::::",
        "<details>\n<summary>A</summary>\n<details>\n<summary>B</summary>\n<p>Text.</p>\n</details>\n</details>\n",
    );
    check(
        "- Item\n\n  :::details A\n  Text.\n  :::\n",
        "<ul>\n<li>\n<p>Item</p>\n<details>\n<summary>A</summary>\n<p>Text.</p>\n</details>\n</li>\n</ul>\n",
    );
    let html = page(":::tabs\n== A\n\n::::tabs\n== B\n::::\n:::\n\n:::tabs\n== C\n:::").html;
    let names = ["tabs:1", "tabs:2", "tabs:3"].map(|name| html.matches(name).count());
    assert_eq!(names, [1, 1, 1], "{html}");
}

#[test]
fn what_is_not_a_block_stays_text() {
    check(":::details A\nText.", "<p>:::details A\nText.</p>\n");
    check(":::joke\nText.\n:::", "<p>:::joke\nText.\n:::</p>\n");
    check("\\:::steps\n:::", "<p>:::steps\n:::</p>\n");
    check("== A\n", "<p>== A</p>\n");
    check("```\n:::steps\n:::\n```", "<pre tabindex=\"0\"><code>:::steps\n:::\n</code></pre>\n");
}

#[test]
fn a_block_ends_in_the_list_item_it_began_in() {
    let html = page("- a\n\n  :::steps\n\n- b\n\n  :::\n").html;
    assert!(html.contains("<p>:::steps</p>") && html.contains("<p>:::</p>"), "{html}");
}

#[test]
fn the_text_of_a_block_is_searched() {
    let page = page(":::details Sum\nIn.\n:::\n\n:::tabs\n== Tab\nOut.\n:::");
    assert_eq!(page.text.split_whitespace().collect::<Vec<_>>(), ["Sum", "In.", "Tab", "Out."]);
}
