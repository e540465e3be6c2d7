use model::{ContentType, PageId, SiteId, Timestamp};
use store::Store;
use store::pages::{self, Page, Part, Summary};
use testing::Database;

use crate::{at, insert, page, read, site, write};

testing::on_both_databases!(
    the_newest_update_comes_first_then_the_id,
    a_listing_shows_what_is_stored,
    a_part_keeps_to_one_content_type,
    a_part_continues_behind_a_page,
    deleted_and_foreign_pages_are_not_listed,
);

const ALL: Part = Part { content_type: None, after: None, limit: 1000 };

async fn list(store: &Store, site: SiteId, part: Part) -> Vec<(Timestamp, PageId)> {
    read(store, move |tx| {
        let mut found = Vec::new();
        pages::list(tx, site, part, |page| found.push((page.updated_at, page.id)))?;
        Ok(found)
    })
    .await
}

/// Twelve pages of three moments, of two content types, in the order they are listed in.
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
    assert_eq!(list(store, site, ALL).await, places(&pages));
}

async fn a_listing_shows_what_is_stored(database: &Database) {
    let store = database.store();
    let site = site(store, "books").await.id;
    let pages = [page("docs/guides/a"), Page { description: None, updated_at: at(1), ..page("blog//b") }];
    insert(store, site, &pages).await;
    let show = |summary: Summary| format!("{summary:?}");
    let mut expected = pages.each_ref().map(|page| {
        show(Summary {
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
            api_endpoint: page.api_endpoint.as_deref(),
            content_hash: page.content_hash,
            params_hash: page.params_hash,
        })
    });
    let (listed, mut scanned) = read(store, move |tx| {
        let (mut listed, mut scanned) = (Vec::new(), Vec::new());
        pages::list(tx, site, ALL, |summary| listed.push(show(summary)))?;
        pages::scan(tx, site, |summary| scanned.push(show(summary)))?;
        Ok((listed, scanned))
    })
    .await;
    assert_eq!(listed, expected);
    scanned.sort();
    expected.sort();
    assert_eq!(scanned, expected);
}

async fn a_part_keeps_to_one_content_type(database: &Database) {
    let store = database.store();
    let site = site(store, "books").await.id;
    let mut docs = twelve(store, site).await;
    docs.retain(|page| page.key.content_type == ContentType::Docs);
    let only = |content_type, limit| Part { content_type: Some(content_type), limit, ..ALL };
    assert_eq!(list(store, site, only(ContentType::Docs, 100)).await, places(&docs));
    assert_eq!(list(store, site, only(ContentType::Homepage, 100)).await, []);
    assert_eq!(list(store, site, only(ContentType::Docs, 2)).await, places(&docs[..2]));
}

async fn a_part_continues_behind_a_page(database: &Database) {
    let store = database.store();
    let site = site(store, "books").await.id;
    let pages = places(&twelve(store, site).await);
    for limit in [1, 5, 12] {
        let mut listed = Vec::new();
        loop {
            let part = list(store, site, Part { after: listed.last().copied(), limit, ..ALL }).await;
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
    assert_eq!(list(store, books, ALL).await, places(&pages[1..]));
    let scanned = read(store, move |tx| {
        let mut scanned = Vec::new();
        pages::scan(tx, books, |summary| scanned.push(summary.id))?;
        Ok(scanned)
    });
    assert_eq!(scanned.await, [pages[1].id]);
}
