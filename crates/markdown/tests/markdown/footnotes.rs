//! Footnotes.

use crate::check;

#[test]
fn a_footnote_is_linked_in_both_directions() {
    check(
        "Text[^note].\n\n[^note]: The *note*.",
        "<p>Text<sup class=\"footnote-ref\">\
         <a href=\"#fn:1\" id=\"fnref:1\" aria-label=\"Footnote 1\">1</a></sup>.</p>\n\
         <section class=\"footnotes\" aria-label=\"Footnotes\">\n<ol>\n<li id=\"fn:1\">\n<p>The <em>note</em>. \
         <a class=\"footnote-back\" href=\"#fnref:1\" aria-label=\"Back to reference 1\">↩</a></p>\n\
         </li>\n</ol>\n</section>\n",
    );
}

#[test]
fn a_footnote_links_back_to_each_reference() {
    check(
        "A[^a] B[^a]\n\n[^a]:\n    ![a](a.png)",
        "<p>A<sup class=\"footnote-ref\"><a href=\"#fn:1\" id=\"fnref:1\" aria-label=\"Footnote 1\">1</a></sup> \
         B<sup class=\"footnote-ref\"><a href=\"#fn:1\" id=\"fnref:1:2\" aria-label=\"Footnote 1\">1</a></sup></p>\n\
         <section class=\"footnotes\" aria-label=\"Footnotes\">\n<ol>\n<li id=\"fn:1\">\n\
         <p><img src=\"a.png\" alt=\"a\" decoding=\"async\"> \
         <a class=\"footnote-back\" href=\"#fnref:1\" aria-label=\"Back to reference 1\">↩</a> \
         <a class=\"footnote-back\" href=\"#fnref:1:2\" aria-label=\"Back to reference 1-2\">↩<sup>2</sup></a></p>\n\
         </li>\n</ol>\n</section>\n",
    );
}

#[test]
fn a_footnote_that_ends_in_a_list_links_back_after_it() {
    check(
        "A[^a]\n\n[^a]: - b",
        "<p>A<sup class=\"footnote-ref\"><a href=\"#fn:1\" id=\"fnref:1\" aria-label=\"Footnote 1\">1</a></sup></p>\n\
         <section class=\"footnotes\" aria-label=\"Footnotes\">\n<ol>\n<li id=\"fn:1\">\n<ul>\n<li>b</li>\n</ul>\n\
         <a class=\"footnote-back\" href=\"#fnref:1\" aria-label=\"Back to reference 1\">↩</a>\n\
         </li>\n</ol>\n</section>\n",
    );
}
