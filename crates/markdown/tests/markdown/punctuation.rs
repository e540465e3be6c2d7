//! Typographic punctuation.

use recto_markdown::{Quotes, Rendered, Style, render};

fn english(text: &str) -> Rendered {
    render(text, Style { quotes: Quotes::of("en"), ..Style::default() }).unwrap()
}

fn check(text: &str, html: &str) {
    assert_eq!(english(text).html, html, "{text}");
}

#[test]
fn quotes_may_enclose_markup() {
    check("\"*a*\" \"`b`\" (\"[c](/c)\")", "<p>“<em>a</em>” “<code>b</code>” (“<a href=\"/c\">c</a>”)</p>\n");
    check("*\"a\"*: \"b\nc\"", "<p><em>“a”</em>: “b\nc”</p>\n");
}

#[test]
fn a_quote_does_not_extend_to_the_next_block() {
    check("\"a\n\nb\"", "<p>“a</p>\n<p>b&quot;</p>\n");
}

#[test]
fn code_formulas_html_and_urls_stay_as_they_are() {
    check("`\"a\" -- b`", "<p><code>&quot;a&quot; -- b</code></p>\n");
    check("<code>\"a\" -- b</code> it's", "<p><code>&quot;a&quot; -- b</code> it’s</p>\n");
    check("<p title=\"a -- b\">it's</p>", "<p title=\"a -- b\">it's</p>\n");
    check("https://a.b/c--d", "<p><a href=\"https://a.b/c--d\">https://a.b/c--d</a></p>\n");
    check("<https://a.b/'c'>", "<p><a href=\"https://a.b/&#x27;c&#x27;\">https://a.b/'c'</a></p>\n");
    check("    it's", "<pre tabindex=\"0\"><code>it's\n</code></pre>\n");
    assert!(english("$f'$").html.contains("′"), "a prime");
}

#[test]
fn an_anchor_is_made_of_what_is_typed() {
    let page = english("## What's \"new\" -- and `--old`?");
    assert_eq!(page.headings[0].id, "whats-new----and---old");
    assert_eq!(page.headings[0].text, "What’s “new” – and --old?");
}

#[test]
fn the_summary_is_as_shown() {
    assert_eq!(english("It's \"new\"...").summary, "It’s “new”…");
}
