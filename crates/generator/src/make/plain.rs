//! Other files: the 404 page, the page of the search, robots.txt and llms.txt.

use std::fmt::Write;

use askama::Template;
use model::{ContentType, Section};

use super::render;
use super::view::{Entry, Shell};
use crate::index::ordered_pages::OrderedPages;
use crate::inline::plain;
use crate::search_page::{query_mark, results_mark};
use crate::url::url;
use crate::{Page, Site};

/// Limits of `llms.txt`: pages of the docs, sections, pages per section, posts and other pages.
const LLMS_DOCS: usize = 300;
const LLMS_SECTIONS: usize = 50;
const LLMS_PER_SECTION: usize = 30;
const LLMS_POSTS: usize = 20;
const LLMS_PAGES: usize = 50;
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

    /// The site for language models: <https://llmstxt.org>.
    ///
    /// The format's own parser (`llms_txt`) reads a summary only if a text follows it, and fails if there is neither.
    pub(super) fn llms(&self) -> String {
        let (title, origin) = (&self.frame.title, &self.frame.origin);
        let summary = match &self.frame.settings.description {
            Some(description) => description.clone(),
            None => format!("The pages published at {origin}."),
        };
        let mut llms = format!("# {title}\n\n> {summary}\n\nEach link leads to the Markdown of a page.\n");
        let mut remaining = LLMS_DOCS;
        self.put_llms(&mut llms, "Docs", self.root_docs().take(LLMS_PER_SECTION), &mut remaining);
        for (section, ordered_pages) in self.index.docs_sections().take(LLMS_SECTIONS) {
            let title = self.index.section_title(ContentType::Docs, section);
            let section_page = self.index.section_page(ContentType::Docs, section);
            let pages = section_page
                .into_iter()
                .chain(self.index.pages_with_ids(ordered_pages.ids()))
                .take(LLMS_PER_SECTION);
            self.put_llms(&mut llms, &format!("Docs: {title}"), pages, &mut remaining);
        }
        let posts = self.index.pages_with_ids(self.index.blog.ids());
        self.put_llms(&mut llms, "Blog", posts, &mut LLMS_POSTS.clone());
        let ordered_pages = self.index.ordered_pages(ContentType::Standalone, &Section::none());
        let pages = self.index.pages_with_ids(ordered_pages.into_iter().flat_map(OrderedPages::ids));
        self.put_llms(&mut llms, "Pages", pages, &mut LLMS_PAGES.clone());
        llms
    }

    fn put_llms<'p>(
        &self,
        llms: &mut String,
        title: &str,
        pages: impl Iterator<Item = &'p Page>,
        remaining: &mut usize,
    ) {
        let mut head = format!("\n## {title}\n\n");
        for page in pages.take(*remaining) {
            llms.push_str(&std::mem::take(&mut head));
            let (title, address) =
                (link_text(&page.title), format!("{}{}.md", self.frame.origin, url(&page.key)));
            write!(llms, "- [{title}]({address})").expect("writing to a String cannot fail");
            if !page.blurb().is_empty() {
                write!(llms, ": {}", page.blurb()).expect("writing to a String cannot fail");
            }
            llms.push('\n');
            *remaining -= 1;
        }
    }
}

/// A title that is safe inside the brackets of a link. Parsers of this format read up to the first `]`, escaped or not;
/// and a backtick might begin code that ends after the link.
fn link_text(title: &str) -> String {
    plain(title).replace('\\', "\\\\").replace('[', "(").replace(']', ")").replace('`', "")
}
