//! The site for language models, <https://llmstxt.org>: an index, and a file with the pages of each section.

use std::fmt::Write;

use model::{ContentType, Section};

use crate::index::ordered_pages::OrderedPages;
use crate::inline::plain;
use crate::url::{llms_url, markdown_url};
use crate::{Page, Site};

/// About how many characters a file may have: descriptions are as short as that requires.
const FILE_CHARS: usize = 50_000;
/// A shorter description says nothing.
const MIN_BLURB_CHARS: usize = 20;
/// Maximum number of entries of a list. A site with more pages than this lists them all, by hash, in files of their own.
const MAX_ENTRIES: usize = 500;
/// With up to this many pages, the index has all pages of the docs, and otherwise links to their sections' files.
const INDEXED_DOCS: usize = 100;
/// Number of posts in the index.
const INDEXED_POSTS: usize = 20;

/// A link and its description.
struct Entry {
    link: String,
    blurb: String,
}

type Part = (String, Vec<Entry>);

impl Site {
    pub(super) fn llms(&self) -> String {
        let mut parts = self.docs_parts();
        parts.push(("Blog".to_owned(), self.newest_posts_part()));
        parts.push(("Pages".to_owned(), self.standalone_part()));
        let shards = self.index.shards.count();
        let shard =
            |shard| self.file_entry(&format!("Part {} of {shards}", shard + 1), &shard_path(shard), "");
        parts.push(("All pages".to_owned(), (0..shards).map(shard).collect()));
        self.llms_file(&self.frame.title, parts)
    }

    /// The pages of a section, or of the docs or the blog as far as they have none.
    pub(super) fn llms_of(&self, of: ContentType, section: &Section) -> String {
        let (title, pages): (_, Vec<_>) = match (of, section.is_none()) {
            (ContentType::Blog, _) => {
                ("Blog".to_owned(), self.index.pages_with_ids(self.index.blog.ids()).collect())
            }
            (_, true) => ("Docs".to_owned(), self.root_docs().collect()),
            _ => (self.index.section_title(of, section), self.section_with_its_page(of, section).collect()),
        };
        let mut entries: Vec<_> = pages.iter().take(MAX_ENTRIES).map(|page| self.page_entry(page)).collect();
        if pages.len() > MAX_ENTRIES {
            entries.push(self.file_entry("All pages", "/llms.txt", "the other pages of this site"));
        }
        let heading = format!("{} · {}", plain(&title), self.frame.title);
        self.llms_file(&heading, vec![("Pages".to_owned(), entries)])
    }

    pub(super) fn llms_shard(&self, shard: usize) -> String {
        let pages = self.index.pages_with_ids(self.index.shards.ids_of(shard));
        let entries = pages.map(|page| self.page_entry(page)).collect();
        self.llms_file(&self.frame.title, vec![("Pages".to_owned(), entries)])
    }

    fn docs_parts(&self) -> Vec<Part> {
        let of = ContentType::Docs;
        let mut root: Vec<_> =
            self.root_docs().take(INDEXED_DOCS).map(|page| self.page_entry(page)).collect();
        if self.root_docs().nth(INDEXED_DOCS).is_some() {
            root.push(self.file_entry("More", &llms_url(of, &Section::none()), "all docs without a section"));
        }
        let mut parts = vec![("Docs".to_owned(), root)];
        if self.index.docs_len() <= INDEXED_DOCS {
            parts.extend(self.index.docs_sections().map(|(section, _)| {
                let pages = self.section_with_its_page(of, section);
                let title = self.index.section_title(of, section);
                (format!("Docs: {title}"), pages.map(|page| self.page_entry(page)).collect())
            }));
            return parts;
        }
        let sections = self.index.docs_sections().take(MAX_ENTRIES);
        let entries = sections.map(|(section, pages)| self.section_entry(of, section, pages));
        parts.push(("Docs: Sections".to_owned(), entries.collect()));
        parts
    }

