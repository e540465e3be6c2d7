use model::{ContentType, PageId, SiteId, Timestamp};
use store::Store;
use store::pages::{self, Listing, Page};
use testing::Database;

use crate::{at, insert, page, read, site, write};

testing::on_both_databases!(
    the_newest_update_comes_first_then_the_id,
    a_listing_shows_what_is_stored,
    a_listing_keeps_to_one_content_type,
    a_listing_continues_behind_a_page,
    deleted_and_foreign_pages_are_not_listed,
);

async fn list(store: &Store, site: SiteId, listing: Listing) -> Vec<(Timestamp, PageId)> {
    read(store, move |tx| {
        let mut found = Vec::new();
        pages::list(tx, site, listing, |page| found.push((page.updated_at, page.id)))?;
        Ok(found)
    })
    .await
}

/// Twelve pages of three moments, of two content types, and the order they are listed in.
async fn twelve(store: &Store, site: SiteId) -> Vec<Page> {
    let mut pages: Vec<Page> = (0..12)
        .map(|number| {
            let content_type = ["blog", "docs"][number / 6];
            Page { updated_at: at(number as i64 % 3), ..page(&format!("{content_type}//p{number}")) }
        })
        .collect();
    insert(store, site, &pages).await;
    pages.sort_by_key(|page| (std::cmp::Reverse(page.updated_at), page.id));
    pages
}

fn places(pages: &[Page]) -> Vec<(Timestamp, PageId)> {
    pages.iter().map(|page| (page.updated_at, page.id)).collect()
}

async fn the_newest_update_comes_first_then_the_id(database: &Database) {
    let store = database.store();
    let site = site(store, "books").await.id;
    let pages = twelve(store, site).await;
    assert_eq!(list(store, site, Listing::default()).await, places(&pages));
}

async fn a_listing_shows_what_is_stored(database: &Database) {
    let store = database.store();
    let site = site(store, "books").await.id;
    let pages = [page("docs/guides/a"), Page { description: None, updated_at: at(1), ..page("blog//b") }];
    insert(store, site, &pages).await;
    let shown = read(store, move |tx| {
        let mut shown = Vec::new();
        pages::list(tx, site, Listing::default(), |summary| shown.push(format!("{summary:?}")))?;
        Ok(shown)
    });
    let expected = pages.each_ref().map(|page| {
        let summary = pages::Summary {
            id: page.id,
            slug: page.key.slug.as_str(),
            title: &page.title,
            content_type: page.key.content_type.as_str(),
            section: page.key.section.as_str(),
            description: page.description.as_deref(),
            draft: page.draft,
            tags: &page.tags,
            published_at: page.published_at,
            updated_at: page.updated_at,
        };
        format!("{summary:?}")
    });
    assert_eq!(shown.await, expected);
}

async fn a_listing_keeps_to_one_content_type(database: &Database) {
    let store = database.store();
    let site = site(store, "books").await.id;
    let mut docs = twelve(store, site).await;
    docs.retain(|page| page.key.content_type == ContentType::Docs);
    let only = |content_type| Listing { content_type: Some(content_type), ..Listing::default() };
    assert_eq!(list(store, site, only(ContentType::Docs)).await, places(&docs));
    assert_eq!(list(store, site, only(ContentType::Homepage)).await, []);
    let first = Listing { limit: Some(2), ..only(ContentType::Docs) };
    assert_eq!(list(store, site, first).await, places(&docs[..2]));
}

async fn a_listing_continues_behind_a_page(database: &Database) {
    let store = database.store();
    let site = site(store, "books").await.id;
    let pages = places(&twelve(store, site).await);
    for limit in [1, 5, 12] {
        let mut listed = Vec::new();
        loop {
            let after = listed.last().copied();
            let part = list(store, site, Listing { after, limit: Some(limit), ..Listing::default() }).await;
            if part.is_empty() {
                break;
            }
            listed.extend(part);
        }
        assert_eq!(listed, pages, "{limit} at a time");
    }
}

async fn deleted_and_foreign_pages_are_not_listed(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    let pages = [page("blog//a"), page("blog//b")];
    insert(store, books, &pages).await;
    insert(store, other, &[page("blog//c")]).await;
    let gone = pages[0].id;
    write(store, move |tx| pages::delete(tx, books, 2, &[gone], at(5))).await;
    assert_eq!(list(store, books, Listing::default()).await, places(&pages[1..]));
}
