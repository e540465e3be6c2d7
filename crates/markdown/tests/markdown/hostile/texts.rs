//! Hostile texts of the maximum accepted length. Also measured by `examples/hostile.rs`.

/// The maximum accepted length.
pub const CHARS: usize = 100_000;

/// Each text with a description.
pub fn texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    texts.extend(PIECES.split('·').map(|piece| (format!("{piece:?} again and again"), fill(piece))));
    texts.extend(PAIRS.map(|(open, close)| (format!("{open:?} in {open:?} … {close:?}"), nest(open, close))));
    texts.extend([300, 1_000, 33_000, 90_000].into_iter().flat_map(deep));
    texts.extend(wide());
    texts.extend(many());
    texts.extend(code());
    texts.extend(formulas());
    for (name, text) in &mut texts {
        assert!(text.chars().count() <= CHARS, "{name}");
    }
    texts
}

/// Separated by `·`.
pub const PIECES: &str = "> ·>·> - ·- ·1. ·* ·[·![·*·_·~·`·<·[a](·[a](<b·*a_ ·*a **a ·<!--·<a ·&·\\·$·$$a·$a ·[a]: b\n·[^1]:·\
    [^a]: [^a]\n·<div>\n·<a x='·<![CDATA[·<?·# a\n·- [ ] ·- [x] a\n·> [!note]\n·> [!note] a\n\n·a\n\n: b\n\n·: ·```\n·    a\n·a\\\n·\
    a\n=\n·***\n·![a](b.mov)\n\n·http://a(·a@b.c ·\0·\t·|·|a|b|c|\n|-|-|-|\n|\n\n·|-·a|b\n-|-\n·[a][·[a]: ·[a]:<·[a]: <b> 'c·[^a·]·\
    [](·[]()·[](<>)·**a*b_·`a``b·``` `·~~a~·&amp;·&#x1F600;·www.·_www._·(www.a ·http://·http://a.b/*c*_d_·https://a_b.c_d ·@·\
    a@·a@a.·a.b@·xmpp:a@b.c/·(·((·{·$x$ ·$|$ ·$`a`$ ·$a `$b` ·$a](b$[·<code>$a$·<a>·</a>·<b c=\"d\">·<b c·a*·*a*·_a·_ _·- - -·+\n·\
    - a\n - b\n·-\n\n·1)\n·\n·\r· \n·  \n·\\\n·> a\n\n·>a\nb\n·- a\n\n\n·  - a·\t- a\n·[a\n](b)·![[·[[a]·[a][b]·[a b c]: /u 'x\n·\
    <x@y>·<http:·<a:b>·'·\"·-·=·- =\n·a\n-·|\n·|-|\n·||\n|-|-|\n·$$\n·$$a$$·a$·\u{300}·é·語·[a]: b '\n·[a]: b \"c\nd\n·a|b\n·\
    `file:·file:a ·![](file:a.png)·[a]:file:·](file:·<file:a>·file:(·<img src=file:a·fx0x·*file:a.png·file:&amp;.png ·:::tabs\n·:::\n·:::tabs\n:::\n·:::tabs\n== a\n:::\n·== a\n·::::steps\n:::\n·\"\'·\"*·a\" ·--·.. ";

const PAIRS: [(&str, &str); 17] = [
    ("[", "]"),
    ("[", "](b)"),
    ("![", "](b)"),
    ("*a ", "b*"),
    ("**", "**"),
    ("_", "_"),
    ("<b>", "</b>"),
    ("(", ")"),
    ("`", "`"),
    ("~~", "~~"),
    ("*", "_"),
    ("[a](", "b)"),
    ("[*a ", "b*]"),
    ("$", "$"),
    ("{", "}"),
    ("*http://a.b/", "*"),
    ("[^a", "]"),
];

/// A deeply nested line, followed by others.
fn deep(levels: usize) -> Vec<(String, String)> {
    let quotes =
        [("a", "b\n"), ("a", ">b\n"), ("a", "\n"), ("[a]: b", "[c]: d\n"), ("a", "|b\n"), ("a", "[^b\n")];
    let others = [
        ("<div>", "b\n"),
        ("[!note]", "b\n"),
        ("```", "b\n"),
        ("[a]: b '", "b\n"),
        ("[a", "b\n"),
        ("<a", "b\n"),
    ];
    let lists = [
        ("a", "b\n"),
        ("a", "\n"),
        ("a", "\n b\n"),
        ("a", " \n"),
        ("```", "\n"),
        ("<!--", "\n"),
        ("     a", "\n"),
    ];
    let mut texts = Vec::new();
    for (first, next) in quotes.into_iter().chain(others) {
        texts.push(line(">", levels, first, next));
    }
    for (first, next) in lists {
        texts.push(line("- ", levels / 2, first, next));
        texts.push(line("> - ", levels / 4, first, next));
        texts.push(line("1. ", levels / 3, first, next));
        texts.push(line("[^a]: ", levels / 6, first, next));
    }
    texts
}

fn line(sign: &str, times: usize, first: &str, next: &str) -> (String, String) {
    let text = format!("{}{first}\n", sign.repeat(times));
    let rest = next.repeat((CHARS - text.len()) / next.len());
    (format!("{sign:?} {times} times, {first:?}, then {next:?}"), text + &rest)
}