    fn newest_posts_part(&self) -> Vec<Entry> {
        let newest = self.index.pages_with_ids(self.index.blog.ids().take(INDEXED_POSTS));
        let mut entries: Vec<_> = newest.map(|page| self.page_entry(page)).collect();
        if self.index.blog.len() > INDEXED_POSTS {
            entries.push(self.file_entry("All posts", &llms_url(ContentType::Blog, &Section::none()), ""));
        }
        entries
    }

    fn standalone_part(&self) -> Vec<Entry> {
        let of = ContentType::Standalone;
        let pages = self.index.ordered_pages(of, &Section::none());
        let pages = self.index.pages_with_ids(pages.into_iter().flat_map(OrderedPages::ids));
        let sections =
            self.index.sections_of(of).map(|(section, pages)| self.section_entry(of, section, pages));
        let homepage = self.index.homepage().into_iter();
        homepage.chain(pages).map(|page| self.page_entry(page)).chain(sections).take(MAX_ENTRIES).collect()
    }

    fn section_with_its_page(&self, of: ContentType, section: &Section) -> impl Iterator<Item = &Page> {
        let pages = self.index.ordered_pages(of, section).into_iter().flat_map(OrderedPages::ids);
        self.index.section_page(of, section).into_iter().chain(self.index.pages_with_ids(pages))
    }

    fn section_entry(&self, of: ContentType, section: &Section, pages: &OrderedPages) -> Entry {
        let count = pages.len() + usize::from(self.index.section_page(of, section).is_some());
        let pages = if count == 1 { "1 page".to_owned() } else { format!("{count} pages") };
        self.file_entry(&self.index.section_title(of, section), &llms_url(of, section), &pages)
    }

    fn page_entry(&self, page: &Page) -> Entry {
        self.file_entry(&page.title, &markdown_url(&self.index.path_of(page)), page.blurb())
    }

    fn file_entry(&self, title: &str, path: &str, blurb: &str) -> Entry {
        let link = format!("- [{}]({}{path})", link_text(title), self.frame.origin);
        Entry { link, blurb: blurb.to_owned() }
    }

    /// The format's own parser (`llms_txt`) reads a summary only if a text follows it, and fails if there is neither.
    fn llms_file(&self, title: &str, mut parts: Vec<Part>) -> String {
        let summary = match &self.frame.settings.description {
            Some(description) => description.clone(),
            None => format!("The pages published at {}.", self.frame.origin),
        };
        parts.retain(|(_, entries)| !entries.is_empty());
        let max_blurb = max_blurb(&parts);
        let what = "Each link leads to the Markdown of a page, or to a list of such links.";
        let mut llms = format!("# {title}\n\n> {summary}\n\n{what}\n");
        for (title, entries) in parts {
            write!(llms, "\n## {title}\n\n").expect("writing to a String cannot fail");
            for Entry { link, blurb } in entries {
                llms.push_str(&link);
                if !blurb.is_empty() && max_blurb >= MIN_BLURB_CHARS {
                    write!(llms, ": {}", shortened(&blurb, max_blurb))
                        .expect("writing to a String cannot fail");
                }
                llms.push('\n');
            }
        }
        llms
    }
}

/// The path of a file with the pages of a shard of the sitemap.
pub(crate) fn shard_path(shard: usize) -> String {
    format!("/llms.{shard}.txt")
}

/// How long a description may be so that the file is not too long.
fn max_blurb(parts: &[Part]) -> usize {
    let entries = || parts.iter().flat_map(|(_, entries)| entries);
    let links: usize = entries().map(|entry| entry.link.chars().count() + 3).sum();
    FILE_CHARS.saturating_sub(links) / entries().count().max(1)
}

/// Cut between words.
fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((end, _)) => {
            let cut = &text[..end];
            format!("{}…", cut.rsplit_once(' ').map_or(cut, |(words, _)| words))
        }
    }
}

/// A title that is safe inside the brackets of a link. Parsers of this format read up to the first `]`, escaped or not;
/// and a backtick might begin code that ends after the link.
fn link_text(title: &str) -> String {
    plain(title).replace('\\', "\\\\").replace('[', "(").replace(']', ")").replace('`', "")
}
