use model::{AccountId, PageId, SiteId, SiteName};
use store::pages::Page;
use store::releases::Move;
use store::sites::{self, Cooldown, Site};
use store::{Store, files, former, hosts, pages, releases, texts};
use testing::Database;

use crate::{at, delete_site, insert, page, read, site, site_named, text, write};

testing::on_both_databases!(
    a_site_is_found_by_id_and_by_name,
    a_site_is_found_only_for_its_account,
    an_account_has_the_default_site_that_it_was_given,
    a_deleted_default_site_has_no_successor,
    sites_are_listed_by_account_and_age,
    a_taken_name_is_refused,
    a_site_is_renamed_to_a_free_name_only,
    a_deleted_site_loses_its_pages,
    the_version_grows_with_every_publish,
    a_cooldown_starts_again_once_it_is_over,
    settings_are_kept,
    a_site_is_locked_only_while_it_is_there,
    a_deleted_site_loses_its_releases,
);

async fn a_site_is_found_by_id_and_by_name(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let (id, name) = (books.id, books.name.clone());
    assert_eq!(read(store, move |tx| sites::get(tx, id)).await, Some(books.clone()));
    assert_eq!(read(store, move |tx| sites::by_name(tx, &name)).await, Some(books));
    assert_eq!(read(store, |tx| sites::get(tx, SiteId::new(at(0)))).await, None);
    let unknown = SiteName::parse("nobody").unwrap();
    assert_eq!(read(store, move |tx| sites::by_name(tx, &unknown)).await, None);
}

async fn a_site_is_found_only_for_its_account(database: &Database) {
    let store = database.store();
    let (mine, theirs) = (site(store, "mine").await, site(store, "theirs").await);
    let (account, id, their_id) = (mine.account, mine.id, theirs.id);
    assert_eq!(read(store, move |tx| sites::of_account(tx, account, id)).await, Some(mine));
    assert_eq!(read(store, move |tx| sites::of_account(tx, account, their_id)).await, None);
}

async fn default_of(store: &Store, account: AccountId) -> Option<Site> {
    read(store, move |tx| sites::default_of(tx, account)).await
}

async fn set_default(store: &Store, account: AccountId, site: SiteId) -> bool {
    write(store, move |tx| sites::set_default(tx, account, site)).await
}

async fn an_account_has_the_default_site_that_it_was_given(database: &Database) {
    let store = database.store();
    let (first, stranger) = (site(store, "first").await, site(store, "stranger").await);
    let second = Site { created_at: at(1), ..site_named(first.account, "a-second") };
    let row = second.clone();
    write(store, move |tx| sites::insert(tx, &row)).await;
    let account = first.account;
    assert_eq!(default_of(store, account).await, None);
    for site in [&first, &second] {
        assert!(set_default(store, account, site.id).await);
        assert_eq!(default_of(store, account).await.as_ref(), Some(site));
    }
    let before = database.dump();
    assert!(!set_default(store, account, stranger.id).await, "another account's");
    assert!(!set_default(store, account, SiteId::new(at(0))).await, "there is none");
    assert!(!set_default(store, AccountId::new(at(0)), first.id).await);
    assert_eq!(database.dump(), before);
    assert_eq!(default_of(store, stranger.account).await, None);
}

async fn a_deleted_default_site_has_no_successor(database: &Database) {
    let store = database.store();
    let (gone, stranger) = (site(store, "gone").await, site(store, "stranger").await);
    let stays = Site { created_at: at(1), ..site_named(gone.account, "stays") };
    let row = stays.clone();
    write(store, move |tx| sites::insert(tx, &row)).await;
    set_default(store, gone.account, gone.id).await;
    set_default(store, stranger.account, stranger.id).await;
    let id = gone.id;
    assert!(write(store, move |tx| sites::delete(tx, id, at(5))).await);
    assert_eq!(default_of(store, gone.account).await, None);
    assert!(!set_default(store, gone.account, gone.id).await, "it is being deleted");
    while write(store, move |tx| sites::remove_some(tx, id, 100, at(5))).await {}
    assert_eq!(default_of(store, gone.account).await, None);
    assert!(set_default(store, gone.account, stays.id).await);
    assert_eq!(default_of(store, gone.account).await, Some(stays));
    assert_eq!(default_of(store, stranger.account).await, Some(stranger));
}

async fn sites_are_listed_by_account_and_age(database: &Database) {
    let store = database.store();
    let (one, two) = (site(store, "one").await, site(store, "two").await);
    let later = Site { created_at: at(9), ..site_named(one.account, "later") };
    let row = later.clone();
    write(store, move |tx| sites::insert(tx, &row)).await;
    let mut expected = vec![one, two, later];
    expected.sort_by_key(|site| (site.account, site.created_at));
    assert_eq!(read(store, sites::list).await, expected);
    expected.sort_by_key(|site| site.id.0);
    expected.truncate(2);
    assert_eq!(read(store, |tx| sites::oldest(tx, 2)).await, expected);
}

