//! The home page: by itself, or on the homepage.

use std::borrow::Cow;

use askama::Template;
use model::ContentType;

use super::document::Cover;
use super::render;
use super::view::{Entry, Shell};
use crate::index::ordered_pages::OrderedPages;
use crate::inline::Inline;
use crate::text;
use crate::url::{list_url, url};
use crate::words::Words;
use crate::{Page, Site};

/// Number of posts it shows.
const HOME_POSTS: usize = 8;
/// Number of sections and pages it shows as cards.
const HOME_CARDS: usize = 24;
/// Number of pages that the card of a section shows.
const CARD_PAGES: usize = 3;

#[derive(Template)]
#[template(path = "home.html")]
struct HomeTemplate<'s> {
    shell: Shell<'s>,
    list: String,
}

#[derive(Template)]
#[template(path = "home_fragment.html")]
struct HomeFragment<'s> {
    words: &'static Words,
    /// The newest post.
    lead: Option<Lead<'s>>,
    posts: Vec<Entry<'s>>,
    more_posts: bool,
    docs: Vec<Card<'s>>,
    more_docs: bool,
    pages: Vec<Card<'s>>,
}

impl HomeFragment<'_> {
    /// Empty if there is nothing to list.
    fn html(&self) -> String {
        match self.titles().next() {
            Some(_) => render(self),
            None => String::new(),
        }
    }

    fn titles(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let posts = self.lead.iter().map(|lead| &lead.entry).chain(&self.posts).map(|entry| &entry.title);
        let cards = self.docs.iter().chain(&self.pages).map(|card| &card.title);
        posts.chain(cards).map(Inline::plain)
    }
}

struct Lead<'s> {
    entry: Entry<'s>,
    cover: Option<Cover<'s>>,
}

struct Card<'s> {
    url: String,
    title: Inline<'s>,
    blurb: Inline<'s>,
    /// The first pages of a section.
    pages: Vec<Entry<'s>>,
    /// How many it has, if these are not all.
    more: String,
}

impl<'s> Card<'s> {
    fn of(page: &'s Page) -> Card<'s> {
        Card {
            url: url(&page.key),
            title: page.title.as_str().into(),
            blurb: page.blurb().into(),
            pages: vec![],
            more: String::new(),
        }
    }
}

impl Site {
    pub(super) fn home(&self) -> String {
        let list = self.home_fragment();
        let mut shell = self.shell("/", &self.frame.title).like_site().listing(list.titles());
        let site = serde_json::json!({
            "@context": "https://schema.org",
            "@type": "WebSite",
            "name": self.frame.title,
            "url": format!("{}/", self.frame.origin),
        });
        shell.json_ld = Some(text::script_json(&site));
        render(&HomeTemplate { shell, list: list.html() })
    }

    pub(super) fn home_list(&self) -> String {
        self.home_fragment().html()
    }

    /// The newest posts, the sections of the docs, and the pages without a section.
    fn home_fragment(&self) -> HomeFragment<'_> {
        let sections = self.index.docs_sections().take(HOME_CARDS).map(|(section, ordered_pages)| Card {
            url: list_url(ContentType::Docs, section),
            title: self.index.section_title(ContentType::Docs, section).into(),
            blurb: self
                .index
                .section_page(ContentType::Docs, section)
                .map(Page::blurb)
                .unwrap_or_default()
                .into(),
            pages: self.first_pages(ordered_pages).map(Entry::of).collect(),
            more: match ordered_pages.len() > CARD_PAGES {
                true => self.frame.words.all_of(self.frame.words.pages(ordered_pages.len())),
                false => String::new(),
            },
        });
        let sections: Vec<_> = sections.collect();
        // Sections take precedence when there are too many, as they lead to more pages; the order is that of the docs.
        let pages = self.root_docs().take(HOME_CARDS - sections.len()).map(Card::of);
        let docs: Vec<_> = pages.chain(sections).collect();
        let mut posts = self.index.pages_with_ids(self.index.blog.ids().take(HOME_POSTS));
        let lead = posts.next().map(|page| Lead { entry: Entry::of(page), cover: Cover::of(page) });
        let posts: Vec<_> = posts.map(Entry::of).collect();
        // Where there is more to read, pages such as the imprint are left to masthead and footer.
        let is_rest = lead.is_none() && docs.is_empty();
        HomeFragment {
            words: self.frame.words,
            lead,
            posts,
            more_posts: self.index.blog.len() > HOME_POSTS,
            more_docs: !docs.is_empty(),
            docs,
            pages: match is_rest {
                true => self.root_pages(ContentType::Standalone).take(HOME_CARDS).map(Card::of).collect(),
                false => vec![],
            },
        }
    }

    fn first_pages<'s>(&'s self, ordered_pages: &'s OrderedPages) -> impl Iterator<Item = &'s Page> {
        self.index.pages_with_ids(ordered_pages.ids().take(CARD_PAGES))
    }
}
