//! Joins fragments into pages when they are served.
//!
//! U+0000 cannot occur in a page, so it delimits placeholders:
//!
//! - in a page, `\0PATH\0` is replaced by the fragment at `PATH`; `\0PATH HREF\0` also marks the entry with that link
//!   as the current page, `\0PATH ~HREF\0` as an ancestor of it; `\0PATH HREF INNER\0` opens the fragment `INNER`
//!   inside it; a tab and the page's [`Key`] may follow; `\0\0` stands before and after the text of a post;
//! - in a feed, the text of a post takes the place of its [`FeedText`];
//! - in a fragment, `\0INNER\0` is replaced by the fragment `INNER` if the page opens it, and `\0?INNER\0` by the
//!   attribute `open`; `\0+FIRST\0` …
//!   `\0+LAST\0` enclose a list with one entry per line: of a long list only a window around the current entry is
//!   shown, with `FIRST` and `LAST` where it was cut. A very long list is stored in parts: each `\0*PATH<tab>KEY\0`
//!   names a fragment with a part of it, and the key of its first entry.

mod feed_text;
mod key;
mod parts;

use memchr::{memchr, memchr_iter, memmem, memrchr};

use self::feed_text::FeedText;
use self::key::Key;
use self::parts::Entries;

/// How many entries of a long list are shown on either side of the current one.
const WINDOW_EACH_SIDE: usize = 20;
/// A list of up to this many entries is shown completely.
const MAX_UNCUT_ENTRIES: usize = 60;

/// Whether this is the path of a fragment, which is never served by itself.
pub fn is_fragment(path: &str) -> bool {
    path.starts_with("/.") && path != "/.md"
}

/// The page as served: each placeholder in `body` is replaced by its fragment, with the current entry marked.
///
/// `fragment` returns the file at a path of the same release; if there is none, the placeholder is removed. Fragments
/// may name further ones: a caller that cannot load them synchronously records the requested paths, loads them, and
/// joins again until none is missing.
pub fn join<B: AsRef<[u8]>>(body: &[u8], mut fragment: impl FnMut(&str) -> Option<B>) -> Vec<u8> {
    let mut joined = Vec::with_capacity(body.len() + 4096);
    let mut rest = body;
    while let Some((before, words, after)) = next_placeholder(rest) {
        joined.extend_from_slice(before);
        rest = after;
        if words.is_empty() {
            continue;
        }
        if let Some(text) = FeedText::read(words) {
            text.put(&mut fragment, &mut joined);
            continue;
        }
        let placeholder = Placeholder::read(words);
        let (outer, inner) = (fragment(placeholder.path), placeholder.inner.and_then(&mut fragment));
        if let Some(outer) = outer {
            let inner = inner.as_ref().map(AsRef::as_ref);
            placeholder.put(outer.as_ref(), Level::Outer(inner), &mut fragment, &mut joined);
        }
    }
    joined.extend_from_slice(rest);
    joined
}

/// The text before the next placeholder, the placeholder, and the text after it.
fn next_placeholder(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let start = memchr(0, text)?;
    let end = start + 1 + memchr(0, &text[start + 1..])?;
    Some((&text[..start], &text[start + 1..end], &text[end + 1..]))
}

struct Placeholder<'j> {
    path: &'j str,
    /// ` href="/docs/a"`, as written in the fragment.
    current: Option<String>,
    mark: &'static str,
    inner: Option<&'j str>,
    /// The page's position in its list: that of the inner fragment, if there is one.
    key: Option<Key<'j>>,
}

/// Which of the two fragments is written, and the fragment inside the outer one.
#[derive(Clone, Copy)]
enum Level<'f> {
    Outer(Option<&'f [u8]>),
    Inner,
}

