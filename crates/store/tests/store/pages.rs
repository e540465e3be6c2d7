use model::{PageId, SiteId, TextHash, Timestamp};
use store::pages::{self, Page};
use store::sites::{self, Site};
use store::texts;
use store::trash::{self, Deleted, Purge};
use store::{Error, Store};
use testing::Database;

use crate::{at, delete, insert, key, page, read, site, text, write};

testing::on_both_databases!(
    a_page_is_kept_with_every_field,
    a_page_may_have_only_required_fields,
    pages_are_found_by_slug_in_every_type_and_section,
    another_site_s_pages_are_never_found,
    a_page_is_updated_in_every_field,
    pages_swap_their_keys,
    pages_rotate_their_keys,
    two_live_pages_cannot_share_a_key,
    a_deleted_page_is_invisible_and_frees_its_key,
    deleted_pages_are_listed_newest_first,
    a_deleted_page_is_restored,
    a_live_page_is_neither_restored_nor_purged,
    a_purge_takes_what_was_deleted_and_leaves_its_texts_to_the_sweep,
    a_purge_takes_no_more_than_its_limit_and_the_oldest_first,
    the_site_whose_page_was_deleted_longest_ago_is_purged_first,
    deleted_pages_are_counted_for_the_account,
);

async fn by_ids(store: &Store, site: &Site, ids: &[PageId]) -> Vec<Page> {
    let (site, ids) = (site.id, ids.to_vec());
    read(store, move |tx| pages::by_ids(tx, site, ids.iter().copied())).await
}

async fn by_slug(store: &Store, site: &Site, slug: &'static str) -> Vec<Page> {
    let site = site.id;
    let mut found = read(store, move |tx| pages::by_slugs(tx, site, std::iter::once(slug))).await;
    found.sort_by(|a, b| a.key.cmp(&b.key));
    found
}

async fn update(store: &Store, site: &Site, moved: &[PageId], pages: &[Page]) -> Result<(), Error> {
    let (site, moved, pages) = (site.id, moved.to_vec(), pages.to_vec());
    let work = move |tx: &mut store::Tx| {
        let version = sites::next_version(tx, site)?.unwrap();
        let moved: Vec<_> =
            pages.iter().filter(|page| moved.contains(&page.id)).map(|page| (page.id, &page.key)).collect();
        pages::rekey(tx, site, &moved)?;
        pages::update(tx, site, version, &pages.iter().collect::<Vec<_>>())
    };
    store.write(work).await
}

async fn a_page_is_kept_with_every_field(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let pages = [page("docs/guides/intro"), page("blog//hello")];
    insert(store, books.id, &pages).await;
    for page in &pages {
        assert_eq!(by_ids(store, &books, &[page.id]).await, std::slice::from_ref(page));
    }
    assert_eq!(by_ids(store, &books, &pages.each_ref().map(|page| page.id)).await.len(), 2);
    assert_eq!(by_ids(store, &books, &[PageId::new(at(0))]).await, []);
    assert_eq!(by_ids(store, &books, &[]).await, []);
}

async fn a_page_may_have_only_required_fields(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let bare = Page {
        description: None,
        draft: false,
        api_endpoint: None,
        content: None,
        params: None,
        content_hash: None,
        params_hash: None,
        section_spelling: None,
        ..page("blog//bare")
    };
    insert(store, books.id, std::slice::from_ref(&bare)).await;
    assert_eq!(by_slug(store, &books, "bare").await, [bare]);
}

async fn pages_are_found_by_slug_in_every_type_and_section(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let same = [page("blog//a"), page("blog/news/a"), page("docs//a")];
    insert(store, books.id, &same).await;
    insert(store, books.id, &[page("blog//b")]).await;
    assert_eq!(by_slug(store, &books, "a").await, same);
    assert_eq!(by_slug(store, &books, "c").await, []);
}

async fn another_site_s_pages_are_never_found(database: &Database) {
    let store = database.store();
    let (mine, theirs) = (site(store, "mine").await, site(store, "theirs").await);
    let theirs_page = page("blog//a");
    insert(store, theirs.id, std::slice::from_ref(&theirs_page)).await;
    assert_eq!(by_ids(store, &mine, &[theirs_page.id]).await, []);
    assert_eq!(by_slug(store, &mine, "a").await, []);

    let stolen = Page { title: "stolen".into(), ..theirs_page.clone() };
    update(store, &mine, &[theirs_page.id], &[stolen]).await.unwrap();
    delete(store, mine.id, &[theirs_page.id], 5).await;
    assert_eq!(by_slug(store, &theirs, "a").await, [theirs_page]);
}

