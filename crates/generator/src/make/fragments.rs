//! What is joined into pages when these are served: see [`crate::join`] for the signs used here.

use std::fmt::Write;

use model::{ContentType, Section};
use serde_json::json;

use super::view::{Endpoint, Step, escape_href};
use crate::inline::{Inline, plain};
use crate::text::{self, escape};
use crate::url::{Fragment, list_url, url};
use crate::{Page, Site};

impl Site {
    pub(super) fn fragment(&self, fragment: &Fragment) -> String {
        match fragment {
            Fragment::Nav => self.nav(),
            Fragment::Foot => self.foot(),
            Fragment::Side => self.side(),
            Fragment::SideSection(section) => self.side_section(section),
            Fragment::SidePart(section, first) => self.side_part(section, first),
            Fragment::Crumbs(of, section) => self.crumbs(&self.steps(*of, section)),
            Fragment::TagCrumbs(slug) => self.crumbs(&self.tag_steps(slug)),
            Fragment::List(of, section) => self.list_below(*of, section),
            Fragment::HomeList => self.home_list(),
        }
    }

    fn nav(&self) -> String {
        let links = self.nav_links();
        if links.is_empty() {
            return String::new();
        }
        let mut nav = "<nav aria-label=\"Site\">".to_owned();
        for (text, url) in links {
            write!(nav, "<a href=\"{}\">{}</a>", escape_href(url.as_ref()), escape(&plain(text)))
                .expect("a string takes all");
        }
        nav + "</nav>"
    }

    /// The owner's links, or those to what there is.
    fn nav_links(&self) -> Vec<(&str, String)> {
        let own = &self.frame.settings.links;
        if !own.is_empty() {
            return own.iter().map(|link| (link.text.as_str(), link.url.clone())).collect();
        }
        let docs = (self.index.docs_len() > 0).then(|| ("Docs", "/docs".to_owned()));
        let blog = (!self.index.blog.is_empty()).then(|| ("Blog", "/blog".to_owned()));
        let pages = self.index.of(self.index.nav.ids().take(NAV_PAGES));
        let pages = pages.map(|page| (page.short_title(), url(&page.key)));
        docs.into_iter().chain(blog).chain(pages).collect()
    }

    fn foot(&self) -> String {
        let blog = !self.index.blog.is_empty();
        let links = [
            ("/tags", "Tags", !self.index.tags.is_empty()),
            ("/feed.xml", "Feed", blog),
            ("/sitemap.xml", "Sitemap", true),
        ];
        let mut foot = "<nav aria-label=\"More\">".to_owned();
        for (url, text, _) in links.into_iter().filter(|(_, _, shown)| *shown) {
            write!(foot, "<a href=\"{url}\">{text}</a>").expect("a string takes all");
        }
        foot + "</nav>"
    }

    fn side(&self) -> String {
        let mut side = "<p class=\"label\"><a href=\"/docs\">Docs</a></p>\n".to_owned();
        side.push_str(&self.side_section(&Section::none()));
        let sections: Vec<_> = self.index.docs_sections().collect();
        if !sections.is_empty() {
            side.push_str("<ul class=\"sections\">");
            let count = text::count(sections.len(), "section");
            push_all(&mut side, "/docs", &count);
            for (section, _) in sections {
                let title = Inline::from(self.index.section_title(ContentType::Docs, section));
                let (href, inside) =
                    (list_url(ContentType::Docs, section), Fragment::SideSection(section.clone()));
                writeln!(
                    side,
                    "<li><a href=\"{href}\"><span dir=\"auto\">{title}</span></a>\0{inside}\0</li>"
                )
                .expect("a string takes all");
            }
            push_all(&mut side, "/docs", &count);
            side.push_str("</ul>\n");
        }
        side
    }

    /// A list of one line an entry, or of where each part of it begins, between the signs that let the joiner show a
    /// window of it.
    fn side_section(&self, section: &Section) -> String {
        let Some(shelf) = self.index.shelf(ContentType::Docs, section) else { return String::new() };
        let pages: Vec<_> = self.index.of(shelf.ids()).filter(|page| !self.index.is_front(page)).collect();
        if pages.is_empty() {
            return String::new();
        }
        let (all, count) = (list_url(ContentType::Docs, section), text::count(pages.len(), "page"));
        let mut side = "<ul>".to_owned();
        push_all(&mut side, &all, &count);
        match shelf.parts() {
            [] => pages.into_iter().for_each(|page| push_entry(&mut side, page)),
            parts => parts.iter().for_each(|first| {
                let part = Fragment::SidePart(section.clone(), first.slug().to_owned());
                write!(side, "\0*{part}\t{first}\0").expect("a string takes all");
            }),
        }
        push_all(&mut side, &all, &count);
        side + "</ul>\n"
    }

    fn side_part(&self, section: &Section, first: &str) -> String {
        let mut side = String::new();
        let pages = self.index.side_part(section, first).into_iter().flatten();
        pages.filter(|page| !self.index.is_front(page)).for_each(|page| push_entry(&mut side, page));
        side
    }

    /// The way to a page, for people and for machines.
    pub(super) fn crumbs(&self, steps: &[Step]) -> String {
        if steps.is_empty() {
            return String::new();
        }
        let mut crumbs = "<nav class=\"crumbs\" aria-label=\"Breadcrumbs\"><ol>".to_owned();
        let mut items = vec![];
        for (at, Step { url, text }) in steps.iter().enumerate() {
            write!(crumbs, "<li><a href=\"{url}\">{}</a></li>", Inline::from(text.as_str()))
                .expect("a string takes all");
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
        .expect("a string takes all");
        crumbs
    }

    fn tag_steps(&self, slug: &str) -> Vec<Step> {
        let name = self.index.tags.get(slug).map(|tag| tag.name()).unwrap_or_default();
        vec![
            Step { url: "/tags".to_owned(), text: "Tags".to_owned() },
            Step { url: format!("/tags/{slug}"), text: name.to_owned() },
        ]
    }
}

/// So many pages that ask for it fit into the masthead.
const NAV_PAGES: usize = 12;

/// One line.
fn push_entry(side: &mut String, page: &Page) {
    let (href, title) = (url(&page.key), Inline::from(page.short_title()));
    write!(side, "<li><a href=\"{href}\"><span dir=\"auto\">{title}</span>").expect("a string takes all");
    if let Some(Endpoint { method, class, .. }) = page.api_endpoint.as_ref().map(Endpoint::of) {
        write!(side, "<span class=\"method {class}\">{method}</span>").expect("a string takes all");
    }
    side.push_str("</a></li>\n");
}

/// What stands at an end of a list where it was cut.
fn push_all(side: &mut String, all: &str, count: &str) {
    write!(side, "\0+<li class=\"all\"><a href=\"{all}\">All {count}</a></li>\n\0")
        .expect("a string takes all");
}
