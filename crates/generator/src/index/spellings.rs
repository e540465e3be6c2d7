//! How authors typed the names of sections: used for sections without a section page.

use std::collections::{BTreeMap, HashMap};

use model::{ContentType, PageKey, Section};

use super::Index;
use super::dirty::DirtyPaths;
use crate::text;
use crate::url::list_url;

/// How many pages of a section use each spelling; capitals sort first.
#[derive(Default)]
pub(crate) struct Spellings(HashMap<(ContentType, Section), BTreeMap<String, usize>>);

impl Spellings {
    fn of(&self, content_type: ContentType, section: &Section) -> Option<&String> {
        self.0.get(&(content_type, section.clone()))?.keys().next()
    }

    fn add(&mut self, key: &PageKey, spelling: &str) {
        let spellings = self.0.entry((key.content_type, key.section.clone())).or_default();
        *spellings.entry(spelling.to_owned()).or_default() += 1;
    }

    fn remove(&mut self, key: &PageKey, spelling: &str) {
        let section = (key.content_type, key.section.clone());
        let Some(spellings) = self.0.get_mut(&section) else { return };
        if let Some(pages) = spellings.get_mut(spelling) {
            *pages -= 1;
            if *pages == 0 {
                spellings.remove(spelling);
            }
        }
        if spellings.is_empty() {
            self.0.remove(&section);
        }
    }
}

impl Index {
    /// The name of a section without a section page: as typed, else derived from its slug.
    pub fn spelt_section(&self, content_type: ContentType, section: &Section) -> String {
        match self.spellings.of(content_type, section) {
            Some(spelling) => spelling.trim_matches('-').replace('-', " "),
            None => text::humanise(section.as_str()),
        }
    }

    /// A page with this spelling of its section was added.
    pub(super) fn add_spelling(&mut self, key: &PageKey, spelling: Option<&str>, dirty: &mut DirtyPaths) {
        self.respell(key, spelling, dirty, Spellings::add);
    }

    /// A page with this spelling of its section is about to be removed.
    pub(super) fn remove_spelling(&mut self, key: &PageKey, spelling: Option<&str>, dirty: &mut DirtyPaths) {
        self.respell(key, spelling, dirty, Spellings::remove);
    }

    /// If the name of the section changes, marks everything that shows it; in the docs its position changes, too.
    fn respell(
        &mut self,
        key: &PageKey,
        spelling: Option<&str>,
        dirty: &mut DirtyPaths,
        change: fn(&mut Spellings, &PageKey, &str),
    ) {
        let Some(spelling) = spelling else { return };
        let (content_type, section) = (key.content_type, &key.section);
        let before = self.spellings.of(content_type, section).cloned();
        change(&mut self.spellings, key, spelling);
        if self.spellings.of(content_type, section) == before.as_ref() {
            return;
        }
        self.mark_section(content_type, section, dirty);
        match content_type {
            ContentType::Docs => {
                self.mark_ends(section, dirty);
                self.put_section(section);
                self.mark_ends(section, dirty);
            }
            ContentType::Blog => {
                let base = list_url(content_type, section);
                let archives = self.blog_sections.get(section).map(|posts| posts.archives());
                archives
                    .into_iter()
                    .flatten()
                    .for_each(|archive| dirty.add(format_args!("{base}/{archive}")));
            }
            ContentType::Homepage | ContentType::Standalone => {}
        }
    }
}