async fn a_page_is_updated_in_every_field(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let (before, other) = (page("blog//a"), page("blog//other"));
    insert(store, books.id, &[before.clone(), other.clone()]).await;
    let after = Page {
        id: before.id,
        key: key("docs/guides/b"),
        title: "Another".into(),
        description: None,
        draft: false,
        tags: "[]".into(),
        api_endpoint: None,
        content: None,
        params: Some(text(9, 90)),
        content_hash: None,
        params_hash: Some(TextHash::of("others")),
        section_spelling: Some("Guides".into()),
        published_at: at(10),
        created_at: before.created_at,
        updated_at: at(12),
    };
    update(store, &books, &[before.id], std::slice::from_ref(&after)).await.unwrap();
    assert_eq!(by_ids(store, &books, &[before.id]).await, [after]);
    assert_eq!(by_ids(store, &books, &[other.id]).await, [other]);
}

async fn pages_swap_their_keys(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let (a, b) = (page("blog//a"), page("docs/guides/b"));
    insert(store, books.id, &[a.clone(), b.clone()]).await;
    let swapped = [Page { key: b.key.clone(), ..a.clone() }, Page { key: a.key.clone(), ..b.clone() }];
    update(store, &books, &[a.id, b.id], &swapped).await.unwrap();
    assert_eq!(by_slug(store, &books, "b").await[0].id, a.id);
    assert_eq!(by_slug(store, &books, "a").await[0].id, b.id);
}

async fn pages_rotate_their_keys(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let slugs = ["blog//a", "blog//b", "blog//c", "blog//d"];
    let pages = slugs.map(page);
    insert(store, books.id, &pages).await;
    let mut rotated = pages.to_vec();
    for (index, page) in rotated.iter_mut().enumerate() {
        page.key = key(slugs[(index + 1) % slugs.len()]);
    }
    update(store, &books, &pages.each_ref().map(|page| page.id), &rotated).await.unwrap();
    assert_eq!(by_slug(store, &books, "a").await[0].id, pages[3].id);
    assert_eq!(by_slug(store, &books, "d").await[0].id, pages[2].id);
}

async fn two_live_pages_cannot_share_a_key(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    insert(store, books.id, &[page("blog//a")]).await;
    let (id, same) = (books.id, page("blog//a"));
    let refused = store.write(move |tx| pages::insert(tx, id, 2, &[&same])).await;
    assert!(matches!(refused, Err(Error::Internal(_))), "{refused:?}");
    assert_eq!(by_slug(store, &books, "a").await.len(), 1);
}

async fn a_deleted_page_is_invisible_and_frees_its_key(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let (old, new) = (page("blog//a"), page("blog//a"));
    insert(store, books.id, std::slice::from_ref(&old)).await;
    delete(store, books.id, &[old.id], 5).await;
    assert_eq!(by_slug(store, &books, "a").await, []);
    assert_eq!(by_ids(store, &books, &[old.id]).await, []);
    insert(store, books.id, std::slice::from_ref(&new)).await;
    assert_eq!(by_slug(store, &books, "a").await, std::slice::from_ref(&new));
    // Any number of deleted pages may have had one key.
    delete(store, books.id, &[new.id], 6).await;
    assert_eq!(by_slug(store, &books, "a").await, []);
}

async fn deleted_pages_are_listed_newest_first(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    let pages = [page("blog//a"), page("blog//b"), page("blog//live")];
    insert(store, books.id, &pages).await;
    delete(store, books.id, &[pages[0].id], 5).await;
    delete(store, books.id, &[pages[1].id], 6).await;
    let expected = [(&pages[1], 6), (&pages[0], 5)].map(|(page, second)| Deleted {
        id: page.id,
        key: page.key.clone(),
        title: page.title.clone(),
        deleted_at: at(second),
    });
    let (id, other) = (books.id, other.id);
    assert_eq!(read(store, move |tx| trash::list_deleted(tx, id)).await, expected);
    assert_eq!(read(store, move |tx| trash::list_deleted(tx, other)).await, []);
}

async fn a_deleted_page_is_restored(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let page = page("docs/guides/a");
    insert(store, books.id, std::slice::from_ref(&page)).await;
    delete(store, books.id, &[page.id], 5).await;
    let (site, id) = (books.id, page.id);
    assert_eq!(read(store, move |tx| trash::deleted_key(tx, site, id)).await, Some(page.key.clone()));
    assert!(write(store, move |tx| trash::restore(tx, site, 3, id, at(7))).await);
    assert_eq!(by_ids(store, &books, &[id]).await, [Page { updated_at: at(7), ..page }]);
    assert_eq!(read(store, move |tx| trash::list_deleted(tx, site)).await, []);
}

