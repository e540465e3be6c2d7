//! Code blocks.

use crate::check;

#[test]
fn code_is_highlighted_by_its_language() {
    check(
        "```rust,ignore\nlet a = \"<b>\";\n```",
        "<pre tabindex=\"0\"><code class=\"language-rust,ignore\"><span class=\"hl-k\">let</span> a = \
         <span class=\"hl-s\">\"&lt;b&gt;\"</span>;\n</code></pre>\n",
    );
}

#[test]
fn code_without_a_known_language_is_only_escaped() {
    check("    a < b && c", "<pre tabindex=\"0\"><code>a &lt; b &amp;&amp; c\n</code></pre>\n");
    check("```\nlet a;\n```", "<pre tabindex=\"0\"><code>let a;\n</code></pre>\n");
    check("```klingon x\na\n```", "<pre tabindex=\"0\"><code class=\"language-klingon\">a\n</code></pre>\n");
}

#[test]
fn the_name_of_a_language_cannot_leave_its_attribute() {
    check(
        "```a\"><b>\nc\n```",
        "<pre tabindex=\"0\"><code class=\"language-a&quot;&gt;&lt;b&gt;\">c\n</code></pre>\n",
    );
}
