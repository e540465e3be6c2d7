//! Headings: levels, anchors, and the title, which is not shown twice.

use recto_markdown::{Style, render, render_page};

use crate::page;

/// Level, anchor and text of each heading.
fn outline(text: &str) -> Vec<(u8, String, String)> {
    page(text).headings.into_iter().map(|heading| (heading.level, heading.id, heading.text)).collect()
}

fn check_levels(text: &str, levels: &[u8]) {
    let shown: Vec<u8> = page(text).headings.iter().map(|heading| heading.level).collect();
    assert_eq!(shown, levels, "{text}");
}

#[test]
fn a_heading_links_to_itself_after_its_text() {
    crate::check(
        "## The *Request*",
        "<h2 id=\"the-request\">The <em>Request</em> \
         <a class=\"anchor\" href=\"#the-request\" aria-label=\"Link to this section\"></a></h2>\n",
    );
}

#[test]
fn headings_are_listed_as_plain_text() {
    let owned = |level, id: &str, text: &str| (level, id.to_owned(), text.to_owned());
    assert_eq!(
        outline("## A `b` & [c](d)\n\nTwo\nlines\n---\n\n> ### Quoted ![image](x.png)"),
        [
            owned(2, "a-b--c", "A b & c"),
            owned(2, "two-lines", "Two lines"),
            owned(3, "quoted-image", "Quoted image")
        ]
    );
}

#[test]
fn an_empty_heading_is_not_listed() {
    assert_eq!(outline("##\n\n## A"), [(2, "a".into(), "A".into())]);
}

#[test]
fn anchors_are_unique_in_a_page() {
    let ids: Vec<String> =
        outline("## A\n\n## A\n\n## Main\n\n## a-1").into_iter().map(|(_, id, _)| id).collect();
    assert_eq!(ids, ["a", "a-1", "main-1", "a-1-1"]);
}

/// Anchor and text of the first heading.
fn check_id(text: &str, id: &str, shown: &str) {
    let heading = page(text).headings.remove(0);
    assert_eq!((heading.id.as_str(), heading.text.as_str()), (id, shown), "{text}");
}

#[test]
fn a_heading_may_choose_its_anchor() {
    crate::check(
        "## Install *it* {#setup}",
        "<h2 id=\"setup\">Install <em>it</em> \
         <a class=\"anchor\" href=\"#setup\" aria-label=\"Link to this section\"></a></h2>\n",
    );
    check_id("## Install{#Set_up-2.0} ##", "Set_up-2.0", "Install");
    check_id("Install `a` {#größe}\n---", "größe", "Install a");
    check_id("# [Install](/a) {#b}", "b", "Install");
    assert_eq!(page("# The title {#a}\n\nText.").html, "<p>Text.</p>\n");
}

#[test]
fn braces_without_a_valid_id_are_shown() {
    check_id("## GET /users/{id}", "get-usersid", "GET /users/{id}");
    check_id("## A {.class}", "a-class", "A {.class}");
    check_id("## A {#b c}", "a-b-c", "A {#b c}");
    check_id("## A {#fn:1}", "a-fn1", "A {#fn:1}");
    check_id("## A {#}", "a-", "A {#}");
    check_id("## {#a}", "a", "{#a}");
    check_id("## A \\{#b}", "a-b", "A {#b}");
    check_id("## A `{#b}`", "a-b", "A {#b}");
    check_id("## A {#b} c", "a-b-c", "A {#b} c");
}

#[test]
fn chosen_anchors_are_unique_too() {
    let ids: Vec<String> =
        outline("## A {#b}\n\n## B\n\n## C {#b}\n\n## D {#main}").into_iter().map(|(_, id, _)| id).collect();
    assert_eq!(ids, ["b", "b-1", "b-2", "main-1"]);
}

#[test]
fn a_first_heading_that_repeats_the_title_is_left_out() {
    let first_level =
        ["# The title", "# the TITLE\n", "The title\n===", "#  The  *title* #", "# The `title`"];
    for text in first_level.into_iter().chain(["## The title", "The title\n---", "###### *The* title"]) {
        assert_eq!(page(text).html, "", "{text}");
        assert_eq!(page(text).headings, [], "{text}");
    }
}

#[test]
fn a_title_with_code_is_repeated_by_a_heading_with_code() {
    for text in ["# Run `a b`", "## run  a b"] {
        assert_eq!(render_page(text, "Run `a b`", "/docs/a", Style::default()).unwrap().html, "", "{text}");
    }
}

#[test]
fn only_a_first_heading_repeats_the_title() {
    check_levels("## The title\n\n## The title", &[2]);
    check_levels("Text\n\n# The title", &[2]);
    check_levels("# Another title", &[2]);
}

#[test]
fn the_title_is_the_only_heading_of_the_first_level() {
    check_levels("# A\n\n## B\n\n### C", &[2, 3, 4]);
    check_levels("# The title\n\n## A\n\n### B", &[2, 3]);
    check_levels("# The title\n\n# A\n\n## B", &[2, 3]);
}

#[test]
fn headings_before_the_first_h1_keep_their_level() {
    check_levels("## A\n\n### B\n\n# C\n\n## D", &[2, 3, 2, 3]);
}

#[test]
fn there_is_no_seventh_level() {
    check_levels("# A\n\n###### B", &[2, 6]);
}

#[test]
fn without_a_title_headings_stay_as_written() {
    let rendered = render("# The title\n\n## A", Style::default()).unwrap();
    let levels: Vec<u8> = rendered.headings.iter().map(|heading| heading.level).collect();
    assert_eq!(levels, [1, 2]);
}
