//! The official examples of CommonMark and GFM, rendered by the same `render` that makes pages.
//!
//! `undecorated` removes what we add to each page (anchors, boxes around tables and the like). Every example that still
//! differs is listed below with the reason.

mod examples;
mod undecorated;

use recto_markdown::{Style, render};

use examples::{Example, examples};
use undecorated::{CHECKED, UNCHECKED, undecorated};

/// `exceptions` lists examples by number: all of them must differ, and no others.
fn check(suite: &str, count: usize, exceptions: &[u32]) {
    let examples = examples(suite);
    assert_eq!(examples.len(), count);
    for example in examples {
        let Example { number, markdown, .. } = &example;
        match exceptions.contains(number) {
            true => assert_ne!(actual(&example), expected(&example), "{number} is not an exception any more"),
            false => assert_eq!(actual(&example), expected(&example), "{number}: {markdown}"),
        }
    }
}

fn actual(example: &Example) -> String {
    undecorated(&render(&example.markdown, Style::default()).unwrap().html)
}

/// Void elements and the order of attributes vary, even between the suites.
fn expected(example: &Example) -> String {
    example
        .html
        .replace(" />", ">")
        .replace("<input disabled=\"\" type=\"checkbox\">", UNCHECKED)
        .replace("<input checked=\"\" disabled=\"\" type=\"checkbox\">", CHECKED)
}

#[test]
fn the_examples_of_commonmark() {
    let bare_urls_are_links = [602, 608, 611, 612];
    check(include_str!("spec/commonmark.txt"), 652, &bare_urls_are_links);
}

#[test]
fn the_examples_of_gfm() {
    // The parts of the specification that come from CommonMark do not use the extension.
    let bare_urls_are_links = [610, 616, 619, 620];
    // GFM is CommonMark 0.29 with extensions; since 0.31 comments are parsed as in HTML.
    let comments_since_commonmark_031 = [645, 646];
    // Raw HTML stays unchanged, including `<title>` and `<xmp>`.
    let tag_filter = [653];
    let exceptions = [&bare_urls_are_links[..], &comments_since_commonmark_031, &tag_filter].concat();
    check(include_str!("spec/gfm.txt"), 673, &exceptions);
}

#[test]
fn the_examples_of_gfm_extensions() {
    // `http://🍄.ga/`: the specification itself requires letters and digits in a domain.
    let mushroom = 18;
    // "<IGNORE>": it must not crash.
    let any_result = 19;
    let tag_filter = 21;
    check(include_str!("spec/gfm-extensions.txt"), 26, &[mushroom, any_result, tag_filter]);
}
