//! Finds where a text refers to other files and pages: every destination that does not lead to another host.
//!
//! Where a destination may begin, `file:` is inserted, and the search for `file:` references decides which of these places
//! really are destinations.

use super::{Reference, file_references};
use crate::TooComplex;

const INSERTED: &str = "file:";

/// The references of a text in order: `name` is the destination with its escapes decoded, but still with `%20` and the
/// like, its query and its fragment; `range` is the destination as written. A `file:` of the text itself is part of the
/// range, but not of the name. Links within the page (`#anchor`) are not included.
pub fn local_references(text: &str) -> Result<Vec<Reference>, TooComplex> {
    references(text, is_local)
}

/// The same without those that begin at the root of the site (`/a`). Most texts have no others, and need not be parsed.
pub fn relative_references(text: &str) -> Result<Vec<Reference>, TooComplex> {
    references(text, |rest| is_local(rest) && !rest.starts_with('/'))
}

/// What may be local references, as written, found without the parser; some may be in code. `None` if a destination is
/// not written so plainly that this is all.
pub fn plain_local_references(text: &str) -> Option<Vec<&str>> {
    if text.contains(INSERTED) {
        return None;
    }
    let (bytes, mut found) = (text.as_bytes(), Vec::new());
    for at in memchr::memchr2_iter(b']', b'=', bytes) {
        match (bytes[at], bytes.get(at + 1)) {
            (b']', Some(b'(')) => {
                let rest = &text[at + 2..];
                if rest.starts_with(|char: char| char.is_ascii_whitespace() || char == '<') {
                    return None;
                }
                if is_local(rest) {
                    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/-_.~#?=%".contains(char);
                    let end = rest.find(|char: char| !is_plain(char))?;
                    found.push(rest[end..].starts_with(')').then(|| &rest[..end])?);
                }
            }
            (b']', Some(b':')) => return None,
            (b'=', _) if names_attribute(&bytes[..at]) => return None,
            _ => {}
        }
    }
    Some(found)
}

fn references(text: &str, is_meant: impl Fn(&str) -> bool) -> Result<Vec<Reference>, TooComplex> {
    let places: Vec<usize> = places(text).into_iter().filter(|&at| is_meant(&text[at..])).collect();
    if places.is_empty() && !text.contains(INSERTED) {
        return Ok(Vec::new());
    }
    let mut marked = String::with_capacity(text.len() + places.len() * INSERTED.len());
    let mut copied = 0;
    for &at in &places {
        marked.push_str(&text[copied..at]);
        marked.push_str(INSERTED);
        copied = at;
    }
    marked.push_str(&text[copied..]);
    let references = file_references(&marked, &|_| false)?.into_iter();
    Ok(references.filter_map(|reference| in_original(reference, &places)).collect())
}

