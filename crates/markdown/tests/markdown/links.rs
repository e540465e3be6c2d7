//! Links: by reference, in links, and bare URLs.

use crate::check;

#[test]
fn a_definition_is_used_as_often_as_a_short_page_needs() {
    let link = "<a href=\"https://example.com/a/long/way\">r</a>";
    check(
        "[r] [r] [r] [r] [r] [r]\n\n[r]: https://example.com/a/long/way\n",
        &format!("<p>{}</p>\n", [link; 6].join(" ")),
    );
}

#[test]
fn uses_of_a_long_definition_are_limited() {
    let page = crate::page(&format!("[a]: /{}\n\n{}", "x".repeat(50_000), "[a] ".repeat(10_000)));
    assert_eq!(page.html.matches("<a href").count(), 2);
}

#[test]
fn the_last_line_may_be_a_definition_without_a_line_break() {
    check("[r]\n\n[r]: </b>", "<p><a href=\"/b\">r</a></p>\n");
    check("[r]\n\n[r]: /b", "<p><a href=\"/b\">r</a></p>\n");
}

#[test]
fn there_is_no_link_in_a_link() {
    check("[[s] a [r]](/u)\n\n[r]: /b", "<p>[[s] a <a href=\"/b\">r</a>](/u)</p>\n");
    check("[a https://b.c](/u)", "<p><a href=\"/u\">a https://b.c</a></p>\n");
    check("<a href=\"/u\">https://b.c</a>", "<p><a href=\"/u\">https://b.c</a></p>\n");
}

fn check_bare(text: &str, html: &str) {
    check(text, &format!("<p>{html}</p>\n"));
}

#[test]
fn a_bare_url_ends_before_the_punctuation_around_it() {
    let link = |url: &str| format!("<a href=\"{url}\">{url}</a>");
    check_bare("(https://a.b/c_(d))", &format!("({})", link("https://a.b/c_(d)")));
    check_bare(
        "https://a.b/c, https://d.e?",
        &format!("{}, {}?", link("https://a.b/c"), link("https://d.e")),
    );
    check_bare("**https://a.b** c", &format!("<strong>{}</strong> c", link("https://a.b")));
    check_bare("see:ftp://a.b", &format!("see:{}", link("ftp://a.b")));
}

#[test]
fn the_signs_of_emphasis_in_a_bare_url_are_part_of_it() {
    let link = |url: &str| format!("<a href=\"{url}\">{url}</a>");
    check_bare("https://a.b/_c_/*d*/e", &link("https://a.b/_c_/*d*/e"));
    check_bare("https://a.b/*c d* e", &format!("{} d* e", link("https://a.b/*c")));
    check_bare("*x https://a.b/c*d", &format!("<em>x {}</em>d", link("https://a.b/c")));
}

#[test]
fn text_that_only_looks_like_a_url_is_not_linked() {
    for text in [
        "https://",
        "http://-a.b",
        "xhttp://a.b",
        "http://a.b_c",
        "www.a_b",
        "xwww.a.b",
        "a@b",
        "a@b.c@d",
        "a@b.c-",
        "[see https://a.b]",
        "`https://a.b`",
    ] {
        assert!(!crate::page(text).html.contains("<a"), "{text}");
    }
    check_bare("http\\://a.b", "http://a.b");
    check_bare("http&#58;//a.b", "http://a.b");
}

#[test]
fn an_address_may_name_its_scheme() {
    check_bare("mailto:a@b.c", "<a href=\"mailto:a@b.c\">mailto:a@b.c</a>");
    check_bare("xmpp:a@b.c/d.", "<a href=\"xmpp:a@b.c/d\">xmpp:a@b.c/d</a>.");
    check_bare("_a@b.c_", "<em><a href=\"mailto:a@b.c\">a@b.c</a></em>");
    check_bare("<a@b.c>", "<a href=\"mailto:a@b.c\">a@b.c</a>");
}

#[test]
fn characters_not_allowed_in_a_url_are_encoded() {
    check("[a](</b c[d]^é%20'&>)", "<p><a href=\"/b%20c%5Bd%5D%5E%C3%A9%20&#x27;&amp;\">a</a></p>\n");
}

#[test]
fn a_relative_link_to_a_markdown_file_leads_to_its_page() {
    check("[a](other.md#b)", "<p><a href=\"/docs/guides/other#b\">a</a></p>\n");
    check(
        "[a] and [b][a]\n\n[a]: ../api/index.md 'T'",
        "<p><a href=\"/docs/api\" title=\"T\">a</a> and <a href=\"/docs/api\" title=\"T\">b</a></p>\n",
    );
    check(
        "A <a class=b href='Other.md?c&amp;d'>link</a> <b title=other.md>",
        "<p>A <a class=b href='/docs/guides/other?c&amp;d'>link</a> <b title=other.md></p>\n",
    );
    check(
        "<p>\n<a\n  HREF=../a.md>a</a> <!-- <a href=\"b.md\"> --> <a href=\" c.md \">",
        "<p>\n<a\n  HREF=/docs/a>a</a> <!-- <a href=\"b.md\"> --> <a href=\"/docs/guides/c\">\n",
    );
}

#[test]
fn other_links_and_images_stay_unchanged() {
    check("[a](/docs/other.md)", "<p><a href=\"/docs/other.md\">a</a></p>\n");
    check("[a](https://example.com/b.md)", "<p><a href=\"https://example.com/b.md\">a</a></p>\n");
    check("b ![a](a.md)", "<p>b <img src=\"a.md\" alt=\"a\" decoding=\"async\"></p>\n");
    check("<img src=\"a.md\">\n", "<img src=\"a.md\">\n");
    check("`[a](b.md)`", "<p><code>[a](b.md)</code></p>\n");
    let alone = recto_markdown::render("[a](other.md)", recto_markdown::Style::default()).unwrap().html;
    assert_eq!(alone, "<p><a href=\"other.md\">a</a></p>\n");
}
