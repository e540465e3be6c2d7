use model::{ContentType, SiteId};
use publisher::{Cursor, Error, ListQuery};
use serde_json::{Value, json};
use testing::Database;

use crate::World;

testing::on_both_databases!(
    a_listing_shows_what_the_specification_names,
    the_last_published_comes_first,
    a_listing_keeps_to_one_content_type,
    a_listing_comes_in_parts,
    a_listing_that_is_kept_follows_every_change,
    another_account_s_site_is_not_listed,
);

async fn list(world: &World, query: ListQuery) -> Value {
    let json = world.publisher.list(&world.caller, query).await.unwrap();
    serde_json::from_slice(&json.concat()).unwrap()
}

fn slugs(listing: &Value) -> Vec<&str> {
    listing["pages"].as_array().unwrap().iter().map(|page| page["slug"].as_str().unwrap()).collect()
}

async fn a_listing_shows_what_the_specification_names(database: &Database) {
    let world = World::new(database).await;
    let full = json!({
        "title": "“Full”", "slug": "full", "contentType": "docs", "section": "s", "description": "d\n",
        "draft": true, "tags": ["a", "\"b\""], "publishedAt": "2026-01-01T00:00:00.0009Z", "content": "text",
    });
    let (bare, full) = (world.create(json!({"title": "Bare"})).await, world.create(full).await);
    let expected = json!({"pages": [
        {
            "id": full, "slug": "full", "title": "“Full”", "contentType": "docs", "section": "s",
            "description": "d\n", "draft": true, "tags": ["a", "\"b\""], "publishedAt": "2026-01-01T00:00:00.000Z",
            "updatedAt": "2026-01-02T09:00:01.000Z",
        },
        {
            "id": bare, "slug": "bare", "title": "Bare", "contentType": "blog", "description": null, "draft": false,
            "tags": [], "publishedAt": "2026-01-02T09:00:00.000Z", "updatedAt": "2026-01-02T09:00:00.000Z",
        },
    ]});
    assert_eq!(world.list().await, expected);
}

async fn the_last_published_comes_first(database: &Database) {
    let world = World::new(database).await;
    // Pages of one moment are listed as they were sent.
    world.published(json!({"pages": [{"title": "C"}, {"title": "A"}, {"title": "B"}]})).await;
    assert_eq!(slugs(&world.list().await), ["c", "a", "b"]);
    world.published(json!({"pages": [{"slug": "b", "title": "New"}]})).await;
    assert_eq!(slugs(&world.list().await), ["b", "c", "a"]);
}

async fn a_listing_keeps_to_one_content_type(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"pages": [{"title": "A"}, {"title": "B", "contentType": "docs"}]})).await;
    let docs = ListQuery { content_type: Some(ContentType::Docs), ..ListQuery::default() };
    assert_eq!(slugs(&list(&world, docs).await), ["b"]);
}

async fn a_listing_comes_in_parts(database: &Database) {
    let world = World::new(database).await;
    let pages: Vec<Value> = (0..7).map(|number| json!({"title": format!("p{number}")})).collect();
    world.published(json!({"pages": pages})).await;
    for (limit, parts) in [(1, 7), (3, 3), (7, 1), (1000, 1)] {
        let (mut listed, mut cursor, mut count) = (Vec::new(), None, 0);
        loop {
            let part = list(&world, ListQuery { limit: Some(limit), cursor, ..ListQuery::default() }).await;
            listed.extend(slugs(&part).into_iter().map(str::to_owned));
            count += 1;
            cursor = part["nextCursor"].as_str().map(|text| Cursor::parse(text).unwrap());
            if cursor.is_none() {
                assert_eq!(part["nextCursor"], Value::Null);
                break;
            }
        }
        assert_eq!(
            (listed.as_slice(), count),
            (&["p0", "p1", "p2", "p3", "p4", "p5", "p6"].map(str::to_owned)[..], parts)
        );
    }
    assert_eq!(world.list().await.get("nextCursor"), None);
    for text in ["", "1", "x.y", "1.2", "1.00000000-0000-0000-0000-00000000000"] {
        assert_eq!(Cursor::parse(text), None, "{text}");
    }
}

/// Parts are not kept.
async fn in_parts(world: &World, query: ListQuery) -> Vec<Value> {
    let (mut pages, mut cursor) = (vec![], None);
    loop {
        let part = list(world, ListQuery { limit: Some(1000), cursor, ..query }).await;
        pages.extend(part["pages"].as_array().unwrap().clone());
        match part["nextCursor"].as_str() {
            Some(next) => cursor = Cursor::parse(next),
            None => return pages,
        }
    }
}

async fn a_listing_that_is_kept_follows_every_change(database: &Database) {
    let world = World::new(database).await;
    let many = |title: &str, count: usize| -> Value {
        let page = |number| json!({"slug": format!("p{number}"), "title": title, "contentType": "docs"});
        json!({"pages": (0..count).map(page).collect::<Vec<_>>()})
    };
    let site = world.publisher.site_find(&world.site.to_string()).await.unwrap();
    let deletion = |slug: &str| json!({"pages": [], "deleteSlugs": [{"slug": slug, "contentType": "docs"}]});
    let check = async |what: &str| {
        for content_type in [None, Some(ContentType::Docs)] {
            for hashes in [false, true] {
                let query = ListQuery { content_type, hashes, ..ListQuery::default() };
                let kept = list(&world, query).await;
                assert_eq!(kept["pages"].as_array().unwrap(), &in_parts(&world, query).await, "{what}");
            }
        }
    };
    world.published(many("First", 12)).await;
    check("all are new").await;
    let id = world.create(json!({"title": "A post"})).await;
    check("one is new").await;
    world.published(json!({"pages": [{"id": id, "contentType": "docs", "tags": ["a"]}]})).await;
    check("one has another type").await;
    world
        .published(
            json!({"pages": [{"id": id, "contentType": "blog"}, {"slug": "p3", "contentType": "docs"}]}),
        )
        .await;
    check("one has its type again, and one is the same").await;
    world.published(deletion("p5")).await;
    check("one is deleted").await;
    let deleted = world.publisher.deleted_list(&site).await.unwrap();
    world.publisher.deleted_restore(&site, deleted[0].id).await.unwrap();
    check("it is restored").await;
    world.published(deletion("p6")).await;
    assert_eq!(world.publisher.deleted_purge(&site, None).await.unwrap(), 1);
    check("one is deleted and purged before the next listing").await;
    // So often that the listing is read again as a whole.
    let description = "x".repeat(500);
    for number in 0..120 {
        let title = format!("Post {number}");
        world.published(json!({"pages": [{"id": id, "title": title, "description": description}]})).await;
        world.list().await;
    }
    check("one changed often").await;
    world.published(many("Second", 1100)).await;
    check("more than a thousand changed").await;
    world.published(many("Third", 1100)).await;
    check("they changed again").await;
}

async fn another_account_s_site_is_not_listed(database: &Database) {
    let world = World::new(database).await;
    let others =
        world.publisher.account_create(model::AccountName::parse("Others").unwrap(), "pro").await.unwrap();
    for site in [others.site_id, SiteId(uuid::Uuid::nil())] {
        let query = ListQuery { site: Some(site), ..ListQuery::default() };
        let answer = world.publisher.list(&world.caller, query).await;
        assert!(matches!(answer, Err(Error::NoSuchSite)), "{answer:?}");
    }
}
