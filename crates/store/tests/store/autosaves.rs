//! What people typed and have not saved.

use model::{Email, SiteId, TokenHash, UserId};
use store::autosaves::{self, Autosave};
use store::{Store, sites, users};
use testing::Database;
use uuid::Uuid;

use crate::{at, read, site, write};

testing::on_both_databases!(
    what_was_typed_last_is_kept,
    one_tab_does_not_replace_what_another_one_has_typed,
    each_form_of_each_person_is_kept_separately,
    the_oldest_forms_make_way_for_new_ones,
    a_preview_is_found_by_its_secret_for_a_while,
    old_forms_are_swept,
    a_deleted_site_keeps_none,
);

async fn user(store: &Store, email: &str) -> UserId {
    let (id, email) = (UserId::new(at(0)), Email::parse(email).unwrap());
    assert!(write(store, move |tx| users::insert(tx, id, &email, false, at(0))).await);
    id
}

fn typed(form: u128, revision: i64, second: i64) -> Autosave {
    let fields = format!(r#"{{"title":"{revision}"}}"#);
    let (form, preview) = (Uuid::from_u128(form), TokenHash([form as u8; 32]));
    Autosave { form, version: 0, revision, fields, preview, saved_at: at(second) }
}

async fn put(store: &Store, site: SiteId, user: UserId, autosave: Autosave) {
    assert!(put_after(store, site, user, autosave, 0).await);
}

async fn put_after(store: &Store, site: SiteId, user: UserId, autosave: Autosave, seen: i64) -> bool {
    write(store, move |tx| autosaves::put(tx, site, user, &autosave, seen, 2)).await
}

async fn kept(store: &Store, site: SiteId, user: UserId, form: u128) -> Option<Autosave> {
    read(store, move |tx| autosaves::get(tx, site, user, Uuid::from_u128(form))).await
}

async fn what_was_typed_last_is_kept(database: &Database) {
    let store = database.store();
    let (site, ada) = (site(store, "ada").await.id, user(store, "ada@example.com").await);
    for revision in [1, 3, 2, 3] {
        put(store, site, ada, typed(1, revision, revision)).await;
    }
    assert_eq!(kept(store, site, ada, 1).await, Some(typed(1, 3, 3)));
    write(store, move |tx| autosaves::remove(tx, site, ada, Uuid::from_u128(1))).await;
    assert_eq!(kept(store, site, ada, 1).await, None);
}

async fn one_tab_does_not_replace_what_another_one_has_typed(database: &Database) {
    let store = database.store();
    let (site, ada) = (site(store, "ada").await.id, user(store, "ada@example.com").await);
    let [first, second] = [1, 2].map(|tab| TokenHash([tab; 32]));
    let typed = |tab, revision| Autosave { preview: tab, ..typed(1, revision, revision) };
    let put = |tab, revision, seen| put_after(store, site, ada, typed(tab, revision), seen);
    assert!(put(first, 5, 0).await);
    assert!(!put(second, 7, 4).await);
    assert_eq!(kept(store, site, ada, 1).await, Some(typed(first, 5)));
    assert!(put(first, 6, 0).await, "its own");
    assert!(put(first, 3, 0).await, "a late request of its own, which changes nothing");
    assert_eq!(kept(store, site, ada, 1).await, Some(typed(first, 6)));

    let form = Uuid::from_u128(1);
    let remove = |tab, seen| write(store, move |tx| autosaves::remove_seen(tx, site, ada, form, &tab, seen));
    remove(second, 5).await;
    assert_eq!(kept(store, site, ada, 1).await, Some(typed(first, 6)), "not seen in the second tab");
    assert!(put(second, 8, 6).await, "seen, and typed on");
    assert_eq!(kept(store, site, ada, 1).await, Some(typed(second, 8)));
    remove(first, 8).await;
    assert_eq!(kept(store, site, ada, 1).await, None);
}

async fn each_form_of_each_person_is_kept_separately(database: &Database) {
    let store = database.store();
    let (site, other) = (site(store, "ada").await.id, site(store, "other").await.id);
    let (ada, bob) = (user(store, "ada@example.com").await, user(store, "bob@example.com").await);
    put(store, site, ada, typed(1, 5, 5)).await;
    put(store, site, bob, typed(1, 6, 6)).await;
    put(store, site, ada, Autosave { version: 7, ..typed(2, 7, 7) }).await;
    assert_eq!(kept(store, site, bob, 1).await, Some(typed(1, 6, 6)));
    assert_eq!(kept(store, other, ada, 1).await, None);
    let newest = |site, user| read(store, move |tx| autosaves::newest_of_new(tx, site, user));
    assert_eq!(newest(site, ada).await, Some(typed(1, 5, 5)), "the other form is of a stored page");
    assert_eq!(newest(other, ada).await, None);
}

async fn the_oldest_forms_make_way_for_new_ones(database: &Database) {
    let store = database.store();
    let (site, ada) = (site(store, "ada").await.id, user(store, "ada@example.com").await);
    for form in 1..=3 {
        put(store, site, ada, typed(form, 1, form as i64)).await;
    }
    put(store, site, ada, typed(2, 2, 9)).await;
    put(store, site, ada, typed(4, 1, 10)).await;
    for (form, expected) in [(1, false), (2, true), (3, false), (4, true)] {
        assert_eq!(kept(store, site, ada, form).await.is_some(), expected, "form {form}");
    }
}

async fn a_preview_is_found_by_its_secret_for_a_while(database: &Database) {
    let store = database.store();
    let (site, other) = (site(store, "ada").await.id, site(store, "other").await.id);
    put(store, site, user(store, "ada@example.com").await, typed(7, 1, 10)).await;
    let found = |site, secret, since| {
        read(store, move |tx| autosaves::by_preview(tx, site, &TokenHash([secret; 32]), at(since)))
    };
    assert_eq!(found(site, 7, 9).await, Some(typed(7, 1, 10)));
    assert_eq!(
        (found(site, 7, 10).await, found(site, 8, 9).await, found(other, 7, 9).await),
        (None, None, None)
    );
}

async fn old_forms_are_swept(database: &Database) {
    let store = database.store();
    let (site, ada) = (site(store, "ada").await.id, user(store, "ada@example.com").await);
    for form in 1..=2 {
        put(store, site, ada, typed(form, 1, form as i64)).await;
    }
    let sweep = |until, most| write(store, move |tx| autosaves::sweep(tx, at(until), most));
    assert_eq!((sweep(0, 9).await, sweep(2, 1).await), (0, 1));
    assert_eq!(kept(store, site, ada, 1).await, None);
    assert_eq!((sweep(1, 9).await, sweep(2, 9).await, sweep(2, 9).await), (0, 1, 0));
}

async fn a_deleted_site_keeps_none(database: &Database) {
    let store = database.store();
    let (site, ada) = (site(store, "ada").await, user(store, "ada@example.com").await);
    put(store, site.id, ada, typed(1, 1, 1)).await;
    let id = site.id;
    assert!(write(store, move |tx| sites::delete(tx, id, at(2))).await);
    while write(store, move |tx| sites::remove_some(tx, id, 10, at(3))).await {}
    assert_eq!(kept(store, id, ada, 1).await, None);
}
