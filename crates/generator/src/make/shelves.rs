//! Lists by order: the docs, their sections, those of the standalone pages.

use askama::Template;
use model::{ContentType, Section};

use super::render;
use super::view::{Entry, Shell, side_joint};
use crate::index::mark::TOLD;
use crate::index::shelf::Shelf;
use crate::inline::Inline;
use crate::text;
use crate::url::list_url;
use crate::{Page, Site};

/// Up to so many pages the docs' index shows them all.
const ALL_DOCS: usize = 200;
/// Of each section of larger docs it shows so many, if there are not too many sections.
const SOME_DOCS: usize = 8;
const FEW_SECTIONS: usize = 50;

#[derive(Template)]
#[template(path = "shelf.html")]
struct ShelfTemplate<'s> {
    shell: Shell<'s>,
    crumbs: String,
    side: String,
    title: Inline<'s>,
    count: String,
    entries: Vec<Entry<'s>>,
}

#[derive(Template)]
#[template(path = "shelf_fragment.html")]
struct ShelfFragment<'s> {
    entries: Vec<Entry<'s>>,
}

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsTemplate<'s> {
    shell: Shell<'s>,
    pages: Vec<Entry<'s>>,
    sections: Vec<SectionView<'s>>,
}

struct SectionView<'s> {
    url: String,
    title: Inline<'s>,
    blurb: Inline<'s>,
    pages: Vec<Entry<'s>>,
    more: String,
}

impl Site {
    pub(super) fn shelf(&self, of: ContentType, section: &Section) -> String {
        let title = self.index.section_title(of, section);
        let path = list_url(of, section);
        let entries = self.shelf_entries(of, section);
        render(&ShelfTemplate {
            shell: self.shell(&path, &title),
            crumbs: self.crumbs(&self.steps(of, &Section::none())),
            side: if of == ContentType::Docs { side_joint(section, &path, None) } else { String::new() },
            title: title.as_str().into(),
            count: text::count(entries.len(), "page"),
            entries,
        })
    }

    /// The list of a section below the page that stands at its address.
    pub(super) fn list_below(&self, of: ContentType, section: &Section) -> String {
        match of {
            ContentType::Blog => self.posts_below(section),
            _ => render(&ShelfFragment { entries: self.shelf_entries(of, section) }),
        }
    }

    fn shelf_entries(&self, of: ContentType, section: &Section) -> Vec<Entry<'_>> {
        let shelf = self.index.shelf(of, section);
        let told = shelf.is_some_and(|shelf| shelf.len() <= TOLD);
        let pages = self.index.of(shelf.into_iter().flat_map(Shelf::ids)).map(Entry::of);
        if told { pages.collect() } else { pages.map(Entry::without_blurb).collect() }
    }

    pub(super) fn docs(&self) -> String {
        let sections: Vec<_> = self.index.docs_sections().collect();
        let shown = match self.index.docs_len() {
            len if len <= ALL_DOCS => len,
            _ if sections.len() <= FEW_SECTIONS => SOME_DOCS,
            _ => 0,
        };
        let mut shell = self.shell("/docs", "Docs");
        shell.description = self.frame.settings.description.as_deref().unwrap_or_default().into();
        let pages = self.root_docs().take(ALL_DOCS).map(Entry::of);
        let sections = sections.into_iter().map(|(section, shelf)| SectionView {
            url: list_url(ContentType::Docs, section),
            title: self.index.section_title(ContentType::Docs, section).into(),
            blurb: self.index.front(ContentType::Docs, section).map(Page::blurb).unwrap_or_default().into(),
            pages: self.index.of(shelf.ids().take(shown)).map(Entry::of).collect(),
            more: match shelf.len() > shown {
                true => format!("All {}", text::count(shelf.len(), "page")),
                false => String::new(),
            },
        });
        render(&DocsTemplate { shell, pages: pages.collect(), sections: sections.collect() })
    }

    /// The pages of the docs without section, but for those that stand for one.
    pub(super) fn root_docs(&self) -> impl Iterator<Item = &Page> {
        self.root_pages(ContentType::Docs)
    }

    pub(super) fn root_pages(&self, of: ContentType) -> impl Iterator<Item = &Page> {
        let shelf = self.index.shelf(of, &Section::none());
        self.index.of(shelf.into_iter().flat_map(Shelf::ids)).filter(move |page| {
            let named = Section::parse(page.key.slug.as_str()).unwrap_or_default();
            !self.index.has_section(of, &named)
        })
    }
}
