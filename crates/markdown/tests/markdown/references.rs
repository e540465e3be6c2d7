//! `file:` references: which ones are found, and how they are replaced.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use recto_markdown::{
    ReferenceError, Style, file_references, local_references, plain_local_references, render, replace_files,
};

fn supported(name: &str) -> bool {
    [".png", ".pdf", ".txt"].iter().any(|extension| name.to_lowercase().ends_with(extension))
}

/// Checks the replaced text of each reference, and its decoded name.
fn check_named(text: &str, expected: &[(&str, &str)]) {
    let references = file_references(text, &supported).unwrap();
    let found: Vec<_> = references.iter().map(|it| (&text[it.range.clone()], it.name.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

/// The same, where the name is as written.
fn check(text: &str, expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|name| (format!("file:{name}"), *name)).collect();
    check_named(text, &expected.iter().map(|(written, name)| (written.as_str(), *name)).collect::<Vec<_>>());
}

#[test]
fn destinations_are_references() {
    check("[a](file:b)", &["b"]);
    check("![a](file:b.png)", &["b.png"]);
    check("![a]( file:b.png 'file:t.png' )", &["b.png"]);
    check("![](<file:my photo.png> \"t\")", &["my photo.png"]);
    check("![](<file:(.png>)", &["(.png"]);
    check("![](file:a(1).png)", &["a(1).png"]);
    check("[![](file:a.png)](file:b.pdf)", &["a.png", "b.pdf"]);
    check("> 1. [a](file:b\n>    'c')", &["b"]);
    check("| a |\n|-|\n| ![](file:b.png) |", &["b.png"]);
    check("# [a](file:b)\n\n- [c](file:d)\n\n> [!NOTE]\n> [e](file:f)", &["b", "d", "f"]);
    check("[^a]: ![](file:b.png)\n\n    ![](file:c.png)", &["b.png", "c.png"]);
}

#[test]
fn a_destination_may_have_spaces() {
    check("![a](file:pic one.png)", &["pic one.png"]);
    check("[a](file:My Report.pdf) and [b](file:c)", &["My Report.pdf", "c"]);
    check("![a]( file:pic\tone.png )", &["pic\tone.png"]);
    check("![a](file:Screenshot (2).png)", &["Screenshot (2).png"]);
    check("![a](file:a (b (c) d).png) (e)", &["a (b (c) d).png"]);
    check("![a](file:one two.png \"A (title)\") 'b'", &["one two.png"]);
    check("![a](file:one two.png 'title') [b](file:Bob's file.pdf)", &["one two.png", "Bob's file.pdf"]);
    check("![a](file:one two.png (title))", &["one two.png"]);
    check("![a](file:one.png two.png)", &["one.png two.png"]);
    check("![a](file:a file:b.png)", &["a file:b.png"]);
    check("[![a](file:b c.png)](file:d e.pdf)", &["b c.png", "d e.pdf"]);
    check("> - *![a](file:b c.png)*\n\n| a |\n|-|\n| ![](file:d e.png) |", &["b c.png", "d e.png"]);
    check_named(r"![a](file:b \) c&amp;d.png)", &[(r"file:b \) c&amp;d.png", "b ) c&d.png")]);
    // Where CommonMark finds a link, its rules apply.
    check("[a](file:b (c)) [d](file:e \"f\") [g](file:h 'i j' )", &["b", "e", "h"]);
}

#[test]
fn text_with_spaces_outside_a_link_is_not_a_destination() {
    check("`![a](file:b c.png)` ``[a](file:d e)`` `[a](file:f g` h)", &[]);
    check("```\n![a](file:b c.png)\n```\n\n    ![a](file:d e.png)", &[]);
    check("a](file:b c) [a](file:b c [a](file:d\ne.png) \\[a](file:f g)", &[]);
    check("[a](file://b c.png) [a](file: b.png)", &[]);
    check("a](file:b.png c.png d](file:e file:f.png)", &["b.png", "f.png"]);
}

#[test]
fn a_replaced_destination_with_spaces_is_a_link() {
    let check = |text: &str, expected: &str, html: &str| {
        assert_eq!(replaced(text).as_deref(), Ok(expected));
        assert_eq!(render(expected, Style::default()).unwrap().html, html);
    };
    check(
        "See ![a](file:pic (2) one.png \"T\").",
        "See ![a](/media/pic-(2)-one.png \"T\").",
        "<p>See <img src=\"/media/pic-(2)-one.png\" alt=\"a\" title=\"T\" decoding=\"async\">.</p>\n",
    );
    check("[a](file:b c.pdf )", "[a](/media/b-c.pdf )", "<p><a href=\"/media/b-c.pdf\">a</a></p>\n");
    assert_eq!(
        replaced("[a](file:missing one.pdf)"),
        Err(ReferenceError::Unresolved(vec!["missing one.pdf".into()]))
    );
    let known = |name: &str| (name == "a b c.png").then(|| "/media/x".to_owned());
    assert_eq!(replace_files("![](file:a b%20c.png)", &supported, &known).as_deref(), Ok("![](/media/x)"));
}

#[test]
fn definitions_are_references_used_or_not() {
    check("[a]: file:b", &["b"]);
    check("[a]: <file:b c> 'file:t.png'\n[a]: file:d", &["b c", "d"]);
    check("[a]\n\n> [a]:\n> file:b.png \"t\"", &["b.png"]);
    check("[a], ![a], [b][a]\n\n[A]: file:c.png", &["c.png"]);
}

#[test]
fn labels_stay_unchanged() {
    check("[file:a.png] ![x][File:A.png]\n\n[file:a.png]: file:b.png", &["b.png"]);
    check("[^file:a]\n\n[^file:a]: See file:b.png.", &["b.png"]);
    check("[file:a.png]: this is no definition", &["a.png"]);
}

#[test]
fn escapes_are_understood() {
    check_named(r"![](file:a\)b.png)", &[(r"file:a\)b.png", "a)b.png")]);
    check_named(r"![](<file:a\>&amp;b.png>)", &[(r"file:a\>&amp;b.png", "a>&b.png")]);
    check_named(r"[a]: file:b\_&eacute;.png", &[(r"file:b\_&eacute;.png", "b_é.png")]);
    check_named(r"See file:a\_b.png", &[(r"file:a\_b.png", "a_b.png")]);
    check_named(
        r"| a |
|-|
| ![](file:b\|c.png) |",
        &[(r"file:b\|c.png", "b|c.png")],
    );
    check(r"![](file:C:\a\b.png)", &[r"C:\a\b.png"]);
    check("![](file:a%20b.png)", &["a%20b.png"]);
}

#[test]
fn autolinks_are_replaced_with_their_brackets() {
    check_named("a <file:b> c", &[("<file:b>", "b")]);
    check_named(r"<file:a\&amp;b.png>", &[(r"<file:a\&amp;b.png>", r"a\&b.png")]);
    check_named("a <code><file:b></code>", &[("<file:b>", "b")]);
    check("<file:a b.png>", &[]);
}

#[test]
fn attributes_are_references() {
    check("<img src=\"file:a b.png\" alt='file:c.png'>", &["a b.png"]);
    check("A <VIDEO\n  SRC=file:a.mp4 poster = 'file:\"b\".png'></VIDEO>", &["a.mp4", "\"b\".png"]);
    check("<a href=\" file:b \">c</a>", &["b"]);
    check("<div>\n<a\nhref=file:b.pdf>c</a>\n</div>", &["b.pdf"]);
    check("<pre><a href='file:b.pdf'>c</a></pre>", &["b.pdf"]);
    check_named("<a href='file:b&amp;&#99;.pdf'>", &[("file:b&amp;&#99;.pdf", "b&c.pdf")]);
    check("<a title='file:a.png' data-src='file:b.png' href='x-file:c.png'>", &[]);
    check("<!-- <img src='file:a.png'> file:a.png -->", &[]);
    check(
        "<script>\nx = \"<img src='file:a.png'>\"; // file:b.png\n</SCRIPT>\n<img src='file:c.png'>",
        &["c.png"],
    );
    check("a <textarea><img src='file:a.png'> file:b.png</textarea> file:c.png", &["c.png"]);
    check("<div>\n<img src=\"file:a.png\n\nfile:b.png\"", &["b.png"]);
}

#[test]
fn words_are_references_if_they_end_in_a_supported_extension() {
    check("file:a.png", &["a.png"]);
    check(
        "See file:a.png, (file:b(1).PNG); \"file:c.pdf\"! file:d.txt…",
        &["a.png", "b(1).PNG", "c.pdf", "d.txt"],
    );
    check("**file:a.png**s _file:b.png_ ~~file:c.png~~ “file:d.png”", &["a.png", "b.png", "c.png", "d.png"]);
    check("file:a.png![b](file:c.png) file:d.png[^1].", &["a.png", "c.png", "d.png"]);
    check("[see file:a.png](b) ![file:c.png](d) [file:e.png]", &["a.png", "c.png", "e.png"]);
    check(
        "file:my_photo-1@2x.png file:ünï.png file:a.png,file:b.png",
        &["my_photo-1@2x.png", "ünï.png", "a.png", "b.png"],
    );
    check("|file:a.png|file:b.png|\n|-|-|", &["a.png", "b.png"]);
    check("> [!NOTE] file:a.png\n> b", &["a.png"]);
    check("<div>\n<p>file:a.png</p> [b](file:c.png)\n</div>", &["a.png", "c.png"]);
    check("file:a file: file:.. file:b.exe file:c.png.exe", &[]);
    check("profile:a.png my-file:b.png http://c/file:d.png x=file:e.png File:f.png", &[]);
}

#[test]
fn code_holds_no_references() {
    check("`file:a.png` ``![](file:b.png)``", &[]);
    check("```file:a.png\n![](file:b.png)\n```\n\n    ![](file:c.png)\n\n~~~\nfile:d.png", &[]);
    check("- a\n\n      file:b.png\n\n  file:c.png", &["c.png"]);
    check("$file:a.png$ and $$\nfile:b.png\n$$", &[]);
    check("a <code>file:b.png</code> file:c.png <kbd>", &["c.png"]);
    check("<pre>\nfile:a.png\n\nfile:b.png\n</pre>\nfile:c.png", &["c.png"]);
    check("A <code>that is never closed\n\nfile:a.png", &["a.png"]);
}

#[test]
fn front_matter_holds_no_references() {
    check("---\ncover: file:a.png\n---\n![](file:b.png)", &["b.png"]);
    check("---\n\nfile:a.png\n\n---\n", &["a.png"]);
}

#[test]
fn other_schemes_and_words_are_not_references() {
    check("[a](file:) [b](<file:>) <a href='file:'>", &[]);
    check("[a](file:///etc/a.txt) file://b/c.png <file:///d>", &[]);
    check("[a](x?file:b.png) [a](/file:b.png) [a](b 'file:c.png') [a](FILE:b.png)", &[]);
    check("fx0x0xile:a.png fx1x0xile:b.png file:c.png", &["c.png"]);
}

fn replaced(text: &str) -> Result<String, ReferenceError> {
    let resolve =
        |name: &str| (!name.contains("missing")).then(|| format!("/media/{}", name.replace(' ', "-")));
    replace_files(text, &supported, &resolve)
}

#[test]
fn references_are_replaced_and_nothing_else_changes() {
    let check = |text: &str, expected: &str| assert_eq!(replaced(text).as_deref(), Ok(expected));
    check("", "");
    check("no reference\r\n\tat `file:all` ", "no reference\r\n\tat `file:all` ");
    check("![a](<file:a b.png> 'file:t') file:b.png.", "![a](</media/a-b.png> 'file:t') /media/b.png.");
    check("<file:a.pdf>, <a href=file:b>", "[/media/a.pdf](/media/a.pdf), <a href=/media/b>");
    check(
        "\u{feff}\0| file:a.png\r\n\r\n[é]: file:b\r\n",
        "\u{feff}\0| /media/a.png\r\n\r\n[é]: /media/b\r\n",
    );
}

#[test]
fn unresolved_references_are_listed() {
    assert_eq!(
        replaced("![](file:missing.png) file:missing.png ![](file:a.png)"),
        Err(ReferenceError::Unresolved(vec!["missing.png".to_owned(); 2]))
    );
}

#[test]
fn a_name_is_decoded_only_if_it_does_not_resolve_as_written() {
    let replace = |known: &'static str, text: &str| {
        replace_files(text, &supported, &|name| (name == known).then(|| "/media/x".to_owned()))
    };
    assert_eq!(replace("a b.png", "![](file:a%20b.png)"), Ok("![](/media/x)".to_owned()));
    assert_eq!(replace("a%20b.png", "![](file:a%20b.png)"), Ok("![](/media/x)".to_owned()));
    let unresolved = Err(ReferenceError::Unresolved(vec!["a%ff.png".to_owned()]));
    assert_eq!(replace("a\u{fffd}.png", "![](file:a%ff.png)"), unresolved);
}

#[test]
fn hostile_texts_take_no_longer_than_others() {
    for piece in [
        "file:",
        "[file:",
        "](file:",
        "![](file:a",
        "![](<file:a",
        "[](file:a (' \"",
        "[](file:a '",
        "<file:a>",
        "[a]:file:b\n",
        "[file:a]:b\n",
        "file:(",
        "<img src='file:a",
        "<img src=file:a",
        "<!--file:",
        "<script>file:",
        "</file:",
        "file:\\",
        "file:&amp;a.png ",
        "[](file:\\a&b) ",
        "`file:",
        "*file:a.png",
        "[^file:a]: ",
        "<code>file:a.png",
        "file:a.png|",
        "> file:",
        "fx0x",
        "file:a,",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let start = Instant::now();
        let _ = replaced(&text);
        assert!(start.elapsed() < Duration::from_secs(20), "{piece}");
    }
}

/// Destinations and text around them, separated by `·`. No titles and no comments: in the HTML they look the same as
/// replaced text.
const PIECES: &str = "file:a.png·![x](file:a.png)·[y](<file:a.png>)·[z]: file:a.png\n·\n[z]: <file:a.png> 'T'\n·[z]·![z]·\
    <img src=\"file:a.png\">·\n<a href=\"file:a.png\">b</a>\n·](file:a.png)·[·]·(·)·<·>·`·``·```\n·    ·\t·\n·\n\n·> ·- ·1. ·\
    # ·*·_·**·~~·$·$$·|·|-|-|\n·| a | b |\n·\\·&amp;·[^n]·[^n]: ·<code>·</code>·<pre>·</pre>\n·<div>\n·a·b c·É·\u{0}·\r\n";

fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(PIECES.split('·').collect::<Vec<_>>());
    prop_oneof![prop::collection::vec(pieces, 0..30).prop_map(|pieces| pieces.concat()), any::<String>()]
}

