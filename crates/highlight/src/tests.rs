//! The output of each lexer for a few lines. `[k:fn]` stands for `<span class="hl-k">fn</span>`.

mod custom;
mod grammars;
mod properties;

use super::highlight;

fn check(language: &str, code: &str, expected: &str) {
    assert_eq!(short(language, code), expected, "{language}: {code}");
}

fn short(language: &str, code: &str) -> String {
    let mut html = String::new();
    highlight(language, code, &mut html);
    html.replace("<span class=\"hl-", "[").replace("\">", ":").replace("</span>", "]")
}

#[test]
fn html_characters_are_escaped() {
    check("rust", "a < b && \"<c>\"", "a &lt; b &amp;&amp; [s:\"&lt;c&gt;\"]");
    check("", "a < b && c", "a &lt; b &amp;&amp; c");
}

#[test]
fn an_unknown_language_is_not_highlighted() {
    check("klingon", "let x = 1;", "let x = 1;");
}

#[test]
fn a_very_long_block_is_not_highlighted() {
    let code = "let a;\n".repeat(20_000);
    check("rust", &code, &code);
}
