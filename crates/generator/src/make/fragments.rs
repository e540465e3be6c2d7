//! Generates fragments: see [`mod@crate::join`] for the placeholders used here.

use std::fmt::Write;

use model::{ContentType, Section};
use serde_json::json;

use super::view::{Breadcrumb, Endpoint, escape_href};
use crate::index::mark::SMALL_DOCS;
use crate::index::ordered_pages::OrderedPages;
use crate::inline::{Inline, plain};
use crate::text::{self, escape};
use crate::url::{Fragment, list_url, url};
use crate::{Page, Site};

impl Site {
    pub(super) fn fragment(&self, fragment: &Fragment) -> String {
        match fragment {
            Fragment::Nav => self.nav(),
            Fragment::Foot => self.foot(),
            Fragment::Sidebar => self.sidebar(),
            Fragment::SidebarSection(section) => self.sidebar_section(section),
            Fragment::SidebarPart(section, first) => self.sidebar_part(section, first),
            Fragment::Crumbs(of, section) => self.crumbs(&self.breadcrumbs(*of, section)),
            Fragment::TagCrumbs(slug) => self.crumbs(&self.tag_breadcrumbs(slug)),
            Fragment::List(of, section) => self.list_below(*of, section),
            Fragment::HomeList => self.home_list(),
        }
    }

    fn nav(&self) -> String {
        let links = self.nav_links();
        if links.is_empty() {
            return String::new();
        }
        let mut nav = format!("<nav aria-label=\"{}\">", self.frame.words.site);
        for (text, url) in links {
            write!(nav, "<a href=\"{}\">{}</a>", escape_href(url.as_ref()), escape(&plain(text)))
                .expect("writing to a String cannot fail");
        }
        nav + "</nav>"
    }

    /// The owner's links, or else links to the existing parts of the site; and the pages that ask for it.
    fn nav_links(&self) -> Vec<(&str, String)> {
        let links = &self.frame.settings.links;
        let docs = (self.index.docs_len() > 0).then(|| (self.frame.words.docs, "/docs".to_owned()));
        let blog = (!self.index.blog.is_empty()).then(|| (self.frame.words.blog, "/blog".to_owned()));
        let pages = self.index.pages_with_ids(self.index.nav.ids().take(NAV_PAGES));
        let pages = pages.map(|page| (page.short_title(), url(&page.key)));
        if links.is_empty() {
            return docs.into_iter().chain(blog).chain(pages).collect();
        }
        let is_linked = |url: &str| links.iter().any(|link| link.url == url);
        let pages = pages.filter(|(_, url)| !is_linked(url));
        links.iter().map(|link| (link.text.as_str(), link.url.clone())).chain(pages).collect()
    }

    fn foot(&self) -> String {
        let (words, blog) = (self.frame.words, !self.index.blog.is_empty());
        let links = [
            ("/tags", words.tags, !self.index.tags.is_empty()),
            ("/feed.xml", words.feed, blog),
            ("/sitemap.xml", words.sitemap, true),
        ];
        let mut foot = format!("<nav aria-label=\"{}\">", words.more);
        for (url, title) in self.standalone_links().take(FOOT_PAGES) {
            write!(foot, "<a href=\"{url}\">{}</a>", Inline::from(title))
                .expect("writing to a String cannot fail");
        }
        for (url, text, _) in links.into_iter().filter(|(_, _, shown)| *shown) {
            write!(foot, "<a href=\"{url}\">{text}</a>").expect("writing to a String cannot fail");
        }
        foot + "</nav>"
    }

    /// Standalone pages and sections that neither the masthead nor the front page leads to, such as the imprint.
    fn standalone_links(&self) -> impl Iterator<Item = (String, String)> {
        let of = ContentType::Standalone;
        let pages = self.index.ordered_pages(of, &Section::none());
        let pages = self.index.pages_with_ids(pages.into_iter().flat_map(OrderedPages::ids));
        let pages = pages.filter(|page| !page.params.nav);
        let sections = self.index.sections_of(of);
        let sections = sections.filter(move |(section, _)| self.index.section_page(of, section).is_none());
        let sections =
            sections.map(move |(section, _)| (list_url(of, section), self.index.section_title(of, section)));
        pages.map(|page| (url(&page.key), page.short_title().to_owned())).chain(sections)
    }

    fn sidebar(&self) -> String {
        let words = self.frame.words;
        let mut sidebar = format!("<p class=\"label\"><a href=\"/docs\">{}</a></p>\n", words.docs);
        sidebar.push_str(&self.sidebar_section(&Section::none()));
        let sections: Vec<_> = self.index.docs_sections().collect();
        if self.index.docs_len() <= SMALL_DOCS {
            return sidebar + &self.small_sidebar(&sections);
        }
        if !sections.is_empty() {
            sidebar.push_str("<ul class=\"sections\">");
            let count = words.all_of(words.sections(sections.len()));
            push_all(&mut sidebar, "/docs", &count);
            for (section, _) in sections {
                let title = Inline::from(self.index.section_title(ContentType::Docs, section));
                let (href, inside) =
                    (list_url(ContentType::Docs, section), Fragment::SidebarSection(section.clone()));
                writeln!(
                    sidebar,
                    "<li><a href=\"{href}\"><span dir=\"auto\">{title}</span></a>\0{inside}\0</li>"
                )
                .expect("writing to a String cannot fail");
            }
            push_all(&mut sidebar, "/docs", &count);
            sidebar.push_str("</ul>\n");
        }
        sidebar
    }

