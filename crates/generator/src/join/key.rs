//! The position of a page in an ordered list, as written by [`crate::index::ordered_pages::OrderKey`].

/// Weight, title and slug, separated by tabs.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<'k>(i64, &'k str, &'k str);

impl<'k> Key<'k> {
    pub(super) fn read(text: &'k str) -> Option<Key<'k>> {
        let mut parts = text.split('\t');
        Some(Key(parts.next()?.parse().ok()?, parts.next()?, parts.next()?))
    }
}
