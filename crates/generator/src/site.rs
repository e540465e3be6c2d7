//! The index of one site, and its changes.

use std::collections::BTreeMap;
use std::fmt;

use model::{ContentType, PageId};
use search::LeafName;

use crate::frame::Frame;
use crate::index::Index;
use crate::index::dirty::DirtyPaths;
use crate::route::Route;
use crate::url::SearchFile;
use crate::{Page, SearchText, Settings};

/// Everything that the files of a site are generated from, except the texts.
pub struct Site {
    pub(crate) frame: Frame,
    pub(crate) index: Index,
}

/// Changed pages since the index was built.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The new version of a page; `None` if it was deleted or hidden.
    pub pages: Vec<(PageId, Option<Page>)>,
    /// Former paths of pages ([`crate::url()`] of the former key) to be added; for one path, the last entry wins.
    pub former: Vec<(String, PageId)>,
}

/// What is needed to generate the file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// There is no file.
    Nothing,
    /// The source of this page.
    Page(PageId),
    /// The files of the pages of this leaf ([`Site::leaf_pages`]), which the caller merges.
    Leaf(LeafName),
    /// Only the index, once every page generated in this build has been summarised.
    Index,
}

/// The text of a page.
#[derive(Clone, Copy)]
pub struct Source<'s> {
    pub content: &'s str,
    /// If set, the text is shown as its source, for this reason; the message is for the author. For a caller whose
    /// first attempt panicked; a text that exceeds its bounds is handled by the generator.
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
    /// Set for a page's HTML; pass it to [`Site::summarise`].
    pub summary: Option<Summary>,
    /// Set for a page's HTML, if a search finds the page.
    pub search: Option<SearchText>,
    /// Set for a page's HTML that could not be rendered as intended; for its author.
    pub warning: Option<String>,
}

/// What lists and feeds need of a page's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its beginning.
    pub text: String,
    /// The size of its HTML in a feed, in bytes.
    pub feed_bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum File {
    Bytes(Vec<u8>),
    /// The path that the file's own path redirects to.
    Redirect(String),
}

/// [`Site::make`] was called for a page's file without the page's text: a bug in the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingSource(pub PageId);

impl fmt::Display for MissingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text of page {} was not given to the generator", self.0)
    }
}

impl std::error::Error for MissingSource {}

impl Site {
    /// A site without pages. `origin` is `https://example.com`, without a trailing slash.
    pub fn new(origin: &str, settings: Settings, default_title: &str) -> Site {
        let index = Index::new(&settings);
        Site { frame: Frame::new(origin, settings, default_title), index }
    }

    pub fn settings(&self) -> &Settings {
        &self.frame.settings
    }

    /// A site as of the last build, without dirty paths. Also the first step of a clean build, which then makes
    /// [`Site::all_paths`].
    pub fn load(
        origin: &str,
        settings: Settings,
        default_title: &str,
        pages: Vec<Page>,
        former: Vec<(String, PageId)>,
    ) -> Site {
        let mut site = Site::new(origin, settings, default_title);
        let dirty = &mut DirtyPaths::not_recorded();
        site.index.reserve(pages.len());
        for page in pages.into_iter().filter(is_shown) {
            // If a page is listed twice, the last entry wins.
            site.index.remove(page.id, dirty);
            site.index.insert(page.tidied(&site.frame.settings), dirty);
        }
        former.into_iter().for_each(|(path, id)| site.index.add_former(path, id, dirty));
        site
    }

    /// Applies changes, and returns the paths whose files may differ now, sorted.
    ///
    /// First all moving pages are removed, then inserted, so that pages can swap paths.
    pub fn apply(&mut self, changes: Changes) -> Vec<String> {
        let mut dirty = DirtyPaths::new();
        // If a page is listed twice, the last entry wins.
        let changed: BTreeMap<PageId, Option<Page>> = changes.pages.into_iter().collect();
        let mut moved = BTreeMap::new();
        for (id, page) in changed {
            let page = page.filter(is_shown).map(|page| page.tidied(&self.frame.settings));
            match (self.index.page(id), page) {
                (Some(old), Some(new)) if old.same_listing(&new) => self.index.update_text(new, &mut dirty),
                (_, new) => {
                    moved.insert(id, new);
                }
            }
        }
        let old = moved.keys().filter_map(|id| self.index.page(*id));
        let sidebar = self.index.sidebar_before(old.chain(moved.values().flatten()), &mut dirty);
        moved.keys().for_each(|id| self.index.remove(*id, &mut dirty));
        moved.into_values().flatten().for_each(|page| self.index.insert(page, &mut dirty));
        self.index.mark_sidebar(sidebar, &mut dirty);
        changes.former.into_iter().for_each(|(path, id)| self.index.add_former(path, id, &mut dirty));
        dirty.sorted()
    }

    /// Every path of the site, sorted.
    pub fn all_paths(&self) -> Vec<String> {
        self.index.paths(&self.frame.settings_paths())
    }

    pub fn need(&self, path: &str) -> Need {
        match self.route(path) {
            None => Need::Nothing,
            Some(Route::Page(id) | Route::Markdown(id)) => Need::Page(id),
            Some(Route::Search(SearchFile::Terms(leaf) | SearchFile::Texts(leaf))) => Need::Leaf(leaf),
            Some(_) => Need::Index,
        }
    }

    pub(crate) fn route(&self, path: &str) -> Option<Route> {
        self.index.route(path, &self.frame.settings_paths())
    }

    pub fn page(&self, id: PageId) -> Option<&Page> {
        self.index.page(id)
    }

    /// The pages of a leaf of the search index, in the order in which [`search::merge`] takes them.
    pub fn leaf_pages(&self, leaf: LeafName) -> Vec<PageId> {
        self.index.search.ids(leaf)
    }

    /// The visible pages, in no particular order; to be stored for the next [`Site::load`].
    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.index.pages()
    }

    /// The path of a page on this site; `None` if it is not shown, such as a second homepage.
    pub fn path_of(&self, id: PageId) -> Option<String> {
        let page = self.index.page(id)?;
        let shown = page.key.content_type != ContentType::Homepage
            || self.index.homepage().is_some_and(|homepage| homepage.id == id);
        shown.then(|| self.index.path_of(page))
    }

    /// Sets what lists and feeds need of a page's text: after its HTML was generated, before they are.
    pub fn summarise(&mut self, id: PageId, summary: Summary) {
        if let Some(page) = self.index.page_mut(id) {
            page.summary = summary.text;
            page.feed_bytes = summary.feed_bytes;
        }
    }
}

/// Pages that would take a reserved path are not shown; the API rejects new ones.
fn is_shown(page: &Page) -> bool {
    page.key.reserved().is_none()
}
