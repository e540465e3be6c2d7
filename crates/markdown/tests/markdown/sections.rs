//! The text without markup, by heading.

use recto_markdown::{Heading, Style, render_page, show_source};

/// The anchor and the text of each section.
fn sections(text: &str) -> Vec<(String, String)> {
    let rendered = render_page(text, "Title", "/page", Style::default()).unwrap();
    let owned = |(heading, text): (Option<&Heading>, &str)| {
        (heading.map(|heading| heading.id.clone()).unwrap_or_default(), text.trim().to_owned())
    };
    rendered.sections().map(owned).collect()
}

fn check(text: &str, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(id, text)| (id.to_string(), text.to_string())).collect();
    assert_eq!(sections(text), expected, "{text}");
}

#[test]
fn text_belongs_to_the_heading_above_it() {
    check("A *b*.\n\n## One\n\nC\n\n## Two `x`\n\nD", &[("", "A b."), ("one", "C"), ("two-x", "D")]);
    check("", &[("", "")]);
    check("## One\n## Two", &[("", ""), ("one", ""), ("two", "")]);
}

#[test]
fn a_heading_that_repeats_the_title_is_no_section() {
    check("# Title\n\nA", &[("", "A")]);
}

#[test]
fn blocks_are_separated_and_lines_are_kept() {
    check(
        "a\nb\n\n- c\n- d\n\n| e | f |\n|---|---|\n| g | h |",
        &[("", "a\nb\n\nc\n\nd\n\ne\n\nf\n\ng\n\nh")],
    );
}

#[test]
fn code_is_part_of_the_text() {
    check("Run `ls`:\n\n```sh\nls -l\n```\n\nDone.", &[("", "Run ls:\n\nls -l\n\nDone.")]);
}

#[test]
fn the_text_of_a_page_that_cannot_be_rendered_is_its_source() {
    let rendered = show_source("# A\n\nB");
    assert_eq!(rendered.sections().collect::<Vec<_>>(), [(None, "# A\n\nB")]);
}
