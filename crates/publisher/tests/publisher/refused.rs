use std::time::Duration;

use publisher::{Error, ReferenceTime};
use serde_json::{Value, json};
use testing::Database;

use crate::World;

testing::on_both_databases!(
    a_refused_request_changes_nothing,
    a_malformed_request_says_where,
    the_references_of_a_request_take_bounded_time,
);

async fn a_refused_request_changes_nothing(database: &Database) {
    let world = World::new(database).await;
    let a = world.create(json!({"title": "A", "content": "text"})).await;
    world.create(json!({"title": "B"})).await;
    let good = json!({"title": "Good", "content": "text", "params": {"a": 1}});
    let blog = |slug: &str| json!({"slug": slug, "contentType": "blog"});
    let bodies = [
        json!({"pages": [good, {"slug": "c"}]}),
        json!({"pages": [good, {"title": "x".repeat(201)}]}),
        json!({"pages": [good, {"id": a, "slug": "b"}]}),
        json!({"pages": [good, {"id": world.site.to_string()}], "build": true}),
        json!({"pages": [good, good]}),
        json!({"pages": [good], "deleteSlugs": [blog("a"), blog("good")]}),
        json!({"pages": [good, {"slug": "b"}], "deleteSlugs": [blog("a"), blog("b")]}),
        json!({"pages": [good], "siteId": a}),
        json!({"pages": [good, 7]}),
        json!({"pages": [good], "deleteSlugs": [{"slug": "a"}]}),
    ];
    let before = database.dump();
    for body in bodies {
        assert!(world.publish(body.clone()).await.is_err(), "{body}");
        assert_eq!(database.dump(), before, "{body}");
    }
}

async fn a_malformed_request_says_where(database: &Database) {
    let world = World::new(database).await;
    let delete = |value: Value| json!({"deleteSlugs": [{"slug": "a", "contentType": "blog"}, value]});
    let cases = [
        (json!({"pages": null}), "pages must be an array"),
        (json!({"pages": {}}), "pages must be an array"),
        (json!({"pages": [{"title": "A"}, null]}), "pages[1]: must be an object"),
        (json!({"deleteSlugs": "a"}), "deleteSlugs must be an array"),
        (json!({"pages": [], "siteId": "no"}), "siteId must be a UUID"),
        (json!({"pages": [], "siteId": 7}), "siteId must be a UUID"),
        (json!({"pages": [], "build": "yes"}), "build must be true or false"),
        (delete(json!("a")), "deleteSlugs[1]: must be an object"),
        (delete(json!({"contentType": "blog"})), "deleteSlugs[1]: slug is required"),
        (delete(json!({"slug": null, "contentType": "blog"})), "deleteSlugs[1]: slug is required"),
        (delete(json!({"slug": 7, "contentType": "blog"})), "deleteSlugs[1]: slug must be a string"),
        (delete(json!({"slug": "a"})), "deleteSlugs[1]: contentType is required"),
        (
            delete(json!({"slug": "a", "contentType": "post"})),
            "deleteSlugs[1]: invalid contentType; must be one of: blog, docs, homepage, standalone",
        ),
        (json!({"pages": vec![json!({}); 5001]}), "pages may hold at most 5000 entries"),
        (
            json!({"deleteSlugs": vec![json!({"slug": "a", "contentType": "blog"}); 5001]}),
            "deleteSlugs may hold at most 5000 entries",
        ),
    ];
    for (body, expected) in cases {
        match world.publish(body).await {
            Err(Error::Malformed(message)) => assert_eq!(message, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
}

async fn the_references_of_a_request_take_bounded_time(database: &Database) {
    let mut world = World::new(database).await;
    let time = ReferenceTime { base: Duration::from_millis(500), per_byte: Duration::from_nanos(1) };
    world.publisher = world.publisher.with_reference_time(time);
    // As deep as a text may be: the parser checks every level in every line.
    let slow = format!("`file:a.png`\n\n{}a\n{}", "> ".repeat(300), "b\n".repeat(45_000));
    let pages: Vec<Value> =
        (0..200).map(|n| json!({"title": format!("Page {n}"), "content": slow})).collect();
    let Err(Error::Invalid(errors)) = world.publish(json!({"pages": pages})).await else {
        panic!("the time was not limited");
    };
    let (first, words) = errors.first_key_value().unwrap();
    assert!(*first > 3, "the first pages are searched: {first}");
    assert_eq!(errors.len(), pages.len() - first, "all others are refused");
    let expected =
        "the references to files in this request take too long to find: send its pages in several requests";
    assert_eq!(words["content"], expected);
}