async fn a_taken_name_is_refused(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let same = site_named(books.account, "books");
    assert!(!write(store, move |tx| sites::insert(tx, &same)).await);
    assert_eq!(read(store, sites::list).await, [books]);
}

async fn a_site_is_renamed_to_a_free_name_only(database: &Database) {
    let store = database.store();
    let (id, other) = (site(store, "one").await.id, site(store, "two").await.id);
    for (name, expected) in [("two", false), ("three", true), ("three", true)] {
        let name = SiteName::parse(name).unwrap();
        assert_eq!(write(store, move |tx| sites::rename(tx, id, &name)).await, expected);
    }
    let names =
        read(store, move |tx| Ok([id, other].map(|id| sites::get(tx, id).unwrap().unwrap().name))).await;
    assert_eq!(names.each_ref().map(SiteName::as_str), ["three", "two"]);
}

async fn a_deleted_site_loses_its_pages(database: &Database) {
    let store = database.store();
    let (gone, stays) = (site(store, "gone").await, site(store, "stays").await);
    for site in [gone.id, stays.id] {
        let range = write(store, |tx| texts::insert(tx, &["content", "params"])).await.unwrap();
        let (content, params) = (Some(text(range.first.0, 7)), Some(text(range.last.0, 6)));
        insert(store, site, &[Page { content, params, ..page("blog//a") }]).await;
    }
    let id = gone.id;
    delete_site(store, id, 5).await;
    assert!(!write(store, move |tx| sites::delete(tx, id, at(5))).await);
    let count = |site: SiteId| read(store, move |tx| pages::count(tx, site));
    assert_eq!((count(gone.id).await, count(stays.id).await), (0, 1));
    assert_eq!(read(store, sites::list).await, [Site { version: 1, ..stays }]);
    assert_eq!(write(store, |tx| texts::sweep(tx, at(5), 100)).await, 2);
    assert_eq!(read(store, texts::count).await, 2);
}

async fn the_version_grows_with_every_publish(database: &Database) {
    let store = database.store();
    let id = site(store, "books").await.id;
    for expected in [1, 2, 3] {
        assert_eq!(write(store, move |tx| sites::next_version(tx, id)).await, Some(expected));
    }
    assert_eq!(write(store, |tx| sites::next_version(tx, SiteId::new(at(0)))).await, None);
}

async fn a_cooldown_starts_again_once_it_is_over(database: &Database) {
    let store = database.store();
    let id = site(store, "books").await.id;
    let active = Cooldown::Active { last: at(100) };
    for (now, expected) in [(100, Cooldown::Started), (101, active), (129, active), (130, Cooldown::Started)]
    {
        let found = write(store, move |tx| sites::start_cooldown(tx, id, at(now), at(now - 30))).await;
        assert_eq!(found, expected, "at second {now}");
    }
}

async fn settings_are_kept(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    write(store, move |tx| sites::set_settings(tx, books, r#"{"a":"“1”"}"#)).await;
    let settings = |id| read(store, move |tx| sites::settings(tx, id));
    assert_eq!(settings(books).await.as_deref(), Some(r#"{"a":"“1”"}"#));
    assert_eq!(settings(other).await.as_deref(), Some("{}"));
    assert_eq!(settings(SiteId::new(at(0))).await, None);
}

async fn a_site_is_locked_only_while_it_is_there(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let id = books.id;
    assert!(write(store, move |tx| sites::lock(tx, id)).await);
    assert_eq!(read(store, sites::list).await, [books], "a lock changes nothing");
    assert!(!write(store, |tx| sites::lock(tx, SiteId::new(at(0)))).await);
}

async fn a_deleted_site_loses_its_releases(database: &Database) {
    let store = database.store();
    let stays = site(store, "stays").await.id;
    let fill = |id| {
        write(store, move |tx| {
            let file = crate::files::file("/a", 1);
            files::insert(tx, id, 1, &[file])?;
            files::remember(tx, id, 1, &[(PageId::new(at(0)), Some("{}".into()))])?;
            releases::insert(tx, id, &crate::releases::release(1))?;
            releases::go_live(tx, id, 1, Move::Build)?;
            former::add(tx, id, 1, &[("/old".into(), PageId::new(at(0)))])?;
            hosts::add(tx, &format!("{id}.example.com"), id, at(0)).map(drop)
        })
    };
    fill(stays).await;
    let before = database.dump();
    let gone = site(store, "gone").await;
    let (id, account) = (gone.id, gone.account);
    fill(id).await;
    delete_site(store, id, 5).await;
    let mut after = database.dump();
    // Only the account is left.
    let count = after.len();
    after.retain(|row| before.contains(row));
    assert_eq!((after, count), (before.clone(), before.len() + 1));
    assert_eq!(read(store, move |tx| sites::count(tx, account)).await, 0);
}
