//! Sections as they were typed: a section that no page stands for is called so.

use std::collections::{BTreeMap, HashMap};

use model::{ContentType, PageKey, Section};

use super::Index;
use super::marks::Marks;
use crate::text;
use crate::url::list_url;

/// How many pages of a section spell it in which way, capitals first.
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
    /// What a section is called that no page stands for: as it was typed, else as its name says.
    pub fn spelt_section(&self, content_type: ContentType, section: &Section) -> String {
        match self.spellings.of(content_type, section) {
            Some(spelling) => spelling.trim_matches('-').replace('-', " "),
            None => text::humanise(section.as_str()),
        }
    }

    /// A page has come that spells its section so.
    pub(super) fn add_spelling(&mut self, key: &PageKey, spelling: Option<&str>, marks: &mut Marks) {
        self.respell(key, spelling, marks, Spellings::add);
    }

    /// A page that spells its section so is about to go.
    pub(super) fn remove_spelling(&mut self, key: &PageKey, spelling: Option<&str>, marks: &mut Marks) {
        self.respell(key, spelling, marks, Spellings::remove);
    }

    /// Should the section be called otherwise now, all that calls it so is marked; of the docs its place changes, too.
    fn respell(
        &mut self,
        key: &PageKey,
        spelling: Option<&str>,
        marks: &mut Marks,
        change: fn(&mut Spellings, &PageKey, &str),
    ) {
        let Some(spelling) = spelling else { return };
        let (content_type, section) = (key.content_type, &key.section);
        let before = self.spellings.of(content_type, section).cloned();
        change(&mut self.spellings, key, spelling);
        if self.spellings.of(content_type, section) == before.as_ref() {
            return;
        }
        self.mark_section(content_type, section, marks);
        match content_type {
            ContentType::Docs => {
                self.mark_ends(section, marks);
                self.put_section(section);
                self.mark_ends(section, marks);
            }
            ContentType::Blog => {
                let base = list_url(content_type, section);
                let cuts = self.blog_sections.get(section).map(|posts| posts.cuts());
                cuts.into_iter().flatten().for_each(|cut| marks.add(format_args!("{base}/{cut}")));
            }
            ContentType::Homepage | ContentType::Standalone => {}
        }
    }
}