proptest! {
    #[test]
    fn a_page_shows_the_replaced_destinations_and_is_the_same_otherwise(text in texts()) {
        // To a browser, `<!` in HTML begins a comment, which `<` and an image can form.
        prop_assume!(!text.contains("<!"));
        // An autolink's text changes, too, and other names are not those that are compared.
        let references = file_references(&text, &|_| false).unwrap();
        prop_assume!(references.iter().all(|it| it.name == "a.png" && !text[it.range.clone()].starts_with('<')));
        let replaced = replace_files(&text, &|_| false, &|_| Some("/a.png".to_owned())).unwrap();
        let mut html = render(&text, Style::default()).unwrap().html;
        for tag in ["<img src", "<a href"] {
            html = html.replace(&format!("{tag}=\"file:a.png\""), &format!("{tag}=\"/a.png\""));
        }
        prop_assert_eq!(render(&replaced, Style::default()).unwrap().html, html);
    }

    #[test]
    fn a_destination_with_spaces_is_replaced_where_one_without_is(before in texts(), after in texts()) {
        let text = format!("{before}![w](file:a b.png){after}](file:a b.png)");
        let replace = |text: &str| replace_files(text, &|_| false, &|_| Some("/a.png".to_owned())).unwrap();
        let joined = |text: String| text.replace("](file:a b.png)", "](file:a.png)");
        prop_assert_eq!(joined(replace(&text)), replace(&joined(text)));
    }

    #[test]
    fn a_replaced_reference_is_not_a_reference_any_more(text in texts()) {
        // Except words, which may become longer when the text after them changes.
        let replaced = replace_files(&text, &|_| false, &|_| Some("/a.png".to_owned())).unwrap();
        prop_assert_eq!(file_references(&replaced, &|_| false).unwrap(), vec![]);
    }

    #[test]
    fn what_is_found_without_the_parser_includes_all_local_references(text in texts(), start in "/?") {
        let text = text.replace("file:", &start);
        if let Some(plain) = plain_local_references(&text) {
            for reference in local_references(&text).unwrap() {
                prop_assert!(plain.contains(&&text[reference.range.clone()]), "{:?}", &text[reference.range]);
            }
        }
    }

    #[test]
    fn references_are_in_order_and_begin_with_file(text in texts()) {
        let mut end = 0;
        for reference in file_references(&text, &supported).unwrap() {
            prop_assert!(reference.range.start >= end);
            end = reference.range.end;
            prop_assert!(text[reference.range].trim_start_matches('<').starts_with("file:"));
        }
    }

    #[test]
    fn every_name_is_found_in_a_destination(name in "[^\0-\x1f\x7f<>\\\\&\r\n ]([^\0-\x1f\x7f<>\\\\&\r\n]{0,20}[^\0-\x1f\x7f<>\\\\&\r\n ])?") {
        prop_assume!(!name.starts_with("//") && !name.contains('|') && name.trim() == name);
        let references = file_references(&format!("![a](<file:{name}>)"), &|_| false).unwrap();
        prop_assert_eq!(references.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), vec![&name]);
    }
}
