//! Other files: the 404 page, the page of the search, robots.txt.

use askama::Template;

use super::render;
use super::view::{Entry, Shell};
use crate::Site;
use crate::search_page::{query_mark, results_mark};

/// Number of posts that the 404 page shows.
const NOT_FOUND_POSTS: usize = 5;

#[derive(Template)]
#[template(path = "not_found.html")]
struct NotFound<'s> {
    shell: Shell<'s>,
    posts: Vec<Entry<'s>>,
}

#[derive(Template)]
#[template(path = "search.html")]
struct SearchTemplate<'s> {
    shell: Shell<'s>,
    query: &'static str,
    results: String,
}

impl Site {
    /// Without results, which the server fills in.
    pub(super) fn search_page(&self) -> String {
        let words = self.frame.words;
        let mut shell = self.shell("/search", words.search);
        shell.description = words.search_label.into();
        shell.noindex = true;
        render(&SearchTemplate { shell, query: query_mark(), results: results_mark(words) })
    }

    pub(super) fn not_found(&self) -> String {
        let mut shell = self.shell("/404.html", self.frame.words.not_found);
        shell.canonical = None;
        shell.noindex = true;
        let posts = self.index.pages_with_ids(self.index.blog.ids().take(NOT_FOUND_POSTS)).map(Entry::of);
        render(&NotFound { shell, posts: posts.map(Entry::without_blurb).collect() })
    }

    pub(super) fn robots(&self) -> String {
        // Crawlers must be able to fetch a page to see its `noindex`, so nothing is disallowed here.
        let settings = &self.frame.settings;
        let signals = settings.signals.as_ref().map(|signals| format!("Content-Signal: {signals}\n"));
        let rules = format!("User-agent: *\n{}Allow: /\n", signals.unwrap_or_default());
        match settings.noindex {
            true => rules,
            false => format!("{rules}\nSitemap: {}/sitemap.xml\n", self.frame.origin),
        }
    }
}
