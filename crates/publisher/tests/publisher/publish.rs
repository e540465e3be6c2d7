use model::{SiteId, Timestamp};
use publisher::Error;
use serde_json::{Value, json};
use testing::Database;

use crate::World;

testing::on_both_databases!(
    a_new_page_gets_the_defaults,
    a_new_page_is_stored_with_every_field,
    an_omitted_or_null_field_keeps_its_value,
    a_supplied_field_replaces_the_old_one,
    an_empty_value_clears,
    an_update_that_changes_nothing_leaves_everything_as_it_was,
    only_the_changed_pages_of_a_request_are_updated,
    a_page_stored_before_there_were_hashes_is_updated_once,
    a_section_may_be_typed_with_capitals,
    a_page_with_a_password_is_refused,
    the_answer_keeps_the_order_of_the_request,
    a_page_moves_by_its_id,
    two_pages_swap_their_slugs,
    pages_are_deleted_in_the_same_request,
    a_key_deleted_earlier_can_be_used_again,
    a_single_page_is_answered_in_both_formats,
    a_single_page_may_be_sent_with_site_and_build,
    a_body_without_page_or_build_is_a_page_without_a_title,
    an_empty_batch_is_fine,
    the_named_site_is_written_to,
    another_account_s_site_is_no_site,
);

const NINE: &str = "2026-01-02T09:00:00.000Z";

fn at(text: &str) -> Timestamp {
    Timestamp::parse_iso(text).unwrap()
}

async fn a_new_page_gets_the_defaults(database: &Database) {
    let world = World::new(database).await;
    let answer = world.publish(json!({"pages": [{"title": "Hello, World"}]})).await.unwrap();
    let page = world.page("hello-world").await;
    let expected = json!({"pages": [{
        "id": page.id.to_string(), "slug": "hello-world", "title": "Hello, World", "contentType": "blog",
        "draft": false, "status": "created", "createdAt": NINE, "updatedAt": NINE,
    }]});
    assert_eq!(answer, expected);
    assert_eq!((page.description, page.tags.as_str(), page.api_endpoint), (None, "[]", None));
    assert_eq!((page.content, page.params, page.published_at), (None, None, at(NINE)));
}

fn full() -> Value {
    json!({
        "slug": "full", "title": "  A “full” page ", "content": "# Hello\n", "contentType": "docs",
        "section": "guides", "description": "All of it", "draft": true, "tags": [" b ", "a", "b"],
        "publishedAt": "2030-05-06", "params": {"weight": 1.50, "list": [null]}, "apiEndpoint": "get /users",
        "somethingNew": {"is": "ignored"},
    })
}

