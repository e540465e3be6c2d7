//! The entries of a list that may be stored in parts.

use std::borrow::Cow;

use memchr::memchr_iter;

use super::{Key, Placeholder, WINDOW_EACH_SIDE, next_placeholder};

pub(super) struct Entries<'t> {
    pub(super) lines: Cow<'t, [u8]>,
    /// Whether there are more entries, in parts that were not read.
    pub(super) is_cut_before: bool,
    pub(super) is_cut_after: bool,
}

impl<'t> Entries<'t> {
    /// Reads the part that the page is in, and adjacent parts as far as the window extends.
    pub(super) fn read<B: AsRef<[u8]>>(
        list: &'t [u8],
        key: Option<&Key<'_>>,
        placeholder: &Placeholder<'_>,
        fragment: &mut dyn FnMut(&str) -> Option<B>,
    ) -> Entries<'t> {
        let parts = parts(list);
        if parts.is_empty() {
            return Entries { lines: Cow::Borrowed(list), is_cut_before: false, is_cut_after: false };
        }
        let mut read = |part: usize| fragment(parts.get(part)?.0).map(|part| part.as_ref().to_vec());
        let next = key.map_or(0, |key| parts.partition_point(|(_, first)| first <= key));
        let (mut first, mut last) = (next.saturating_sub(1), next.saturating_sub(1));
        let mut lines = read(first).unwrap_or_default();
        let (before, after) = lines.split_at(placeholder.find(&lines).unwrap_or(0));
        // The current entry is the first one after its position.
        let (mut before, mut after) = (count(before), count(after).saturating_sub(1));
        while before < WINDOW_EACH_SIDE
            && !lines.is_empty()
            && let Some(part) = first.checked_sub(1).and_then(&mut read)
        {
            first -= 1;
            before += count(&part);
            lines.splice(0..0, part);
        }
        while after < WINDOW_EACH_SIDE
            && !lines.is_empty()
            && let Some(part) = read(last + 1)
        {
            last += 1;
            after += count(&part);
            lines.extend(part);
        }
        Entries { lines: Cow::Owned(lines), is_cut_before: first > 0, is_cut_after: last + 1 < parts.len() }
    }
}

fn count(entries: &[u8]) -> usize {
    memchr_iter(b'\n', entries).count()
}

/// The path of each part and the key of its first entry; empty for a list that is not split.
fn parts(list: &[u8]) -> Vec<(&str, Key<'_>)> {
    let (mut parts, mut rest) = (vec![], list);
    while let Some((b"", words, after)) = next_placeholder(rest) {
        let part = std::str::from_utf8(words).ok().and_then(|words| words.strip_prefix('*'));
        let Some((path, key)) = part.and_then(|part| part.split_once('\t')) else { break };
        parts.extend(Key::read(key).map(|key| (path, key)));
        rest = after;
    }
    parts
}
