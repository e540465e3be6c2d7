//! The tags of a site. Tags that share a slug are one tag, named by the most common spelling.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::dirty::DirtyPaths;
use super::timeline::Timeline;
use crate::Page;
use crate::url::{Fragment, tag_slug};

/// The list of all tags shows this many of the most used.
const MAX_LISTED_TAGS: usize = 500;

#[derive(Default)]
pub(crate) struct Tags {
    by_slug: BTreeMap<Arc<str>, Tag>,
    /// Caches slugs: transliteration is slow, and a site has few tags for many pages.
    slugs: HashMap<String, Arc<str>>,
}

#[derive(Default)]
pub(crate) struct Tag {
    pub timeline: Timeline,
    spellings: BTreeMap<String, usize>,
}

impl Tag {
    /// The most common spelling; of equally common ones, the first.
    pub fn name(&self) -> &str {
        let most = self.spellings.iter().max_by_key(|(name, count)| (**count, Reverse(*name)));
        most.map_or("", |(name, _)| name)
    }
}

impl Tags {
    pub fn get(&self, slug: &str) -> Option<&Tag> {
        self.by_slug.get(slug)
    }

    pub fn is_empty(&self) -> bool {
        self.by_slug.is_empty()
    }

    pub fn all(&self) -> impl Iterator<Item = (&str, &Tag)> {
        self.by_slug.iter().map(|(slug, tag)| (&**slug, tag))
    }

    /// The most used tags, by name.
    pub fn listed(&self) -> Vec<(&str, &Tag)> {
        let mut tags: Vec<_> = self.all().collect();
        tags.sort_by_key(|(_, tag)| Reverse(tag.timeline.len()));
        tags.truncate(MAX_LISTED_TAGS);
        tags.sort_by_cached_key(|(slug, tag)| (tag.name().to_lowercase(), *slug));
        tags
    }

    pub fn insert(&mut self, name: &str, page: &Page, dirty: &mut DirtyPaths) {
        let slug = self.slug(name);
        if self.by_slug.is_empty() {
            dirty.add(Fragment::Foot);
        }
        mark(&slug, dirty);
        let tag = self.by_slug.entry(slug).or_default();
        tag.timeline.insert(page.published_at, page.id);
        match tag.spellings.get_mut(name) {
            Some(count) => *count += 1,
            None => drop(tag.spellings.insert(name.to_owned(), 1)),
        }
    }

    pub fn remove(&mut self, name: &str, page: &Page, dirty: &mut DirtyPaths) {
        let slug = self.slug(name);
        mark(&slug, dirty);
        let Some(tag) = self.by_slug.get_mut(&slug) else { return };
        if let Some(count) = tag.spellings.get_mut(name) {
            *count -= 1;
            if *count == 0 {
                tag.spellings.remove(name);
            }
        }
        tag.timeline.remove(page.published_at, page.id);
        if tag.timeline.is_empty() {
            self.by_slug.remove(&slug);
        }
        if self.by_slug.is_empty() {
            dirty.add(Fragment::Foot);
        }
    }

    fn slug(&mut self, name: &str) -> Arc<str> {
        if let Some(slug) = self.slugs.get(name) {
            return slug.clone();
        }
        let slug: Arc<str> = tag_slug(name).into();
        self.slugs.insert(name.to_owned(), slug.clone());
        slug
    }
}

fn mark(slug: &str, dirty: &mut DirtyPaths) {
    if dirty.is_recording() {
        dirty.add("/tags");
        dirty.add(Fragment::TagCrumbs(slug.to_owned()));
    }
}