    /// All pages of all sections, of which the reader can open each.
    fn small_sidebar(&self, sections: &[(&Section, &OrderedPages)]) -> String {
        let mut sidebar = String::new();
        for (section, _) in sections {
            let title = self.index.section_title(ContentType::Docs, section);
            let (href, inside) =
                (list_url(ContentType::Docs, section), Fragment::SidebarSection((*section).clone()));
            let (label, pages) = (escape(&plain(&title)), self.sidebar_section(section));
            writeln!(
                sidebar,
                "<li><a href=\"{href}\"><span dir=\"auto\">{}</span></a>\
                 <details\0?{inside}\0><summary aria-label=\"{label}\"></summary>{pages}</details></li>",
                Inline::from(title)
            )
            .expect("writing to a String cannot fail");
        }
        match sections.is_empty() {
            true => sidebar,
            false => format!("<ul class=\"sections\">\n{sidebar}</ul>\n"),
        }
    }

    /// A list with one entry per line, or a reference to each of its parts, enclosed in the placeholders that let the
    /// joiner show a window of it.
    fn sidebar_section(&self, section: &Section) -> String {
        let Some(ordered_pages) = self.index.ordered_pages(ContentType::Docs, section) else {
            return String::new();
        };
        let pages: Vec<_> = self
            .index
            .pages_with_ids(ordered_pages.ids())
            .filter(|page| !self.index.is_section_page(page))
            .collect();
        if pages.is_empty() {
            return String::new();
        }
        let words = self.frame.words;
        let (all, count) = (list_url(ContentType::Docs, section), words.all_of(words.pages(pages.len())));
        let mut sidebar = "<ul>".to_owned();
        push_all(&mut sidebar, &all, &count);
        match ordered_pages.parts() {
            [] => pages.into_iter().for_each(|page| push_entry(&mut sidebar, page)),
            parts => parts.iter().for_each(|first| {
                let part = Fragment::SidebarPart(section.clone(), first.slug().to_owned());
                write!(sidebar, "\0*{part}\t{first}\0").expect("writing to a String cannot fail");
            }),
        }
        push_all(&mut sidebar, &all, &count);
        sidebar + "</ul>\n"
    }

    fn sidebar_part(&self, section: &Section, first: &str) -> String {
        let mut sidebar = String::new();
        let pages = self.index.sidebar_part(section, first).into_iter().flatten();
        pages
            .filter(|page| !self.index.is_section_page(page))
            .for_each(|page| push_entry(&mut sidebar, page));
        sidebar
    }

    /// Breadcrumbs, as HTML and as JSON-LD.
    pub(super) fn crumbs(&self, breadcrumbs: &[Breadcrumb]) -> String {
        if breadcrumbs.is_empty() {
            return String::new();
        }
        let label = self.frame.words.breadcrumbs;
        let mut crumbs = format!("<nav class=\"crumbs\" aria-label=\"{label}\"><ol>");
        let mut items = vec![];
        for (at, Breadcrumb { url, text }) in breadcrumbs.iter().enumerate() {
            write!(crumbs, "<li><a href=\"{url}\">{}</a></li>", Inline::from(text.as_str()))
                .expect("writing to a String cannot fail");
            let address = self.frame.absolute(url);
            items
                .push(json!({"@type": "ListItem", "position": at + 1, "name": plain(text), "item": address}));
        }
        let list = json!({
            "@context": "https://schema.org",
            "@type": "BreadcrumbList",
            "itemListElement": items,
        });
        write!(
            crumbs,
            "</ol></nav><script type=\"application/ld+json\">{}</script>",
            text::script_json(&list)
        )
        .expect("writing to a String cannot fail");
        crumbs
    }

    fn tag_breadcrumbs(&self, slug: &str) -> Vec<Breadcrumb> {
        let name = self.index.tags.get(slug).map(|tag| tag.name()).unwrap_or_default();
        vec![
            Breadcrumb { url: "/tags".to_owned(), text: self.frame.words.tags.to_owned() },
            Breadcrumb { url: format!("/tags/{slug}"), text: name.to_owned() },
        ]
    }
}

/// Maximum number of pages linked in the masthead.
const NAV_PAGES: usize = 12;
/// Maximum number of pages linked in the footer.
const FOOT_PAGES: usize = 12;

/// Writes one line.
fn push_entry(sidebar: &mut String, page: &Page) {
    let (href, title) = (url(&page.key), Inline::from(page.short_title()));
    write!(sidebar, "<li><a href=\"{href}\"><span dir=\"auto\">{title}</span>")
        .expect("writing to a String cannot fail");
    if let Some(Endpoint { method, class, .. }) = page.api_endpoint.as_ref().map(Endpoint::of) {
        write!(sidebar, "<span class=\"method {class}\">{method}</span>")
            .expect("writing to a String cannot fail");
    }
    sidebar.push_str("</a></li>\n");
}

/// Shown at an end of a list that was cut.
fn push_all(sidebar: &mut String, all: &str, count: &str) {
    write!(sidebar, "\0+<li class=\"all\"><a href=\"{all}\">{count}</a></li>\n\0")
        .expect("writing to a String cannot fail");
}
