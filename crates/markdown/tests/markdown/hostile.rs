//! Texts made to cost much: bounded time, bounded output, no more stack than a worker thread has.

use std::thread;
use std::time::{Duration, Instant};

use recto_markdown::{Rendered, TooComplex, render_page};

/// The longest content that is accepted.
const CHARS: usize = 100_000;

/// Of a worker thread.
const STACK_BYTES: usize = 2 * 1024 * 1024;

/// A hang, not a measurement: tests run unoptimised, beside others.
const HANG: Duration = Duration::from_secs(60);

fn attempt(text: String) -> Result<Rendered, TooComplex> {
    assert!(text.chars().count() <= CHARS);
    let render = move || {
        let start = Instant::now();
        let rendered = render_page(&text, "A title");
        assert!(start.elapsed() < HANG);
        rendered
    };
    thread::Builder::new().stack_size(STACK_BYTES).spawn(render).unwrap().join().unwrap()
}

/// Renders, to no more than `megabytes`.
fn check(text: String, megabytes: usize) {
    let rendered = attempt(text).unwrap();
    assert!(rendered.html.len() <= megabytes * 1_000_000, "{} bytes", rendered.html.len());
}

/// Repeats a piece as often as fits.
fn fill(piece: &str) -> String {
    piece.repeat(CHARS / piece.chars().count())
}

/// Opens as often as it closes.
fn nest(open: &str, close: &str) -> String {
    let depth = (CHARS - 1) / (open.len() + close.len());
    format!("{}a{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn quotes_nested_too_deeply_are_refused_in_words() {
    let refused = Err(TooComplex("line 2 has more than 1000 quote signs (`>`) in a row".to_owned()));
    assert_eq!(attempt(format!("a\n{}", ">".repeat(CHARS - 2))), refused);
    assert_eq!(attempt(format!("a\n{}", "> - ".repeat(2000))), refused);
    assert_eq!(attempt(format!("a\n[^1]: {}", ">".repeat(2000))), refused);
    assert_eq!(attempt(format!("a\nb\r{}", ">".repeat(2000))), refused);
    check(format!("{}\n", ">".repeat(999)).repeat(100), 10);
}

#[test]
fn lists_may_nest_deeply() {
    check(fill("- "), 1);
    check(fill("1. "), 1);
    check((0..CHARS).map(|depth| format!("{}- a\n", "  ".repeat(depth))).take(300).collect(), 1);
    check("- ".repeat(CHARS / 4) + "a" + &"\n".repeat(CHARS / 4), 1);
}

#[test]
fn brackets_and_emphasis_may_be_unbalanced() {
    let pieces = "[·![·*·_·~·`·<·[a](·[a](<b·*a_ ·*a **a ·<!--·<a ·&·\\·$·$$a·$a ";
    for piece in pieces.split('·') {
        check(fill(piece), 1);
    }
}

#[test]
fn brackets_and_emphasis_may_nest() {
    for (open, close) in
        [("[", "]"), ("[", "](b)"), ("![", "](b)"), ("*a ", "b*"), ("**", "**"), ("_", "_"), ("<b>", "</b>")]
    {
        check(nest(open, close), 1);
    }
}

#[test]
fn a_table_does_not_grow_by_the_cells_that_rows_leave_out() {
    check("|".repeat(CHARS / 4) + "\n" + &"|-".repeat(CHARS / 8) + "|\n" + &"|\n".repeat(CHARS / 8), 6);
    let wide = |columns: usize, alignment: &str| {
        format!("{}|\n{}|\n", "|a".repeat(columns), format!("|{alignment}").repeat(columns))
    };
    check(wide(300, "-") + &"|\n".repeat(49_000), 6);
    check(wide(10_000, ":-:") + &"a\n".repeat(19_000), 16);
    check(fill("|a|b|c|\n|-|-|-|\n|\n\n"), 6);
}

#[test]
fn a_definition_does_not_grow_by_its_uses() {
    check(format!("[a]: /{}\n\n{}", "x".repeat(CHARS / 2), "[a]".repeat(CHARS / 7)), 1);
    check(format!("[a]: /b '{}'\n\n{}", "x".repeat(CHARS / 2), "[a]".repeat(CHARS / 7)), 1);
    check((0..5_000).map(|n| format!("[a{n}]: b\n")).collect::<String>() + &"[a1]".repeat(10_000), 1);
}

#[test]
fn footnotes_may_be_referred_to_often() {
    check(format!("[^a]: b\n\n{}", "[^a]".repeat(CHARS / 4 - 10)), 8);
    check(
        (0..6_000).map(|n| format!("[^{n}]")).collect::<String>()
            + &(0..6_000).map(|n| format!("\n[^{n}]: a\n")).take(5_000).collect::<String>(),
        4,
    );
    check(fill("[^1]:"), 1);
    check(fill("[^a]: [^a]\n"), 8);
}

#[test]
fn html_may_nest() {
    check(fill("<div>\n"), 1);
    check(fill("<a x='"), 1);
    check(fill("<![CDATA["), 1);
}

#[test]
fn headings_of_one_name_are_many() {
    check(fill("# a\n"), 4);
}

#[test]
fn other_blocks_are_many() {
    let pieces = "- [ ] ·- [x] a\n·> [!note]\n·a\n\n: b\n\n·: ·```\n·    a\n·a\\\n·a\n=\n·***\n·![a](b.mov)\n\n·http://a(·a@b.c ·\u{0}·\t";
    for piece in pieces.split('·') {
        check(fill(piece), 12);
    }
}

#[test]
fn formulas_may_nest_and_be_many() {
    for piece in ["$x$ ", "$|$ ", "$\\frac12$ ", "```math\nx\n```\n"] {
        check(fill(piece), 12);
    }
    let commands = ["{", "^{", "\\sqrt{", "\\frac{a}{", "\\left(", "\\begin{matrix}", "\\hat ", "\\frac1"];
    let closings = ["}", "}", "}", "}", "\\right)", "\\end{matrix}", "", ""];
    for (open, close) in commands.into_iter().zip(closings) {
        // On the thread's own stack, on one of its own, and not at all.
        for bytes in [195, 8_000, 90_000] {
            let depth = bytes / (open.len() + close.len());
            check(format!("$${}x{}$$", open.repeat(depth), close.repeat(depth)), 1);
            check(format!("$${}$$", open.repeat(bytes / open.len())), 1);
        }
    }
}

#[test]
fn code_is_highlighted_in_any_amount() {
    let languages = ["rust", "js", "bash", "yaml", "html", "css", "json", "toml", "markdown"];
    let pieces = [
        "1 ", "1-", "\"\\", "'", "/", "/*", "<", "(\n", "#[", "`", "- ", "a: ", "$", "r#\"", "=/[", "<<a\n",
        "<script>", "é",
    ];
    for language in languages {
        for piece in pieces {
            let body: String = piece.chars().cycle().take(CHARS / 2).collect();
            check(format!("~~~~{language}\n{body}\n~~~~"), 4);
        }
    }
}

#[test]
fn a_page_larger_than_its_bound_is_refused_in_words() {
    // Four times as long as what is accepted.
    let refused = render_page(&format!("[^a]: b\n\n{}", "[^a]".repeat(CHARS)), "A title");
    let words =
        "the page would be larger than 16 MB: it has too many table cells, formulas or footnote references";
    assert_eq!(refused, Err(TooComplex(words.to_owned())));
}