impl<'j> Placeholder<'j> {
    fn read(words: &'j [u8]) -> Placeholder<'j> {
        let words = std::str::from_utf8(words).unwrap_or_default();
        let (words, key) =
            words.split_once('\t').map_or((words, None), |(words, key)| (words, Key::read(key)));
        let mut words = words.split(' ');
        let path = words.next().unwrap_or_default();
        let href = words.next().map(|word| word.strip_prefix('~').map_or((word, PAGE), |href| (href, PART)));
        Placeholder {
            path,
            current: href.map(|(href, _)| format!(" href=\"{href}\"")),
            mark: href.map_or(PAGE, |(_, mark)| mark),
            inner: words.next(),
            key,
        }
    }

    /// Writes a fragment, with the inner one that the page opens.
    fn put<B: AsRef<[u8]>>(
        &self,
        text: &[u8],
        level: Level<'_>,
        fragment: &mut dyn FnMut(&str) -> Option<B>,
        joined: &mut Vec<u8>,
    ) {
        let mut rest = text;
        while let Some((before, words, after)) = next_placeholder(rest) {
            self.put_marked(before, joined);
            rest = after;
            match (words.first(), level) {
                (Some(b'?'), _) if self.inner.map(str::as_bytes) == Some(&words[1..]) => {
                    joined.extend_from_slice(b" open");
                }
                (Some(b'+'), _) => rest = self.put_list(&words[1..], after, level, fragment, joined),
                (_, Level::Outer(Some(inner))) if self.inner.map(str::as_bytes) == Some(words) => {
                    self.put(inner, Level::Inner, fragment, joined);
                }
                _ => {}
            }
        }
        self.put_marked(rest, joined);
    }

    /// Writes a list that begins with `entries`; returns the text after it.
    fn put_list<'t, B: AsRef<[u8]>>(
        &self,
        first: &[u8],
        entries: &'t [u8],
        level: Level<'_>,
        fragment: &mut dyn FnMut(&str) -> Option<B>,
        joined: &mut Vec<u8>,
    ) -> &'t [u8] {
        let Some(end) = memmem::find(entries, b"\0+") else { return entries };
        let (entries, after) = entries.split_at(end);
        let Some((_, last, rest)) = next_placeholder(after) else { return after };
        let is_here = matches!(level, Level::Inner) == self.inner.is_some();
        let entries = Entries::read(entries, self.key.as_ref().filter(|_| is_here), self, fragment);
        let window = self.window(&entries.lines);
        if entries.is_cut_before || window.start > 0 {
            joined.extend_from_slice(first);
        }
        self.put(&entries.lines[window.clone()], level, fragment, joined);
        if entries.is_cut_after || window.end < entries.lines.len() {
            joined.extend_from_slice(&last[1..]);
        }
        rest
    }

    /// The entries around the open or current one; the first ones if there is neither.
    fn window(&self, entries: &[u8]) -> std::ops::Range<usize> {
        if memchr_iter(b'\n', entries).count() <= MAX_UNCUT_ENTRIES {
            return 0..entries.len();
        }
        let at = self.find(entries).unwrap_or(0);
        let start = (0..=WINDOW_EACH_SIDE)
            .try_fold(at, |at, _| memrchr(b'\n', &entries[..at]))
            .map_or(0, |at| at + 1);
        let mut ends = memchr_iter(b'\n', &entries[at..]).map(|end| at + end + 1);
        start..ends.nth(WINDOW_EACH_SIDE).unwrap_or(entries.len())
    }

    /// The index of the open entry, or else of the current one.
    fn find(&self, entries: &[u8]) -> Option<usize> {
        let open = self.inner.map(|inner| format!("\0{inner}\0"));
        let find = |text: &Option<String>| memmem::find(entries, text.as_ref()?.as_bytes());
        find(&open).or_else(|| find(&self.current))
    }

    fn put_marked(&self, text: &[u8], joined: &mut Vec<u8>) {
        let current = self.current.as_ref().and_then(|current| memmem::find(text, current.as_bytes()));
        let (before, after) = text.split_at(current.unwrap_or(text.len()));
        joined.extend_from_slice(before);
        if !after.is_empty() {
            joined.extend_from_slice(self.mark.as_bytes());
        }
        joined.extend_from_slice(after);
    }
}

