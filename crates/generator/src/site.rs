//! The index of one site, and what changes in it.

use std::collections::BTreeMap;
use std::fmt;

use model::{ContentType, PageId};

use crate::frame::Frame;
use crate::index::Index;
use crate::index::marks::Marks;
use crate::place::Place;
use crate::{Page, Settings};

/// Everything about a site that its files are made of, the texts aside.
pub struct Site {
    pub(crate) frame: Frame,
    pub(crate) index: Index,
}

/// What became of pages since the index was made.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// A page as it is now; `None` when it is gone or hidden.
    pub pages: Vec<(PageId, Option<Page>)>,
    /// Paths at which pages stood formerly ([`crate::url`] of their former key), to be added; the last one wins.
    pub former: Vec<(String, PageId)>,
}

/// What it takes to make the file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// There is no file.
    Nothing,
    /// The source of this page.
    Page(PageId),
    /// The index alone, once every page that was made has been summarised.
    Itself,
}

/// The text of a page.
#[derive(Clone, Copy)]
pub struct Source<'s> {
    pub content: &'s str,
    /// Why the text is to be shown as it is and not rendered, in words for its author. For a caller whose first attempt
    /// ended in a panic; a text that is over its bounds is shown so by itself.
    pub as_text: Option<&'s str>,
}

impl<'s> Source<'s> {
    /// A text to be rendered.
    pub fn new(content: &'s str) -> Source<'s> {
        Source { content, as_text: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    pub file: File,
    /// Of a page's HTML: for [`Site::summarise`].
    pub summary: Option<String>,
    /// Of a page's HTML: what its author should know about it. The page is there, but not as it was meant.
    pub warning: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum File {
    Bytes(Vec<u8>),
    /// The path that the file's own path redirects to.
    Redirect(String),
}

/// A page's file was asked for without the page's text: a mistake of the caller, whatever the text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingSource(pub PageId);

impl fmt::Display for MissingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text of page {} was not given to the generator", self.0)
    }
}

impl std::error::Error for MissingSource {}

impl Site {
    /// A site without pages. `origin` is `https://example.com`, without a slash at the end.
    pub fn new(origin: &str, settings: Settings, default_title: &str) -> Site {
        Site { frame: Frame::new(origin, settings, default_title), index: Index::default() }
    }

    /// A site as it was left: no path is told to be dirty. Also the first step of a clean build, which then makes
    /// [`Site::all_paths`].
    pub fn load(
        origin: &str,
        settings: Settings,
        default_title: &str,
        pages: Vec<Page>,
        former: Vec<(String, PageId)>,
    ) -> Site {
        let mut site = Site::new(origin, settings, default_title);
        let marks = &mut Marks::none();
        site.index.reserve(pages.len());
        for page in pages.into_iter().filter(is_shown) {
            // A page named twice is what it was named last.
            site.index.remove(page.id, marks);
            site.index.insert(page.tidied(), marks);
        }
        former.into_iter().for_each(|(path, id)| site.index.add_former(path, id, marks));
        site
    }

    /// Takes the changes in; the paths whose files may differ now, sorted.
    ///
    /// First everything that moves is taken out, then put back in, so that pages may swap places.
    pub fn apply(&mut self, changes: Changes) -> Vec<String> {
        let mut marks = Marks::new();
        // A page named twice is what it was named last.
        let changed: BTreeMap<PageId, Option<Page>> = changes.pages.into_iter().collect();
        let mut moved = BTreeMap::new();
        for (id, page) in changed {
            let page = page.filter(is_shown).map(Page::tidied);
            match (self.index.page(id), page) {
                (Some(old), Some(new)) if old.same_place(&new) => self.index.retell(new, &mut marks),
                (_, new) => {
                    moved.insert(id, new);
                }
            }
        }
        let old = moved.keys().filter_map(|id| self.index.page(*id));
        let sides = self.index.sides_before(old.chain(moved.values().flatten()), &mut marks);
        moved.keys().for_each(|id| self.index.remove(*id, &mut marks));
        moved.into_values().flatten().for_each(|page| self.index.insert(page, &mut marks));
        self.index.mark_sides(sides, &mut marks);
        changes.former.into_iter().for_each(|(path, id)| self.index.add_former(path, id, &mut marks));
        marks.sorted()
    }

    /// Every path of the site, sorted.
    pub fn all_paths(&self) -> Vec<String> {
        self.index.paths(&self.frame.own())
    }

    pub fn need(&self, path: &str) -> Need {
        match self.place(path) {
            None => Need::Nothing,
            Some(Place::Page(id) | Place::Markdown(id)) => Need::Page(id),
            Some(_) => Need::Itself,
        }
    }

    pub(crate) fn place(&self, path: &str) -> Option<Place> {
        self.index.place(path, &self.frame.own())
    }

    pub fn page(&self, id: PageId) -> Option<&Page> {
        self.index.page(id)
    }

    /// The visible pages, in no order; what is kept for the next [`Site::load`].
    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.index.pages()
    }

    /// The path of a page on this site; `None` for one that is not shown, such as a second homepage.
    pub fn path_of(&self, id: PageId) -> Option<String> {
        let page = self.index.page(id)?;
        let shown = page.key.content_type != ContentType::Homepage
            || self.index.homepage().is_some_and(|homepage| homepage.id == id);
        shown.then(|| self.index.path_of(page))
    }

    /// Remembers the beginning of a page's text: after its HTML was made, before lists are.
    pub fn summarise(&mut self, id: PageId, summary: String) {
        if let Some(page) = self.index.page_mut(id) {
            page.summary = summary;
        }
    }
}

/// The API refuses pages that would take an address that the site needs for itself.
fn is_shown(page: &Page) -> bool {
    page.key.reserved().is_none()
}