async fn a_new_page_is_stored_with_every_field(database: &Database) {
    let world = World::new(database).await;
    let answer = world.published(json!({"pages": [full()]})).await;
    assert_eq!(
        (&answer["pages"][0]["section"], &answer["pages"][0]["draft"]),
        (&json!("guides"), &json!(true))
    );
    let page = world.page("full").await;
    assert_eq!(page.key, crate::key("docs/guides/full"));
    assert_eq!((page.title.as_str(), page.description.as_deref()), ("  A “full” page ", Some("All of it")));
    assert_eq!((page.draft, page.tags.as_str()), (true, r#"["b","a"]"#));
    assert_eq!((page.api_endpoint.as_deref(), page.published_at), (Some("GET /users"), at("2030-05-06")));
    assert_eq!((page.created_at, page.updated_at), (at(NINE), at(NINE)));
    assert_eq!(world.content("full").await.as_deref(), Some("# Hello\n"));
    let params: Value = serde_json::from_str(&world.params("full").await.unwrap()).unwrap();
    assert_eq!(params, json!({"weight": 1.5, "list": [null]}));
}

async fn an_omitted_or_null_field_keeps_its_value(database: &Database) {
    let world = World::new(database).await;
    world.create(full()).await;
    let before = world.page("full").await;
    let nulls = json!({
        "slug": "full", "id": null, "title": null, "content": null, "contentType": null, "section": null,
        "description": null, "draft": null, "tags": null, "publishedAt": null, "params": null, "apiEndpoint": null,
    });
    for entry in [json!({"slug": "full"}), nulls] {
        world.published(json!({"pages": [entry]})).await;
        assert_eq!(world.page("full").await, before);
    }
}

async fn a_supplied_field_replaces_the_old_one(database: &Database) {
    let world = World::new(database).await;
    world.create(full()).await;
    let change = json!({
        "slug": "full", "title": "New", "content": "New content", "description": "New description", "draft": false,
        "tags": ["c"], "publishedAt": "2026-01-01T01:00:00+01:00", "params": {"a": {}}, "apiEndpoint": "POST",
    });
    let answer = world.published(json!({"pages": [change]})).await;
    assert_eq!(answer["pages"][0]["status"], "updated");
    assert_eq!(answer["pages"][0]["createdAt"], NINE);
    assert_eq!(answer["pages"][0]["updatedAt"], "2026-01-02T09:00:01.000Z");
    let page = world.page("full").await;
    assert_eq!((page.title.as_str(), page.description.as_deref()), ("New", Some("New description")));
    assert_eq!((page.draft, page.tags.as_str()), (false, r#"["c"]"#));
    assert_eq!((page.api_endpoint.as_deref(), page.published_at), (Some("POST"), at("2026-01-01")));
    assert_eq!(world.content("full").await.as_deref(), Some("New content"));
    assert_eq!(world.params("full").await.as_deref(), Some(r#"{"a":{}}"#));
}

async fn an_empty_value_clears(database: &Database) {
    let world = World::new(database).await;
    let id = world.create(full()).await;
    let change = json!({
        "id": id, "section": "", "content": "", "description": "", "tags": [], "params": {}, "apiEndpoint": "",
    });
    let answer = world.published(json!({"pages": [change]})).await;
    assert_eq!(answer["pages"][0].get("section"), None);
    let page = world.page("full").await;
    assert_eq!(page.key, crate::key("docs//full"));
    assert_eq!((page.description, page.tags.as_str(), page.api_endpoint), (None, "[]", None));
    assert_eq!((page.content, page.params), (None, None));
    assert_eq!(page.title, "  A “full” page ");
}

async fn an_update_that_changes_nothing_leaves_everything_as_it_was(database: &Database) {
    let world = World::new(database).await;
    world.create(full()).await;
    let before = world.page("full").await;
    let mut again = full();
    // The same value in another order, and once as `1.5` and once as `1.50`.
    again["params"] = serde_json::from_str(r#"{"list": [null], "weight": 1.50}"#).unwrap();
    for page in [full(), again, json!({"slug": "full", "content": "# Hello\n"})] {
        let answer = world.published(json!({"pages": [page]})).await;
        assert_eq!(answer["pages"][0]["status"], "updated");
        assert_eq!(answer["pages"][0]["updatedAt"], NINE);
        assert_eq!(world.page("full").await, before, "{page}");
    }
    assert_eq!(world.text_count().await, 2, "no text was stored again");
}

async fn only_the_changed_pages_of_a_request_are_updated(database: &Database) {
    let world = World::new(database).await;
    // Enough text that most of it is stored ahead.
    let page = |number: usize| json!({"slug": format!("p{number}"), "title": "T", "content": number.to_string().repeat(50_000)});
    let mut pages: Vec<Value> = (0..60).map(page).collect();
    world.published(json!({"pages": pages})).await;
    let before = [world.page("p1").await, world.page("p59").await];
    world.published(json!({"pages": pages})).await;
    assert_eq!([world.page("p1").await, world.page("p59").await], before);

    pages[0]["content"] = json!("new");
    pages[1]["title"] = json!("New");
    let answer = world.published(json!({"pages": pages})).await;
    let moved: Vec<usize> =
        (0..60).filter(|at| answer["pages"][*at]["updatedAt"] != answer["pages"][59]["updatedAt"]).collect();
    assert_eq!(moved, [0, 1]);
    assert_eq!(world.content("p0").await.as_deref(), Some("new"));
    assert_eq!(world.page("p1").await.content, before[0].content, "its text stays where it is");
    assert_eq!(world.page("p59").await, before[1]);
    // Texts of unchanged pages are swept.
    world.sweep_all().await;
    assert_eq!(world.text_count().await, 60);
    assert_eq!(world.content("p59").await, Some("59".repeat(50_000)));
}

async fn a_page_stored_before_there_were_hashes_is_updated_once(database: &Database) {
    let world = World::new(database).await;
    world.create(full()).await;
    database.execute("UPDATE pages SET content_hash = NULL, params_hash = NULL");
    let moved = |answer: Value| answer["pages"][0]["updatedAt"] != json!(NINE);
    assert!(moved(world.published(json!({"pages": [full()]})).await));
    let after = world.page("full").await;
    world.published(json!({"pages": [full()]})).await;
    assert_eq!(world.page("full").await, after);
    assert_eq!(world.content("full").await.as_deref(), Some("# Hello\n"));
}

async fn a_section_may_be_typed_with_capitals(database: &Database) {
    let world = World::new(database).await;
    let page = json!({"title": "A", "contentType": "docs", "section": "FreeBSD"});
    let answer = world.published(json!({"pages": [page]})).await;
    assert_eq!(answer["pages"][0]["section"], "freebsd");
    let stored = world.page("a").await;
    assert_eq!(
        (stored.key, stored.section_spelling.as_deref()),
        (crate::key("docs/freebsd/a"), Some("FreeBSD"))
    );
    // The same section with another spelling; and a page without one.
    world.published(json!({"pages": [{"title": "A", "contentType": "docs", "section": "freebsd"}]})).await;
    assert_eq!(world.page("a").await.section_spelling, None);
    world.published(json!({"pages": [page]})).await;
    world.published(json!({"pages": [{"slug": "a", "title": "New"}]})).await;
    assert_eq!(world.page("a").await.section_spelling.as_deref(), Some("FreeBSD"));
    let answer = world
        .published(json!({"deleteSlugs": [{"slug": "a", "contentType": "docs", "section": "FREEBSD"}]}))
        .await;
    assert_eq!(answer["deleted"], json!(["a"]));
}

async fn a_page_with_a_password_is_refused(database: &Database) {
    let world = World::new(database).await;
    for body in [
        json!({"title": "A", "password": "secret"}),
        json!({"pages": [{"title": "A", "password": "secret"}]}),
        json!({"pages": [{"title": "A", "password": 7}]}),
    ] {
        let Err(publisher::Error::Invalid(errors)) = world.publish(body.clone()).await else {
            panic!("{body} was published openly");
        };
        assert!(errors[&0]["password"].starts_with("a page cannot have a password"), "{errors:?}");
    }
    world
        .published(json!({"pages": [{"title": "A", "password": ""}, {"title": "B", "password": null}]}))
        .await;
}

async fn the_answer_keeps_the_order_of_the_request(database: &Database) {
    let world = World::new(database).await;
    world.create(json!({"title": "C"})).await;
    let pages = json!([{"title": "D"}, {"slug": "c"}, {"title": "B"}, {"title": "A"}]);
    let answer = world.published(json!({"pages": pages})).await;
    let shown: Vec<_> =
        answer["pages"].as_array().unwrap().iter().map(|page| (&page["slug"], &page["status"])).collect();
    let expected = [("d", "created"), ("c", "updated"), ("b", "created"), ("a", "created")];
    assert_eq!(
        shown,
        expected.map(|(slug, status)| (json!(slug), json!(status))).each_ref().map(|(a, b)| (a, b))
    );
}

async fn a_page_moves_by_its_id(database: &Database) {
    let world = World::new(database).await;
    let id = world.create(json!({"title": "A", "content": "text"})).await;
    let change = json!({"id": id, "slug": "b", "contentType": "docs", "section": "s"});
    let answer = world.published(json!({"pages": [change]})).await;
    assert_eq!(answer["pages"][0]["id"], json!(id));
    assert_eq!(world.page("b").await.key, crate::key("docs/s/b"));
    assert_eq!(world.content("b").await.as_deref(), Some("text"));
    assert_eq!(world.pages("a").await, []);
}

async fn two_pages_swap_their_slugs(database: &Database) {
    let world = World::new(database).await;
    let (a, b) = (world.create(json!({"title": "A"})).await, world.create(json!({"title": "B"})).await);
    let swap = json!({"pages": [{"id": a, "slug": "b"}, {"id": b, "slug": "a"}]});
    world.published(swap).await;
    assert_eq!((world.page("a").await.id.to_string(), world.page("b").await.id.to_string()), (b, a));
}

async fn pages_are_deleted_in_the_same_request(database: &Database) {
    let world = World::new(database).await;
    for (slug, content_type, section) in
        [("a", "blog", ""), ("a", "docs", "s"), ("a", "standalone", ""), ("b", "blog", "")]
    {
        world
            .create(json!({"title": slug, "slug": slug, "contentType": content_type, "section": section}))
            .await;
    }
    let deletes = json!([
        {"slug": "b", "contentType": "blog"},
        {"slug": "nothing", "contentType": "blog"},
        {"slug": "a", "contentType": "docs"},
        {"slug": "a", "contentType": "docs", "section": "s"},
        {"slug": "No page can have THIS", "contentType": "docs", "section": null},
        {"slug": "a", "contentType": "blog", "section": ""},
        {"slug": "b", "contentType": "blog"},
    ]);
    let answer = world.published(json!({"pages": [{"title": "C"}], "deleteSlugs": deletes})).await;
    assert_eq!(answer["deleted"], json!(["b", "a"]));
    assert_eq!(world.page("a").await.key, crate::key("standalone//a"));
    assert_eq!(world.pages("b").await, []);
    let nothing = json!({"deleteSlugs": [{"slug": "b", "contentType": "blog"}]});
    assert_eq!(world.published(nothing).await, json!({"pages": [], "deleted": []}));
}

async fn a_key_deleted_earlier_can_be_used_again(database: &Database) {
    let world = World::new(database).await;
    let old = world.create(json!({"title": "A"})).await;
    world.published(json!({"deleteSlugs": [{"slug": "a", "contentType": "blog"}]})).await;
    let new = world.create(json!({"title": "A"})).await;
    assert_ne!(old, new);
    let gone = world.publish(json!({"pages": [{"id": old, "title": "A"}]})).await.unwrap_err();
    assert_eq!(crate::field_errors(gone), json!({"0": {"id": "page not found for the provided id"}}));
}

async fn a_single_page_is_answered_in_both_formats(database: &Database) {
    let world = World::new(database).await;
    let answer = world.published(json!({"title": "A", "content": "text", "section": "s"})).await;
    let mut page = json!({
        "id": world.page("a").await.id.to_string(), "slug": "a", "title": "A", "contentType": "blog", "section": "s",
        "draft": false, "status": "created", "createdAt": NINE, "updatedAt": NINE,
    });
    let pages = json!([page.clone()]);
    page["pages"] = pages;
    assert_eq!(answer, page);
    assert_eq!(world.content("a").await.as_deref(), Some("text"));
}

async fn a_single_page_may_be_sent_with_site_and_build(database: &Database) {
    let world = World::new(database).await;
    let answer =
        world.published(json!({"title": "A", "siteId": world.site.to_string(), "build": true})).await;
    assert_eq!(answer["slug"], "a");
    assert_eq!(answer["build"], json!({"status": "queued", "deployUrl": "http://books.localhost:8081"}));
}

async fn a_body_without_page_or_build_is_a_page_without_a_title(database: &Database) {
    let world = World::new(database).await;
    let bodies = [json!({}), json!({"siteId": world.site.to_string()}), json!({"foo": 1, "build": true})];
    for body in bodies {
        let error = world.publish(body).await.unwrap_err();
        assert_eq!(crate::field_errors(error), json!({"0": {"title": "title is required for new pages"}}));
    }
}

async fn an_empty_batch_is_fine(database: &Database) {
    let world = World::new(database).await;
    for body in
        [json!({"pages": []}), json!({"pages": [], "deleteSlugs": null, "siteId": null, "build": null})]
    {
        assert_eq!(world.published(body).await, json!({"pages": []}));
    }
    let build = json!({"status": "queued", "deployUrl": "http://books.localhost:8081"});
    assert_eq!(world.published(json!({"build": true})).await, json!({"pages": [], "build": build}));
}

async fn the_named_site_is_written_to(database: &Database) {
    let world = World::new(database).await;
    world.clock.advance(std::time::Duration::from_secs(1));
    let name = model::SiteName::parse("second").unwrap();
    let second = world.publisher.site_create(world.caller.account, name).await.unwrap();
    world.published(json!({"siteId": second.id.to_string(), "pages": [{"title": "A"}]})).await;
    assert_eq!(world.list().await["pages"], json!([]));
    world.create(json!({"title": "A"})).await;
}

async fn another_account_s_site_is_no_site(database: &Database) {
    let world = World::new(database).await;
    let name = model::AccountName::parse("Others").unwrap();
    let others = world.publisher.account_create(name, "pro").await.unwrap();
    for site in [others.site_id, SiteId(uuid::Uuid::nil())] {
        // The site is checked before the pages.
        for pages in [json!([{"title": "A"}]), json!([{}]), json!([])] {
            let answer = world.publish(json!({"siteId": site.to_string(), "pages": pages})).await;
            assert!(matches!(answer, Err(Error::NoSuchSite)), "{answer:?}");
        }
    }
}
