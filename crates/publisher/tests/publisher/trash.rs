use model::PageId;
use publisher::Error;
use serde_json::json;
use store::sites::Site;
use testing::Database;

use crate::{World, key};

testing::on_both_databases!(
    a_page_is_deleted_by_its_whole_key,
    a_deleted_page_is_restored_with_all_its_fields,
    a_page_whose_key_is_taken_is_not_restored,
    the_trash_is_emptied,
);

impl World {
    async fn delete(&self, text: &str) -> Result<(), Error> {
        self.publisher.delete(&self.caller, None, Some(key(text))).await
    }

    async fn its_site(&self) -> Site {
        self.publisher.site_find(&self.site.to_string()).await.unwrap()
    }
}

async fn a_page_is_deleted_by_its_whole_key(database: &Database) {
    let world = World::new(database).await;
    world.create(json!({"title": "A", "contentType": "docs", "section": "s"})).await;
    let before = database.dump();
    for other in ["docs//a", "blog/s/a", "docs/s/b"] {
        let answer = world.delete(other).await;
        assert!(matches!(answer, Err(Error::NoSuchPage)), "{other}: {answer:?}");
    }
    let impossible = world.publisher.delete(&world.caller, None, None).await;
    assert!(matches!(impossible, Err(Error::NoSuchPage)), "{impossible:?}");
    let elsewhere = model::SiteId(uuid::Uuid::nil());
    let answer = world.publisher.delete(&world.caller, Some(elsewhere), None).await;
    assert!(matches!(answer, Err(Error::NoSuchSite)), "{answer:?}");
    assert_eq!(database.dump(), before);

    world.delete("docs/s/a").await.unwrap();
    assert!(matches!(world.delete("docs/s/a").await, Err(Error::NoSuchPage)));
    assert_eq!(world.list().await, json!({"pages": []}));
}

async fn a_deleted_page_is_restored_with_all_its_fields(database: &Database) {
    let world = World::new(database).await;
    world.create(json!({"title": "A", "content": "text", "tags": ["t"]})).await;
    let before = world.page("a").await;
    world.delete("blog//a").await.unwrap();
    let site = world.its_site().await;
    let deleted = world.publisher.deleted_list(&site).await.unwrap();
    assert_eq!((deleted.len(), deleted[0].id, &deleted[0].key), (1, before.id, &before.key));
    let now = model::Clock::now(&*world.clock);
    world.publisher.deleted_restore(&site, before.id).await.unwrap();
    assert_eq!(world.page("a").await, store::pages::Page { updated_at: now, ..before.clone() });
    assert_eq!(world.content("a").await.as_deref(), Some("text"));
    let again = world.publisher.deleted_restore(&site, before.id).await.unwrap_err();
    let expected =
        format!("there is no deleted page {} in this site; `recto page deleted` shows them", before.id);
    assert_eq!(again.to_string(), expected);
}

async fn a_page_whose_key_is_taken_is_not_restored(database: &Database) {
    let world = World::new(database).await;
    let old = world.create(json!({"title": "A"})).await;
    world.delete("blog//a").await.unwrap();
    let new = world.create(json!({"title": "A"})).await;
    let site = world.its_site().await;
    let refused = world.publisher.deleted_restore(&site, PageId::parse(&old).unwrap()).await.unwrap_err();
    assert_eq!(refused.to_string(), format!("page {new} has its slug by now; move or delete that one first"));
    assert_eq!(world.page("a").await.id.to_string(), new);
}

async fn the_trash_is_emptied(database: &Database) {
    let world = World::new(database).await;
    let mut ids = Vec::new();
    for title in ["A", "B", "C"] {
        ids.push(PageId::parse(&world.create(json!({"title": title})).await).unwrap());
        world.delete(&format!("blog//{}", title.to_lowercase())).await.unwrap();
    }
    world.create(json!({"title": "Live"})).await;
    let site = world.its_site().await;
    assert_eq!(world.publisher.deleted_purge(&site, Some(ids[0])).await.unwrap(), 1);
    world.publisher.deleted_purge(&site, Some(ids[0])).await.unwrap_err();
    assert_eq!(world.publisher.deleted_purge(&site, None).await.unwrap(), 2);
    world.page("live").await;
}
