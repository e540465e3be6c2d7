//! What people typed and have not saved, and how they find pages.

use std::time::Duration;

use model::{Email, Role, Secret};
use publisher::{PageFilter, PageState, Typed};
use serde_json::json;
use testing::Database;
use uuid::Uuid;

use crate::{DAY, World};

testing::on_both_databases!(
    what_was_typed_is_forgotten_after_thirty_days,
    a_search_that_finds_little_reads_a_limited_number_of_pages,
);

async fn what_was_typed_is_forgotten_after_thirty_days(database: &Database) {
    let world = World::new(database).await;
    let site = world.publisher.site_find(&world.site.to_string()).await.unwrap();
    let email = Email::parse("ada@example.com").unwrap();
    let made = world.publisher.user_create(email, site.account, Role::Writer, false).await.unwrap();
    let form = Uuid::from_u128(1);
    let preview = Secret::generate().unwrap();
    let typed = Typed { form, version: 0, revision: 1, seen: 0, fields: "{}".into(), preview };
    world.publisher.autosave(&site, made.user, typed).await.unwrap();
    for (days, is_kept) in [(29, true), (1, false)] {
        world.clock.advance(days * DAY);
        world.publisher.upkeep().await.unwrap();
        let kept = world.publisher.autosaved(&site, made.user, form).await.unwrap();
        assert_eq!(kept.is_some(), is_kept);
    }
}

async fn a_search_that_finds_little_reads_a_limited_number_of_pages(database: &Database) {
    let world = World::new(database).await;
    world.create(json!({"title": "The oldest", "draft": true})).await;
    for batch in 0..5 {
        let pages: Vec<_> =
            (0..4200).map(|n| json!({"title": "Page", "slug": format!("p{batch}-{n}")})).collect();
        world.published(json!({ "pages": pages })).await;
    }
    world.clock.advance(Duration::from_secs(1));
    let site = world.publisher.site_find(&world.site.to_string()).await.unwrap();
    let drafts = |after| PageFilter { state: Some(PageState::Draft), after, ..PageFilter::default() };
    let first = world.publisher.page_list(&site, drafts(None), 50).await.unwrap();
    assert!(first.pages.is_empty() && first.next.is_some(), "{first:?}");
    let rest = world.publisher.page_list(&site, drafts(first.next), 50).await.unwrap();
    assert_eq!(rest.pages.iter().map(|page| &*page.title).collect::<Vec<_>>(), ["The oldest"]);
    assert_eq!(rest.next, None);
}
