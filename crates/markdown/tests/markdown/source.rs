//! A text that cannot be rendered is shown as its source.

use recto_markdown::show_source;

#[test]
fn a_text_is_shown_as_written() {
    let page = show_source("\n# A <b> & \"c\"\n\n\0> d");
    assert_eq!(
        page.html,
        "<pre class=\"source\">\n\n# A &lt;b&gt; &amp; &quot;c&quot;\n\n\u{fffd}&gt; d</pre>\n"
    );
    assert_eq!(page.summary, "# A <b> & \"c\" \u{fffd}> d");
    assert_eq!((page.words, page.headings, page.first_image), (7, vec![], None));
}
