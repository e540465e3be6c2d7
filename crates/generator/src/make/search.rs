//! The search index: what it holds of a page, and the list of its leaves.

use markdown::Rendered;
use model::{ApiEndpoint, ContentType, PageId};
use search::{Files, Indexer, Section};

use crate::inline::plain;
use crate::{Page, Site};

/// The text of a page, for the search index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchText {
    url: String,
    title: String,
    section: Option<String>,
    description: String,
    /// Tags and endpoint: they count as much as a heading, and are not part of an excerpt.
    labels: String,
    /// Without its HTML.
    content: Rendered,
}

impl Site {
    /// The names of the leaves, one a line, sorted.
    pub(super) fn search_leaves(&self) -> String {
        self.index.search.leaves().map(|leaf| format!("{leaf}\n")).collect()
    }
}

impl SearchText {
    pub(super) fn new(page: &Page, url: String, content: Rendered) -> SearchText {
        let section = &page.key.section;
        SearchText {
            url,
            title: plain(&page.title).into_owned(),
            section: (!section.is_none()).then(|| section.as_str().to_owned()),
            description: page.description.as_deref().map(plain).unwrap_or_default().into_owned(),
            labels: labels(page),
            content: Rendered { html: String::new(), ..content },
        }
    }

    /// The leaf that has only this page.
    pub fn index(&self, id: PageId, indexer: &mut Indexer) -> Files {
        let lead = Section { anchor: "", heading: &self.labels, text: &self.description };
        let content = self.content.sections().map(|(heading, text)| match heading {
            Some(heading) => Section { anchor: &heading.id, heading: &heading.text, text },
            None => Section { anchor: "", heading: "", text },
        });
        let page = search::Page {
            url: &self.url,
            title: &self.title,
            section: self.section.as_deref(),
            sections: std::iter::once(lead).chain(content).collect(),
        };
        indexer.index(id, &page)
    }
}

/// Homepages do not show their tags.
fn labels(page: &Page) -> String {
    let tags = page.tags.iter().filter(|_| page.key.content_type != ContentType::Homepage);
    let endpoint = page.api_endpoint.as_ref().map(ApiEndpoint::as_str);
    tags.map(String::as_str).chain(endpoint).collect::<Vec<_>>().join(", ")
}
