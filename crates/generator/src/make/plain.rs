//! Files that are no lists: the page for what is not there, and what machines read.

use std::fmt::Write;

use askama::Template;
use model::{ContentType, Section};

use super::render;
use super::view::Shell;
use crate::index::shelf::Shelf;
use crate::inline::plain;
use crate::url::url;
use crate::{Page, Site};

/// `llms.txt` names so many pages of the docs, of each section so many, and so many posts and other pages.
const LLMS_DOCS: usize = 300;
const LLMS_SECTIONS: usize = 50;
const LLMS_OF_A_SECTION: usize = 30;
const LLMS_POSTS: usize = 20;
const LLMS_PAGES: usize = 50;

#[derive(Template)]
#[template(path = "not_found.html")]
struct NotFound<'s> {
    shell: Shell<'s>,
}

impl Site {
    pub(super) fn not_found(&self) -> String {
        let mut shell = self.shell("/404.html", "Not found");
        shell.canonical = None;
        shell.noindex = true;
        render(&NotFound { shell })
    }

    pub(super) fn robots(&self) -> String {
        // A page that may not be fetched cannot say that it wants no index: so nothing is forbidden here.
        match self.frame.settings.noindex {
            true => "User-agent: *\nAllow: /\n".to_owned(),
            false => format!("User-agent: *\nAllow: /\n\nSitemap: {}/sitemap.xml\n", self.frame.origin),
        }
    }

    /// What the site has to say, for machines that read: <https://llmstxt.org>.
    ///
    /// The format's own parser (`llms_txt`) reads a summary only where a text follows it, and fails where there is neither.
    pub(super) fn llms(&self) -> String {
        let (title, origin) = (&self.frame.title, &self.frame.origin);
        let summary = match &self.frame.settings.description {
            Some(description) => description.clone(),
            None => format!("The pages published at {origin}."),
        };
        let mut llms = format!("# {title}\n\n> {summary}\n\nEach link leads to the Markdown of a page.\n");
        let mut room = LLMS_DOCS;
        self.put_llms(&mut llms, "Docs", self.root_docs().take(LLMS_OF_A_SECTION), &mut room);
        for (section, shelf) in self.index.docs_sections().take(LLMS_SECTIONS) {
            let title = self.index.section_title(ContentType::Docs, section);
            let front = self.index.front(ContentType::Docs, section);
            let pages = front.into_iter().chain(self.index.of(shelf.ids())).take(LLMS_OF_A_SECTION);
            self.put_llms(&mut llms, &format!("Docs: {title}"), pages, &mut room);
        }
        let posts = self.index.of(self.index.blog.ids());
        self.put_llms(&mut llms, "Blog", posts, &mut LLMS_POSTS.clone());
        let shelf = self.index.shelf(ContentType::Standalone, &Section::none());
        let pages = self.index.of(shelf.into_iter().flat_map(Shelf::ids));
        self.put_llms(&mut llms, "Pages", pages, &mut LLMS_PAGES.clone());
        llms
    }

    fn put_llms<'p>(
        &self,
        llms: &mut String,
        title: &str,
        pages: impl Iterator<Item = &'p Page>,
        room: &mut usize,
    ) {
        let mut head = format!("\n## {title}\n\n");
        for page in pages.take(*room) {
            llms.push_str(&std::mem::take(&mut head));
            let (title, address) =
                (link_text(&page.title), format!("{}{}.md", self.frame.origin, url(&page.key)));
            write!(llms, "- [{title}]({address})").expect("a string takes all");
            if !page.blurb().is_empty() {
                write!(llms, ": {}", page.blurb()).expect("a string takes all");
            }
            llms.push('\n');
            *room -= 1;
        }
    }
}

/// A title that can stand between the brackets of a link. Parsers of this format read up to the first `]`, escaped or
/// not; and a backtick might begin code that ends behind the link.
fn link_text(title: &str) -> String {
    plain(title).replace('\\', "\\\\").replace('[', "(").replace(']', ")").replace('`', "")
}