fn wide() -> Vec<(String, String)> {
    let table = |columns: usize, alignment: &str, row: &str| {
        let head = format!("{}|\n{}|\n", "|a".repeat(columns), format!("|{alignment}").repeat(columns));
        let rows = row.repeat((CHARS - head.len()) / row.len());
        (format!("a table of {columns} columns, rows {row:?}"), head + &rows)
    };
    let lists: String = (0..300).map(|depth| format!("{}- a\n", "  ".repeat(depth))).collect();
    let lines = format!("{}\n", ">".repeat(999)).repeat(100);
    vec![
        table(10_000, "-", "a\n"),
        table(10_000, ":-:", "a\n"),
        table(300, "-", "|\n"),
        table(20, "-", "|1|2|3|4|5|6|7|8|9|0|\n"),
        ("lists in lists, line by line".into(), lists),
        ("quotes 999 deep".into(), lines.clone()),
        ("quotes 999 deep in code".into(), format!("```\n{}```\n", &lines[..99_000])),
    ]
}

/// Many references, and many definitions.
fn many() -> Vec<(String, String)> {
    let numbered = |len: usize, make: &dyn Fn(usize) -> String| (0..len).map(make).collect::<String>();
    let growing = |sign: &str, after: &str| {
        let runs = (1..).map(|len| sign.repeat(len) + after);
        runs.scan(0, |len, run| {
            (*len + run.len() < CHARS).then(|| {
                *len += run.len();
                run
            })
        })
        .collect::<String>()
    };
    let named = |name: &str, text: String| (name.to_owned(), text);
    vec![
        named(
            "a long destination, often used",
            format!("[a]: /{}\n\n{}", "x".repeat(CHARS / 2), "[a]".repeat(CHARS / 7)),
        ),
        named(
            "a long title, often used",
            format!("[a]: /b '{}'\n\n{}", "x".repeat(CHARS / 2), "[a]".repeat(CHARS / 7)),
        ),
        named(
            "5,000 definitions, one used",
            numbered(5_000, &|n| format!("[a{n}]: b\n")) + &"[a1]".repeat(10_000),
        ),
        named("8,000 definitions", numbered(8_000, &|n| format!("[{n:x}]: b\n"))),
        named("a footnote, often used", format!("[^a]: b\n\n{}", "[^a]".repeat(CHARS / 4 - 10))),
        named(
            "5,000 footnotes",
            numbered(6_000, &|n| format!("[^{n}]")) + &numbered(5_000, &|n| format!("\n[^{n}]: a\n")),
        ),
        named("footnotes in footnotes", numbered(6_000, &|n| format!("[^{n}]: [^{}]\n", n + 1)) + "[^0]"),
        named("long labels", format!("[{}", "a".repeat(999)).repeat(100)),
        named("runs of backticks", growing("`", " ")),
        named("runs of asterisks", growing("*", "a")),
        named("attributes", format!("<a {}", "b='c' ".repeat(CHARS / 6 - 2))),
        named("parentheses in a destination", format!("[a]({}", "(".repeat(CHARS - 5))),
        named("pipes", format!("|a|\n|-|\n{}", "|".repeat(CHARS - 10))),
        named("a heading of 50,000 lines", format!("{}\n===", "a\n".repeat(CHARS / 2 - 4))),
        named("a block with many tabs", format!(":::tabs\n{}:::", "== a\n".repeat(CHARS / 5 - 3))),
        named(
            "blocks that are ended elsewhere",
            ":::tabs\n".repeat(CHARS / 16) + &"::::\n".repeat(CHARS / 16),
        ),
        named("salts of marks", numbered(11_000, &|n| format!("fx{n}x "))),
    ]
}

fn code() -> Vec<(String, String)> {
    let languages = ["rust", "js", "bash", "yaml", "html", "css", "json", "toml", "markdown"];
    let pieces = [
        "1 ", "1-", "\"\\", "'", "/", "/*", "<", "(\n", "#[", "`", "- ", "a: ", "$", "r#\"", "=/[", "<<a\n",
        "<script>", "é",
    ];
    let block = |language: &str, piece: &str| {
        let body: String = piece.chars().cycle().take(CHARS - 30).collect();
        (format!("{piece:?} in {language}"), format!("~~~~{language}\n{body}\n~~~~"))
    };
    languages.iter().flat_map(|language| pieces.map(|piece| block(language, piece))).collect()
}

/// Formulas converted on the thread's own stack, on a separate stack, and not at all; and as many as fit.
fn formulas() -> Vec<(String, String)> {
    let commands =
        ["{", "^{", "\\sqrt{", "\\frac{a}{", "\\left(", "\\begin{matrix}", "\\hat ", "\\frac1", "x", "a&"];
    let closings = ["}", "}", "}", "}", "\\right)", "\\end{matrix}", "", "", "", ""];
    let mut texts = Vec::new();
    for (open, close) in commands.into_iter().zip(closings) {
        for bytes in [195, 8_000, 90_000] {
            let depth = bytes / (open.len() + close.len());
            let nested = format!("$${}x{}$$\n\n", open.repeat(depth), close.repeat(depth));
            let unclosed = format!("$${}$$\n\n", open.repeat(bytes / open.len()));
            for formula in [nested, unclosed] {
                let text = formula.repeat(CHARS / formula.len());
                texts.push((format!("{open:?} in formulas of {bytes} bytes"), text));
            }
        }
    }
    texts
}

/// Repeats a piece as often as fits.
pub fn fill(piece: &str) -> String {
    piece.repeat(CHARS / piece.chars().count())
}

/// Opens and closes equally often.
fn nest(open: &str, close: &str) -> String {
    let depth = (CHARS - 1) / (open.len() + close.len());
    format!("{}a{}", open.repeat(depth), close.repeat(depth))
}