/// The reference with its range in the text before the insertions; `None` if there was another insertion within it.
fn in_original(Reference { range, name }: Reference, places: &[usize]) -> Option<Reference> {
    // The insertions before an offset of the marked text.
    let before = |offset: usize| {
        let (mut low, mut high) = (0, places.len());
        while low < high {
            let middle = (low + high) / 2;
            match places[middle] + middle * INSERTED.len() < offset {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    };
    let (first, last) = (before(range.start), before(range.end));
    (last - first <= 1).then(|| Reference {
        range: range.start - first * INSERTED.len()..range.end - last * INSERTED.len(),
        name,
    })
}

/// Offsets at which a destination may begin, ascending: after `](`, after `]:`, and in attributes of raw HTML.
fn places(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let skip = |mut at: usize, skipped: &[u8]| {
        while bytes.get(at).is_some_and(|byte| skipped.contains(byte)) {
            at += 1;
        }
        at
    };
    let mut places = Vec::new();
    for at in memchr::memchr2_iter(b']', b'=', bytes) {
        let place = match (bytes[at], bytes.get(at + 1)) {
            (b']', Some(b'(')) => skip(at + 2, b" \t\r\n"),
            // The destination of a definition may be on the next line, which may be in a quote.
            (b']', Some(b':')) => skip(at + 2, b" \t\r\n>"),
            (b'=', _) if names_attribute(&bytes[..at]) => skip(at + 1, b" \t\r\n"),
            _ => continue,
        };
        let opens: &[u8] = if bytes[at] == b'=' { b"\"'" } else { b"<" };
        places.push(place + usize::from(bytes.get(place).is_some_and(|byte| opens.contains(byte))));
    }
    places.dedup();
    places
}

fn names_attribute(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let is_name = |name: &str| {
        before.len() >= name.len()
            && before[before.len() - name.len()..].eq_ignore_ascii_case(name.as_bytes())
    };
    ["src", "href", "poster"].iter().any(|name| is_name(name))
}

/// Whether a destination that begins here leads into the same folder or site.
fn is_local(rest: &str) -> bool {
    let end = rest.find(|char: char| char.is_ascii_whitespace() || "/?#)>\"'".contains(char));
    let first = &rest[..end.unwrap_or(rest.len())];
    let is_empty = first.is_empty() && !rest.starts_with('/');
    !is_empty && !first.contains(':') && !rest.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = local_references(text).unwrap();
        let found: Vec<(&str, &str)> =
            found.iter().map(|found| (&text[found.range.clone()], found.name.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn destinations_of_all_kinds_are_found() {
        check("[a](b.md) ![c](d/e.png \"f\")", &[("b.md", "b.md"), ("d/e.png", "d/e.png")]);
        check("[a](<b c.md#d>) ![e](f g.png)", &[("b c.md#d", "b c.md#d"), ("f g.png", "f g.png")]);
        check(
            "[a][b] text\n\n[b]: ../c.md\n[unused]:\n  d.pdf",
            &[("../c.md", "../c.md"), ("d.pdf", "d.pdf")],
        );
        check("[![a](b.png)](c.md)", &[("b.png", "b.png"), ("c.md", "c.md")]);
        check("| a |\n|---|\n| [b \\| c](d.md) |\n", &[("d.md", "d.md")]);
        check("[a](/b) [c](?d)", &[("/b", "/b")]);
        check("[a](b%20c.md) [d](e&amp;f.md)", &[("b%20c.md", "b%20c.md"), ("e&amp;f.md", "e&f.md")]);
        check("<img src=\"a.png\"> <A HREF=b.md>c</A>", &[("a.png", "a.png"), ("b.md", "b.md")]);
        check("[a](file:b.png)", &[("file:b.png", "b.png")]);
    }

    #[test]
    fn other_hosts_anchors_and_code_are_not() {
        for text in [
            "[a](https://example.com/b.md) [c](mailto:d@example.com) [e](//example.com/f)",
            "[a](#b) [c]() [d](<>)",
            "`[a](b.md)` text\n\n    [c](d.md)\n\n```\n[e](f.md)\n```",
            "text](b.md) \\[a](b.md)",
            "<!-- <img src=\"a.png\"> -->",
            "a = b.md, href=c.md",
            "no reference at all",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn plain_ones_are_found_without_the_parser() {
        let text = "[a](/b) [c](d.md#e) `[f](g)` [h](https://example.com/?i&j) [k]() [l](#m) n = [o]";
        assert_eq!(plain_local_references(text), Some(vec!["/b", "d.md#e", "g"]));
        for text in [
            "[a](/b \"c\")",
            "[a](</b>)",
            "[a]( /b)",
            "[a](/b\\)c)",
            "[a](/b(c))",
            "[a](/b&amp;c)",
            "[a](/b c)",
            "[a](/é)",
            "[a](/b",
            "[a]: /b",
            "<a href=/b>",
            "[a](file:b.png)",
        ] {
            assert_eq!(plain_local_references(text), None, "{text}");
        }
    }

    #[test]
    fn relative_ones_do_not_begin_at_the_root() {
        let names = |text: &str| {
            let found = relative_references(text).unwrap().into_iter();
            found.map(|reference| reference.name).collect::<Vec<String>>()
        };
        assert_eq!(names("[a](/b) [c](d.md) ![e](</f g.png>) <img src=\"h.png\">"), ["d.md", "h.png"]);
        assert!(names("[a](/b.md) [c](#d) [e](https://example.com/f.md)").is_empty());
    }
}
