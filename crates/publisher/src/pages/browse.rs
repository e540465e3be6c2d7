//! Pages for people: a list that can be searched by title, and one page with its texts.

use model::{ContentType, PageId, Timestamp};
use store::pages::{self, Page, Part, Summary};
use store::sites::Site;
use store::texts;

use super::list::Cursor;
use crate::{Error, Publisher};

/// Which pages of a site are listed.
#[derive(Debug, Clone, Default)]
pub struct PageFilter {
    pub content_type: Option<ContentType>,
    /// A part of the title; case does not matter.
    pub title: String,
    pub after: Option<Cursor>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPage {
    pub id: PageId,
    pub title: String,
    pub content_type: String,
    pub section: String,
    pub slug: String,
    pub draft: bool,
    /// Its publication date is in the future.
    pub scheduled: bool,
    pub published_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Newest update first.
#[derive(Debug, Clone)]
pub struct PageList {
    pub pages: Vec<ListedPage>,
    pub next: Option<Cursor>,
}

/// A page with its texts.
#[derive(Debug, Clone)]
pub struct StoredPage {
    pub page: Page,
    /// The site version that last changed it.
    pub version: i64,
    pub content: String,
    pub params: String,
}

/// Rows that are read at once when they are searched.
const SEARCHED: u32 = 500;

impl Publisher {
    /// At most `most` pages.
    pub async fn page_list(&self, site: &Site, filter: PageFilter, most: usize) -> Result<PageList, Error> {
        let (site, now) = (site.id, self.clock.now());
        self.read(move |tx| {
            let wanted = filter.title.to_lowercase();
            let limit = if wanted.is_empty() { most as u32 + 1 } else { SEARCHED };
            let (mut found, mut after) = (Vec::new(), filter.after.map(Cursor::after));
            loop {
                let (mut rows, part) = (0, Part { content_type: filter.content_type, after, limit });
                pages::list(tx, site, part, |summary| {
                    rows += 1;
                    after = Some((summary.updated_at, summary.id));
                    if found.len() <= most && summary.title.to_lowercase().contains(&wanted) {
                        found.push(listed(&summary, now));
                    }
                })?;
                if found.len() > most || rows < limit {
                    break;
                }
            }
            let more = found.len() > most;
            found.truncate(most);
            let last = found.last().filter(|_| more);
            Ok(PageList { next: last.map(|page| Cursor::of((page.updated_at, page.id))), pages: found })
        })
        .await
    }

    /// The page with this URL on the site.
    pub async fn page_at(&self, site: &Site, url: &str) -> Result<Option<PageId>, Error> {
        if url == "/" {
            let homepages = PageFilter { content_type: Some(ContentType::Homepage), ..PageFilter::default() };
            let found = self.page_list(site, homepages, 1).await?;
            return Ok(found.pages.first().map(|page| page.id));
        }
        let (site, url) = (site.id, url.to_owned());
        self.peek(move |tx| {
            let slug = url.rsplit('/').next().unwrap_or_default();
            let pages = pages::by_slugs(tx, site, std::iter::once(slug))?;
            Ok(pages.into_iter().find(|page| generator::url(&page.key) == url).map(|page| page.id))
        })
        .await
    }

    pub async fn page_read(&self, site: &Site, id: PageId) -> Result<StoredPage, Error> {
        let site = site.id;
        self.read(move |tx| {
            let page = pages::by_ids(tx, site, std::iter::once(id))?.pop().ok_or(Error::NoSuchPage)?;
            let version = pages::version(tx, site, id)?.ok_or(Error::NoSuchPage)?;
            let mut body = |text: Option<texts::Text>| match text {
                Some(text) => texts::body(tx, text.id),
                None => Ok(None),
            };
            let (content, params) = (body(page.content)?, body(page.params)?);
            Ok(StoredPage {
                content: content.unwrap_or_default(),
                params: params.unwrap_or_default(),
                page,
                version,
            })
        })
        .await
    }
}

fn listed(summary: &Summary, now: Timestamp) -> ListedPage {
    ListedPage {
        id: summary.id,
        title: summary.title.to_owned(),
        content_type: summary.content_type.to_owned(),
        section: summary.section.to_owned(),
        slug: summary.slug.to_owned(),
        draft: summary.draft,
        scheduled: summary.published_at > now,
        published_at: summary.published_at,
        updated_at: summary.updated_at,
    }
}
