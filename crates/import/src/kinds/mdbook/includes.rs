//! `{{#include file.rs:anchor}}` and other helpers of mdBook.

use crate::fences::fenced;
use crate::paths::{join, normal, parent};
use crate::site::Site;
use crate::source::Source;
use crate::templates::{Replaced, replace};

/// As deep as mdBook itself follows includes.
const MAX_DEPTH: usize = 10;
/// Of a page with its includes: includes can multiply.
const MAX_BYTES: usize = 4 << 20;

pub(super) fn convert(site: &mut Site, source: &Source) {
    let Site { pages, notes, .. } = site;
    for page in pages {
        let (origin, mut title) = (page.origin.clone(), None);
        page.convert(notes, |text, note| {
            let mut left = MAX_BYTES;
            inlined(text, &origin, source, 0, &mut left, &mut title, note)
        });
        if title.is_some() {
            page.title = title;
        }
    }
}

fn inlined(
    text: &str,
    origin: &str,
    source: &Source,
    depth: usize,
    left: &mut usize,
    title: &mut Option<String>,
    note: &mut dyn FnMut(usize, String),
) -> String {
    replace(text, &[("\\{{#", "}}"), ("{{#", "}}")], |tag| {
        if tag.whole.starts_with('\\') {
            return Some(tag.whole[1..].to_owned().into());
        }
        let (name, argument) = tag.inside.split_once(char::is_whitespace).unwrap_or((tag.inside, ""));
        let argument = argument.trim();
        let file = || included(argument, origin, source);
        let replaced: Option<Replaced> = match name {
            "title" => {
                *title = Some(argument.to_owned());
                Some(String::new().into())
            }
            "include" | "rustdoc_include" if depth < MAX_DEPTH => file().and_then(|(path, text)| {
                *left = left.checked_sub(text.len())?;
                let nested = inlined(&text, &path, source, depth + 1, left, title, &mut |_, message| {
                    note(tag.line, message)
                });
                Some(nested.trim_end_matches('\n').to_owned().into())
            }),
            "playground" | "playpen" => file().map(|(_, text)| fenced("rust", &text).into()),
            _ => None,
        };
        if replaced.is_none() {
            note(tag.line, format!("{} is left as text", tag.shown()));
        }
        replaced
    })
}

/// The file inside of the source that an include names, and the part of it: `file:2:5` or `file:anchor`.
fn included(argument: &str, origin: &str, source: &Source) -> Option<(String, String)> {
    let argument = argument.split_whitespace().next()?;
    let (file, part) = argument.split_once(':').unwrap_or((argument, ""));
    let path = normal(&join(parent(origin), file)).filter(|path| source.has(path))?;
    let text = source.text(&path).ok()?;
    Some((path, select(&text, part)))
}

fn select(text: &str, part: &str) -> String {
    let is_range = part.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let lines = |lines: &[&str]| lines.concat();
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    if part.is_empty() {
        return without_anchors(&all);
    }
    if !is_range {
        return anchor(&all, part);
    }
    let (first, last) = part.split_once(':').unwrap_or((part, part));
    let first = first.parse().unwrap_or(1_usize).max(1);
    let last = last.parse().unwrap_or(all.len()).min(all.len());
    lines(all.get(first - 1..last).unwrap_or_default())
}

fn without_anchors(lines: &[&str]) -> String {
    lines
        .iter()
        .filter(|line| !line.contains("ANCHOR: ") && !line.contains("ANCHOR_END: "))
        .copied()
        .collect()
}

fn anchor(lines: &[&str], name: &str) -> String {
    let is_mark = |line: &str, mark: &str| {
        line.split_once(mark).is_some_and(|(_, rest)| rest.split_whitespace().next() == Some(name))
    };
    let inside = lines.iter().skip_while(|line| !is_mark(line, "ANCHOR: ")).skip(1);
    let inside: Vec<&str> = inside.take_while(|line| !is_mark(line, "ANCHOR_END: ")).copied().collect();
    without_anchors(&inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::Page;

    fn converted(text: &str) -> (String, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        write("src/a.rs", "one\n// ANCHOR: x\ntwo\n// ANCHOR_END: x\nthree\n");
        write("src/loop.md", "x {{#include loop.md}}");
        let page = Page { origin: "src/p.md".into(), line: 1, body: text.into(), ..Page::default() };
        let mut site = Site { pages: vec![page], ..Site::default() };
        convert(&mut site, &Source::open(folder.path()).unwrap());
        (site.pages[0].body.clone(), site.notes.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn includes_are_inlined() {
        let check = |text: &str, expected: &str| assert_eq!(converted(text), (expected.to_owned(), vec![]));
        check("{{#include a.rs}}", "one\ntwo\nthree");
        check("```\n{{#include a.rs:x}}\n```", "```\ntwo\n```");
        check("{{#include a.rs:3}}", "two");
        check("{{#rustdoc_include a.rs:5:}}", "three");
        check("{{#playground a.rs}}", "```rust\none\ntwo\nthree\n```");
        check("\\{{#include a.rs}}", "{{#include a.rs}}");
        check("{{#title T}}a", "a");
    }

    #[test]
    fn what_is_missing_or_outside_stays() {
        for text in ["{{#include b.rs}}", "{{#include ../../etc/passwd}}", "{{#other x}}"] {
            assert_eq!(
                converted(text),
                (text.to_owned(), vec![format!("src/p.md:1: {text} is left as text")])
            );
        }
        let (text, notes) = converted("{{#include loop.md}}");
        assert_eq!((text.matches('x').count(), notes.len()), (10, 1), "{text} {notes:?}");
    }
}