async fn a_live_page_is_neither_restored_nor_purged(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let page = page("blog//a");
    insert(store, books.id, std::slice::from_ref(&page)).await;
    let (site, id) = (books.id, page.id);
    assert_eq!(read(store, move |tx| trash::deleted_key(tx, site, id)).await, None);
    assert!(!write(store, move |tx| trash::restore(tx, site, 2, id, at(7))).await);
    for what in [Purge::One(id), Purge::DeletedBefore(at(100)), Purge::DeletedBefore(Timestamp::MAX)] {
        assert_eq!(write(store, move |tx| trash::purge(tx, site, what, 1000, at(7))).await, 0);
    }
    assert_eq!(by_ids(store, &books, &[id]).await, [page]);
}

async fn a_purge_takes_what_was_deleted_and_leaves_its_texts_to_the_sweep(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    for site in [&books, &other] {
        let range = write(store, |tx| texts::insert(tx, &["text"; 8])).await.unwrap();
        let mut texts = (range.first.0..).map(|id| text(id, 4));
        let pages = ["blog//a", "blog//b", "blog//c", "blog//live"].map(|key| Page {
            content: texts.next(),
            params: texts.next(),
            ..page(key)
        });
        insert(store, site.id, &pages).await;
        for (page, second) in pages.iter().zip([5, 6, 7]) {
            delete(store, site.id, &[page.id], second).await;
        }
    }
    let purge = |site: &Site, what| {
        write(store, {
            let site = site.id;
            move |tx| trash::purge(tx, site, what, 1000, at(8))
        })
    };
    let sweep = || write(store, |tx| texts::sweep(tx, at(8), 1000));
    let newest = read(store, {
        let site = books.id;
        move |tx| Ok(trash::list_deleted(tx, site)?[0].id)
    });
    assert_eq!(sweep().await, 0);
    assert_eq!(purge(&books, Purge::One(newest.await)).await, 1);
    assert_eq!(sweep().await, 2);
    for site in [&books, &other] {
        assert_eq!(purge(site, Purge::DeletedBefore(at(6))).await, 1);
    }
    assert_eq!(sweep().await, 4);
    assert_eq!(purge(&other, Purge::DeletedBefore(Timestamp::MAX)).await, 2);
    assert_eq!(sweep().await, 4);
    // One deleted page of `books` and both live ones have theirs.
    assert_eq!(read(store, texts::count).await, 6);
}

async fn a_purge_takes_no_more_than_its_limit_and_the_oldest_first(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let pages = ["blog//a", "blog//b", "blog//c"].map(page);
    insert(store, books, &pages).await;
    for (page, second) in pages.iter().zip([7, 5, 6]) {
        delete(store, books, &[page.id], second).await;
    }
    for (purged, left) in [(2, vec![pages[0].id]), (1, vec![]), (0, vec![])] {
        let what = Purge::DeletedBefore(at(100));
        assert_eq!(write(store, move |tx| trash::purge(tx, books, what, 2, at(8))).await, purged);
        let deleted = read(store, move |tx| trash::list_deleted(tx, books)).await;
        assert_eq!(deleted.iter().map(|page| page.id).collect::<Vec<_>>(), left);
    }
}

async fn the_site_whose_page_was_deleted_longest_ago_is_purged_first(database: &Database) {
    let store = database.store();
    let (late, early) = (site(store, "late").await.id, site(store, "early").await.id);
    for (site, second) in [(late, 6), (early, 5)] {
        let page = page("blog//a");
        insert(store, site, std::slice::from_ref(&page)).await;
        delete(store, site, &[page.id], second).await;
    }
    let oldest = |second| read(store, move |tx| trash::oldest_before(tx, at(second)));
    assert_eq!((oldest(5).await, oldest(6).await), (None, Some(early)));
    let what = Purge::DeletedBefore(at(7));
    assert_eq!(write(store, move |tx| trash::purge(tx, early, what, 10, at(8))).await, 1);
    assert_eq!(oldest(7).await, Some(late));
}

async fn deleted_pages_are_counted_for_the_account(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    let pages = [page("blog//a"), page("blog//b"), page("blog//c")];
    insert(store, books.id, &pages).await;
    insert(store, other.id, &[page("blog//a")]).await;
    delete(store, books.id, &[pages[0].id], 5).await;
    let count = |account| read(store, move |tx| pages::count_deleted(tx, account));
    assert_eq!((count(books.account).await, count(other.account).await), (1, 0));
    assert_eq!(count(model::AccountId::new(at(0))).await, 0);
    let all = |site: SiteId| read(store, move |tx| pages::count(tx, site));
    assert_eq!((all(books.id).await, all(other.id).await), (3, 1));
}