const PAGE: &str = " aria-current=\"page\"";
const PART: &str = " aria-current=\"true\"";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn check(body: &str, fragments: &[(&str, &str)], expected: &str) {
        let fragments: HashMap<_, _> = fragments.iter().copied().collect();
        let joined = join(body.as_bytes(), |path| fragments.get(path).copied());
        assert_eq!(String::from_utf8(joined).unwrap(), expected);
    }

    #[test]
    fn a_placeholder_is_replaced_by_its_fragment() {
        check("a", &[], "a");
        check("a\0/.x\0b\0/.x\0", &[("/.x", "-")], "a-b-");
        check("a\0/.x\0b", &[], "ab");
        check("a\0/.x\0b", &[("/.x", "")], "ab");
        check("broken \0", &[], "broken \0");
    }

    #[test]
    fn the_current_entry_is_marked() {
        let nav = r#"<a href="/docs">Docs</a><a href="/docs/a">A</a>"#;
        let fragments = [("/.nav", nav)];
        check(
            "\0/.nav /docs/a\0",
            &fragments,
            r#"<a href="/docs">Docs</a><a aria-current="page" href="/docs/a">A</a>"#,
        );
        check(
            "\0/.nav ~/docs\0",
            &fragments,
            r#"<a aria-current="true" href="/docs">Docs</a><a href="/docs/a">A</a>"#,
        );
        check("\0/.nav /blog\0", &fragments, nav);
    }

    #[test]
    fn only_the_fragment_that_the_page_names_is_opened() {
        let outer = "<li>a\0/.a\0</li><li>b\0/.b\0</li>";
        let fragments = [("/.s", outer), ("/.a", "[a]"), ("/.b", r#"<a href="/b">"#)];
        check("\0/.s /x\0", &fragments, "<li>a</li><li>b</li>");
        check("\0/.s /x /.a\0", &fragments, "<li>a[a]</li><li>b</li>");
        check("\0/.s /b /.b\0", &fragments, r#"<li>a</li><li>b<a aria-current="page" href="/b"></li>"#);
        check("\0/.s /b /.gone\0", &fragments, "<li>a</li><li>b</li>");
        let disclosures = [("/.s", "<details\0?/.a\0></details><details\0?/.b\0></details>")];
        check("\0/.s /x /.b\0", &disclosures, "<details></details><details open></details>");
        check("\0/.s /x\0", &disclosures, "<details></details><details></details>");
    }

    #[test]
    fn a_feed_has_the_text_of_a_post() {
        let post = "<h1>\0/.nav\0</h1>\0\0<p a=\"/b\" href=\"/c\">&amp;\u{1}\0\0</p>";
        check("a\0\0b", &[], "ab");
        check(
            "<x>\0</blog/a https://a.b\0</x>",
            &[("/blog/a", post)],
            "<x>&lt;p a=\"/b\" href=\"https://a.b/c\"&gt;&amp;amp;</x>",
        );
        check(
            "{\"x\": \"\0\"/blog/a https://a.b\0\"}",
            &[("/blog/a", post)],
            r#"{"x": "<p a=\"/b\" href=\"https://a.b/c\">&amp;\u0001"}"#,
        );
        check("<x>\0</blog/a https://a.b\0</x>", &[], "<x></x>");
    }

    fn list(len: usize) -> String {
        let entries: String = (0..len).map(|n| format!("<li href=\"/{n}\">\n")).collect();
        format!("<ul>\0+FIRST\0{entries}\0+LAST\0</ul>")
    }

    #[test]
    fn a_list_of_up_to_60_entries_is_shown_whole() {
        let expected = list(60).replace("\0+FIRST\0", "").replace("\0+LAST\0", "");
        check("\0/.s\0", &[("/.s", &list(60))], &expected);
    }

    #[test]
    fn a_window_of_a_long_list_is_shown() {
        let list = list(2000);
        let check = |current: usize, first: &str, shown: std::ops::Range<usize>, last: &str| {
            let entries = shown.map(|n| match n == current {
                true => format!("<li aria-current=\"page\" href=\"/{n}\">\n"),
                false => format!("<li href=\"/{n}\">\n"),
            });
            let entries: String = entries.collect();
            check(
                &format!("\0/.s /{current}\0"),
                &[("/.s", &list)],
                &format!("<ul>{first}{entries}{last}</ul>"),
            );
        };
        check(1000, "FIRST", 980..1021, "LAST");
        check(0, "", 0..21, "LAST");
        check(20, "", 0..41, "LAST");
        check(21, "FIRST", 1..42, "LAST");
        check(1999, "FIRST", 1979..2000, "");
        check(5000, "", 0..21, "LAST");
    }

    #[test]
    fn the_window_of_a_list_of_fragments_is_around_the_open_one() {
        let entries: String = (0..500).map(|n| format!("<li>{n}\0/.{n}\0\n")).collect();
        let outer = format!("\0+FIRST\0{entries}\0+LAST\0");
        let expected: String =
            (280..321).map(|n| format!("<li>{n}{}\n", if n == 300 { "open" } else { "" })).collect();
        check("\0/.s /x /.300\0", &[("/.s", &outer), ("/.300", "open")], &format!("FIRST{expected}LAST"));
    }

    /// 2,000 entries in parts of 100, except one of 10.
    fn parts() -> Vec<(String, String)> {
        let mut starts: Vec<usize> = (0..20).map(|part| part * 100).chain([1510]).collect();
        starts.sort_unstable();
        let ends = starts.iter().skip(1).copied().chain([2000]);
        let entry = |n: usize| format!("<li href=\"/{n}\">\n");
        let part =
            |(&start, end): (&usize, usize)| (format!("/.s/{start}"), (start..end).map(entry).collect());
        let mut parts: Vec<(String, String)> = starts.iter().zip(ends).map(part).collect();
        let names: String =
            starts.iter().map(|start| format!("\0*/.s/{start}\t0\t{start:04}\tp{start}\0")).collect();
        parts.push(("/.s".to_owned(), format!("<ul>\0+FIRST\0{names}\0+LAST\0</ul>")));
        parts
    }

    #[test]
    fn the_window_of_a_list_in_parts_is_the_same() {
        let (parts, whole) = (parts(), [("/.s", list(2000))]);
        for current in [0, 5, 20, 99, 100, 1000, 1019, 1050, 1085, 1099, 1500, 1512, 1530, 1999] {
            let placeholder = format!("\0/.s /{current}\t0\t{current:04}\tp{current}\0");
            let joined =
                join(placeholder.as_bytes(), |path| Some(&parts.iter().find(|(name, _)| name == path)?.1));
            let expected = join(format!("\0/.s /{current}\0").as_bytes(), |_| Some(&whole[0].1));
            assert_eq!(String::from_utf8(joined), String::from_utf8(expected), "{current}");
        }
    }

    #[test]
    fn few_parts_of_a_list_are_read() {
        let parts = parts();
        let read = |current: usize| {
            let mut read = vec![];
            join(format!("\0/.s /{current}\t0\t{current:04}\tp{current}\0").as_bytes(), |path| {
                read.push(path.to_owned());
                Some(&parts.iter().find(|(name, _)| name == path)?.1)
            });
            read
        };
        assert_eq!(read(1050), ["/.s", "/.s/1000"]);
        assert_eq!(read(1005), ["/.s", "/.s/1000", "/.s/900"]);
        assert_eq!(read(1095), ["/.s", "/.s/1000", "/.s/1100"]);
        assert_eq!(read(1512), ["/.s", "/.s/1510", "/.s/1500", "/.s/1400"]);
    }

    #[test]
    fn a_page_that_is_not_in_the_list_shows_its_beginning() {
        let parts = parts();
        let joined = join(b"\0/.s /docs/s\0", |path| Some(&parts.iter().find(|(name, _)| name == path)?.1));
        let expected = join(b"\0/.s /docs/s\0", |_| Some(list(2000)));
        assert_eq!(String::from_utf8(joined), String::from_utf8(expected));
    }

    #[test]
    fn a_caller_that_loads_fragments_later_needs_few_rounds() {
        let parts = parts();
        let mut known: Vec<(String, String)> = vec![];
        for expected in [&["/.s"][..], &["/.s/1500"], &["/.s/1400", "/.s/1510"], &[]] {
            let mut missing = vec![];
            join(b"\0/.s /1505\t0\t1505\tp1505\0", |path| {
                let found = known.iter().find(|(name, _)| name == path);
                missing.extend(found.is_none().then(|| path.to_owned()));
                found.map(|(_, text)| text)
            });
            assert_eq!(missing, expected);
            known
                .extend(missing.iter().flat_map(|path| parts.iter().find(|(name, _)| name == path).cloned()));
        }
    }

    #[test]
    fn fragments_begin_with_a_dot() {
        assert!(is_fragment("/.nav") && is_fragment("/.docs/guides"));
        assert!(!is_fragment("/.md") && !is_fragment("/nav") && !is_fragment("/a/.nav"));
    }
}
