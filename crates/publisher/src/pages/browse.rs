//! Pages for people: a list that can be filtered, searched and sorted, and one page with its texts.

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
    pub state: Option<PageState>,
    /// A part of the title or of the slug; case does not matter.
    pub search: String,
    pub order: PageOrder,
    /// `PageList::next` of the list before.
    pub after: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageState {
    Draft,
    /// Its publication date is in the future.
    Scheduled,
    Published,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PageOrder {
    /// Newest update first.
    #[default]
    Updated,
    Title,
    /// Newest publication date first.
    Published,
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

#[derive(Debug, Clone)]
pub struct PageList {
    pub pages: Vec<ListedPage>,
    /// There are more, or there may be: a search reads a limited number of pages at a time.
    pub next: Option<String>,
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

/// Rows that one transaction reads when they are searched, and that all transactions of a request read.
const PART: u32 = 500;
const SEARCHED: u32 = 20_000;

impl Publisher {
    /// At most `most` pages.
    pub async fn page_list(&self, site: &Site, filter: PageFilter, most: usize) -> Result<PageList, Error> {
        match filter.order {
            PageOrder::Updated => self.list_by_update(site, filter, most).await,
            _ => self.list_sorted(site, filter, most).await,
        }
    }

    /// By an index: a filter that few pages pass reads a limited number of rows.
    async fn list_by_update(&self, site: &Site, filter: PageFilter, most: usize) -> Result<PageList, Error> {
        let (site, wanted, mut found) = (site.id, Wanted::new(&filter, self.clock.now()), Vec::new());
        let mut after = filter.after.as_deref().and_then(Cursor::parse).map(Cursor::after);
        let limit = if wanted.is_all() { most as u32 + 1 } else { PART };
        for _ in 0..SEARCHED / PART {
            let part = Part { content_type: filter.content_type, after, limit };
            let passing = wanted.clone();
            let rows = self.read(move |tx| {
                let mut rows = Vec::new();
                pages::list(tx, site, part, |summary| {
                    let page = passing.passes(&summary).then(|| listed(&summary, passing.now));
                    rows.push(((summary.updated_at, summary.id), page));
                })?;
                Ok(rows)
            });
            let rows = rows.await?;
            let is_last = rows.len() < limit as usize;
            for (place, page) in rows {
                if page.is_some() && found.len() == most {
                    return Ok(PageList { pages: found, next: after.map(|place| Cursor::of(place).text()) });
                }
                after = Some(place);
                found.extend(page);
            }
            if is_last {
                return Ok(PageList { pages: found, next: None });
            }
        }
        Ok(PageList { pages: found, next: after.map(|place| Cursor::of(place).text()) })
    }

    /// Reads all rows of the site, and keeps the first ones behind the place.
    async fn list_sorted(&self, site: &Site, filter: PageFilter, most: usize) -> Result<PageList, Error> {
        let (site, wanted) = (site.id, Wanted::new(&filter, self.clock.now()));
        let after = filter.after.as_deref().and_then(|text| text.split_once('.'));
        let after = after.and_then(|(id, key)| Some((key.to_owned(), PageId::parse(id)?)));
        let found = self.read(move |tx| {
            let mut found: Vec<((String, PageId), ListedPage)> = Vec::new();
            pages::scan(tx, site, |summary| {
                let is_of_type =
                    filter.content_type.is_none_or(|wanted| wanted.as_str() == summary.content_type);
                if !is_of_type || !wanted.passes(&summary) {
                    return;
                }
                let place = (sort_key(filter.order, &summary), summary.id);
                if after.as_ref().is_none_or(|after| place > *after) {
                    found.push((place, listed(&summary, wanted.now)));
                }
                if found.len() > 8 * most {
                    keep_first(&mut found, most + 1);
                }
            })?;
            keep_first(&mut found, most + 1);
            Ok(found)
        });
        let mut found = found.await?;
        let more = found.len() > most;
        found.truncate(most);
        let last = found.last().filter(|_| more);
        let next = last.map(|((key, id), _)| format!("{id}.{key}"));
        Ok(PageList { next, pages: found.into_iter().map(|(_, page)| page).collect() })
    }

    /// Live pages of a site, without their texts.
    pub async fn pages_by_id(&self, site: &Site, ids: Vec<PageId>) -> Result<Vec<Page>, Error> {
        let site = site.id;
        self.read(move |tx| Ok(pages::by_ids(tx, site, ids.iter().copied())?)).await
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

/// A filter, ready for comparison.
#[derive(Clone)]
struct Wanted {
    state: Option<PageState>,
    search: String,
    now: Timestamp,
}

impl Wanted {
    fn new(filter: &PageFilter, now: Timestamp) -> Wanted {
        Wanted { state: filter.state, search: filter.search.to_lowercase(), now }
    }

    fn is_all(&self) -> bool {
        self.state.is_none() && self.search.is_empty()
    }

    fn passes(&self, summary: &Summary) -> bool {
        let state = match summary.published_at > self.now {
            _ if summary.draft => PageState::Draft,
            true => PageState::Scheduled,
            false => PageState::Published,
        };
        self.state.is_none_or(|wanted| wanted == state)
            && (self.search.is_empty()
                || summary.title.to_lowercase().contains(&self.search)
                || summary.slug.contains(&self.search))
    }
}

/// What pages are sorted by, as a text.
fn sort_key(order: PageOrder, summary: &Summary) -> String {
    match order {
        PageOrder::Title => summary.title.to_lowercase(),
        PageOrder::Updated => newest_first(summary.updated_at),
        PageOrder::Published => newest_first(summary.published_at),
    }
}

fn newest_first(time: Timestamp) -> String {
    format!("{:020}", i128::from(i64::MAX) - i128::from(time.micros()))
}

fn keep_first(found: &mut Vec<((String, PageId), ListedPage)>, most: usize) {
    found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    found.truncate(most);
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
