//! The front page of a site: by itself, or below its homepage.

use askama::Template;
use model::ContentType;

use super::render;
use super::view::{Entry, Shell};
use crate::inline::Inline;
use crate::text;
use crate::url::{list_url, url};
use crate::{Page, Site};

/// So many posts it shows.
const POSTS: usize = 8;
/// So many sections, or pages, it shows as cards.
const CARDS: usize = 24;

#[derive(Template)]
#[template(path = "home.html")]
struct HomeTemplate<'s> {
    shell: Shell<'s>,
    list: String,
}

#[derive(Template)]
#[template(path = "home_fragment.html")]
struct HomeFragment<'s> {
    posts: Vec<Entry<'s>>,
    more_posts: bool,
    docs: Vec<Card<'s>>,
    more_docs: bool,
    pages: Vec<Card<'s>>,
}

struct Card<'s> {
    url: String,
    title: Inline<'s>,
    blurb: Inline<'s>,
    note: String,
}

impl<'s> Card<'s> {
    fn of(page: &'s Page) -> Card<'s> {
        Card {
            url: url(&page.key),
            title: page.title.as_str().into(),
            blurb: page.blurb().into(),
            note: String::new(),
        }
    }
}

impl Site {
    pub(super) fn home(&self) -> String {
        let mut shell = self.shell("/", &self.frame.title);
        shell.description = self.frame.settings.description.as_deref().unwrap_or_default().into();
        let site = serde_json::json!({
            "@context": "https://schema.org",
            "@type": "WebSite",
            "name": self.frame.title,
            "url": format!("{}/", self.frame.origin),
        });
        shell.json_ld = Some(text::script_json(&site));
        render(&HomeTemplate { shell, list: self.home_list() })
    }

    /// The newest posts, the sections of the docs, the pages that are in no section.
    pub(super) fn home_list(&self) -> String {
        let sections = self.index.docs_sections().take(CARDS).map(|(section, shelf)| Card {
            url: list_url(ContentType::Docs, section),
            title: self.index.section_title(ContentType::Docs, section).into(),
            blurb: self.index.front(ContentType::Docs, section).map(Page::blurb).unwrap_or_default().into(),
            note: text::count(shelf.len(), "page"),
        });
        let sections: Vec<_> = sections.collect();
        // Sections lead to more, so they have the first claim to be shown; the order is that of the docs all the same.
        let pages = self.root_docs().take(CARDS - sections.len()).map(Card::of);
        let docs: Vec<_> = pages.chain(sections).collect();
        let list = HomeFragment {
            posts: self.index.of(self.index.blog.ids().take(POSTS)).map(Entry::of).collect(),
            more_posts: self.index.blog.len() > POSTS,
            more_docs: !docs.is_empty(),
            docs,
            pages: self.root_pages(ContentType::Standalone).take(CARDS).map(Card::of).collect(),
        };
        if list.posts.is_empty() && list.docs.is_empty() && list.pages.is_empty() {
            return String::new();
        }
        render(&list)
    }
}
