//! Ordered lists: the docs, their sections, and the sections of standalone pages.

use askama::Template;
use model::{ContentType, Section};

use super::render;
use super::view::{Entry, Shell, sidebar_placeholder};
use crate::index::mark::MAX_DESCRIBED;
use crate::index::ordered_pages::OrderedPages;
use crate::inline::Inline;
use crate::url::list_url;
use crate::words::Words;
use crate::{Page, Site};

/// The docs' index shows all pages if there are at most this many.
const ALL_DOCS: usize = 200;
/// For larger docs, it shows this many of each section, if there are not too many sections.
const SOME_DOCS: usize = 8;
const FEW_SECTIONS: usize = 50;

#[derive(Template)]
#[template(path = "section_list.html")]
struct SectionListTemplate<'s> {
    shell: Shell<'s>,
    crumbs: String,
    sidebar: String,
    title: Inline<'s>,
    count: String,
    entries: Vec<Entry<'s>>,
}

#[derive(Template)]
#[template(path = "section_list_fragment.html")]
struct SectionListFragment<'s> {
    words: &'static Words,
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
    pub(super) fn ordered_pages(&self, of: ContentType, section: &Section) -> String {
        let title = self.index.section_title(of, section);
        let path = list_url(of, section);
        let entries = self.section_entries(of, section);
        render(&SectionListTemplate {
            shell: self.shell(&path, &title).listing(entries.iter().map(|entry| entry.title.plain())),
            crumbs: self.crumbs(&self.breadcrumbs(of, &Section::none())),
            sidebar: if of == ContentType::Docs {
                sidebar_placeholder(section, &path, None)
            } else {
                String::new()
            },
            title: title.as_str().into(),
            count: self.frame.words.pages(entries.len()),
            entries,
        })
    }

    /// The list of a section, for its section page.
    pub(super) fn list_below(&self, of: ContentType, section: &Section) -> String {
        match of {
            ContentType::Blog => self.posts_below(section),
            _ => render(&SectionListFragment {
                words: self.frame.words,
                entries: self.section_entries(of, section),
            }),
        }
    }

    fn section_entries(&self, of: ContentType, section: &Section) -> Vec<Entry<'_>> {
        let ordered_pages = self.index.ordered_pages(of, section);
        let described = ordered_pages.is_some_and(|ordered_pages| ordered_pages.len() <= MAX_DESCRIBED);
        let pages =
            self.index.pages_with_ids(ordered_pages.into_iter().flat_map(OrderedPages::ids)).map(Entry::of);
        if described { pages.collect() } else { pages.map(Entry::without_blurb).collect() }
    }

    pub(super) fn docs(&self) -> String {
        let sections: Vec<_> = self.index.docs_sections().collect();
        let shown = match self.index.docs_len() {
            len if len <= ALL_DOCS => len,
            _ if sections.len() <= FEW_SECTIONS => SOME_DOCS,
            _ => 0,
        };
        let pages: Vec<_> = self.root_docs().take(ALL_DOCS).map(Entry::of).collect();
        let sections = sections.into_iter().map(|(section, ordered_pages)| SectionView {
            url: list_url(ContentType::Docs, section),
            title: self.index.section_title(ContentType::Docs, section).into(),
            blurb: self
                .index
                .section_page(ContentType::Docs, section)
                .map(Page::blurb)
                .unwrap_or_default()
                .into(),
            pages: self.index.pages_with_ids(ordered_pages.ids().take(shown)).map(Entry::of).collect(),
            more: match ordered_pages.len() > shown {
                true => self.frame.words.all_of(self.frame.words.pages(ordered_pages.len())),
                false => String::new(),
            },
        });
        let sections: Vec<_> = sections.collect();
        let titles =
            pages.iter().map(|page| &page.title).chain(sections.iter().map(|section| &section.title));
        let shell = self.shell("/docs", self.frame.words.docs).like_site().listing(titles.map(Inline::plain));
        render(&DocsTemplate { shell, pages, sections })
    }

    /// The pages of the docs without a section, except section pages.
    pub(super) fn root_docs(&self) -> impl Iterator<Item = &Page> {
        self.root_pages(ContentType::Docs)
    }

    pub(super) fn root_pages(&self, of: ContentType) -> impl Iterator<Item = &Page> {
        let ordered_pages = self.index.ordered_pages(of, &Section::none());
        self.index.pages_with_ids(ordered_pages.into_iter().flat_map(OrderedPages::ids)).filter(move |page| {
            let named = Section::parse(page.key.slug.as_str()).unwrap_or_default();
            !self.index.has_section(of, &named)
        })
    }
}
