//! Where a page stands in a list by order, as [`crate::index::shelf::Spot`] writes it.

/// By weight, title and slug, separated by tabs.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<'k>(i64, &'k str, &'k str);

impl<'k> Key<'k> {
    pub(super) fn read(text: &'k str) -> Option<Key<'k>> {
        let mut parts = text.split('\t');
        Some(Key(parts.next()?.parse().ok()?, parts.next()?, parts.next()?))
    }
}
