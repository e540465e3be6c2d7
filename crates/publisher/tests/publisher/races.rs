use std::collections::BTreeSet;

use serde_json::{Value, json};
use testing::Database;

use crate::{World, publish};

testing::on_both_databases!(
    one_slug_published_at_once_is_one_page,
    large_publishes_at_once_are_carried_out_one_after_the_other,
    pages_swapped_at_once_keep_their_slugs_apart,
    random_publishes_at_once_leave_a_sound_site,
    upkeep_during_publishes_deletes_no_live_text,
);

/// Publishes each body in its own task, all at once.
async fn publish_at_once(world: &World, bodies: Vec<Value>) -> Vec<Result<Value, publisher::Error>> {
    let spawn = |body| {
        let (publisher, caller) = (world.publisher.clone(), world.caller.clone());
        tokio::spawn(async move { publish(&publisher, &caller, body).await })
    };
    let tasks: Vec<_> = bodies.into_iter().map(spawn).collect();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    answers
}

async fn one_slug_published_at_once_is_one_page(database: &Database) {
    let world = World::new(database).await;
    let bodies = (0..16).map(|number| json!({"title": "A", "content": format!("{number}")})).collect();
    let answers = publish_at_once(&world, bodies).await;
    let answers: Vec<Value> = answers.into_iter().map(Result::unwrap).collect();
    let created = answers.iter().filter(|answer| answer["status"] == "created").count();
    let ids: BTreeSet<String> = answers.iter().map(|answer| answer["id"].to_string()).collect();
    assert_eq!((created, ids.len()), (1, 1));
    world.page("a").await;
    world.sweep_all().await;
    assert_eq!(world.text_count().await, 1);
    world.content("a").await.unwrap();
}

/// Each is decided before the site is locked, and must notice changes of the others.
async fn large_publishes_at_once_are_carried_out_one_after_the_other(database: &Database) {
    let world = World::new(database).await;
    let body = |number: usize| {
        let page = |n| json!({"slug": format!("p{n}"), "title": format!("Title {number}"), "content": format!("{n}")});
        json!({"pages": (0..150).map(page).collect::<Vec<Value>>()})
    };
    let answers = publish_at_once(&world, (0..6).map(body).collect()).await;
    let answers: Vec<Value> = answers.into_iter().map(Result::unwrap).collect();
    let created = answers.iter().filter(|answer| answer["pages"][0]["status"] == "created").count();
    assert_eq!(created, 1, "the others update what that one made");
    let listed = world.list().await;
    let listed = listed["pages"].as_array().unwrap();
    let titles: BTreeSet<&str> = listed.iter().map(|page| page["title"].as_str().unwrap()).collect();
    assert_eq!((listed.len(), titles.len()), (150, 1), "{titles:?}");
    world.sweep_all().await;
    assert_eq!(world.text_count().await, 150);
}

async fn pages_swapped_at_once_keep_their_slugs_apart(database: &Database) {
    let world = World::new(database).await;
    let (a, b) = (world.create(json!({"title": "A"})).await, world.create(json!({"title": "B"})).await);
    let swap = |number: usize| {
        let slugs = if number.is_multiple_of(2) { ["a", "b"] } else { ["b", "a"] };
        json!({"pages": [{"id": a, "slug": slugs[0]}, {"id": b, "slug": slugs[1]}]})
    };
    for answer in publish_at_once(&world, (0..16).map(swap).collect()).await {
        answer.unwrap();
    }
    let ids = BTreeSet::from([world.page("a").await.id.to_string(), world.page("b").await.id.to_string()]);
    assert_eq!(ids, BTreeSet::from([a, b]));
}

/// A pseudorandom number generator: the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'v>(&mut self, values: &'v [&'v str]) -> &'v str {
        values[self.below(values.len())]
    }

    fn body(&mut self, ids: &[String]) -> Value {
        let slugs = ["a", "b", "c", "d"];
        let mut pages = Vec::new();
        for _ in 0..1 + self.below(3) {
            let mut page =
                json!({"slug": self.pick(&slugs), "title": "A title", "content": format!("{}", self.0)});
            if self.below(2) == 0 {
                page["contentType"] = json!(self.pick(&["blog", "docs"]));
            }
            if self.below(2) == 0 {
                page["section"] = json!(self.pick(&["", "s"]));
            }
            if self.below(3) == 0 && !ids.is_empty() {
                page["id"] = json!(ids[self.below(ids.len())]);
            }
            pages.push(page);
        }
        let deletes = if self.below(4) == 0 {
            json!([{"slug": self.pick(&slugs), "contentType": self.pick(&["blog", "docs"])}])
        } else {
            Value::Null
        };
        json!({"pages": pages, "deleteSlugs": deletes})
    }
}

async fn random_publishes_at_once_leave_a_sound_site(database: &Database) {
    let world = World::new(database).await;
    let mut random = Random(7);
    let (mut ids, mut accepted) = (Vec::new(), 0);
    for _ in 0..6 {
        let bodies = (0..16).map(|_| random.body(&ids)).collect();
        for answer in publish_at_once(&world, bodies).await {
            use publisher::Error::{DuplicateSlugs, Invalid, SlugConflict};
            match answer {
                Ok(answer) => {
                    accepted += 1;
                    let pages = answer["pages"].as_array().unwrap();
                    ids.extend(pages.iter().map(|page| page["id"].as_str().unwrap().to_owned()));
                }
                Err(Invalid(_) | DuplicateSlugs(_) | SlugConflict(_)) => {}
                Err(other) => panic!("no answer to a request in good form: {other:?}"),
            }
        }
    }
    assert!(accepted > 20, "{accepted}");
    world.sweep_all().await;
    let mut keys = BTreeSet::new();
    for slug in ["a", "b", "c", "d"] {
        for page in world.pages(slug).await {
            assert!(keys.insert(page.key.clone()), "{:?} is there twice", page.key);
            world.text(page.content).await.expect("every page has content");
        }
    }
    // No page keeps a temporary key that is only used while pages move.
    assert_eq!(world.list().await["pages"].as_array().unwrap().len(), keys.len());
}

async fn upkeep_during_publishes_deletes_no_live_text(database: &Database) {
    let world = World::new(database).await;
    for round in 0..10 {
        let body = |number: usize| {
            let pages: Vec<Value> = (0..4)
                .map(|page| json!({"slug": format!("p{}", (number + page) % 6), "title": "A", "content": format!("{round}")}))
                .collect();
            json!({"pages": pages})
        };
        let publishes = publish_at_once(&world, (0..6).map(body).collect());
        let upkeep = async {
            world.publisher.upkeep().await.unwrap();
            world.publisher.upkeep().await.unwrap();
        };
        let (answers, ()) = tokio::join!(publishes, upkeep);
        answers.into_iter().for_each(|answer| drop(answer.unwrap()));
        world.clock.advance(crate::DAY);
    }
    world.sweep_all().await;
    assert_eq!(world.text_count().await, 6);
    for number in 0..6 {
        assert_eq!(world.content(&format!("p{number}")).await.as_deref(), Some("9"));
    }
}
