use model::{BuildId, BuildStatus, SiteId, Trigger};
use store::Store;
use store::builds::{self, Build};
use store::sites::Site;
use testing::Database;

use crate::building::{ONE, SUCCESS, builds_of, claim, end};
use crate::{at, delete_site, read, site, write};

testing::on_both_databases!(
    the_newest_build_is_the_latest,
    a_scheduled_build_is_not_the_latest,
    the_newest_hundred_builds_of_a_site_are_kept,
    the_newest_requested_build_is_always_kept,
    a_build_that_is_not_over_is_kept,
    builds_that_ended_long_ago_are_forgotten,
    a_build_of_a_deleted_site_is_forgotten_like_any_other,
);

pub async fn queue(store: &Store, site: &Site, trigger: Trigger, second: i64) -> BuildId {
    let (id, account, site) = (BuildId::new(at(second)), site.account, site.id);
    write(store, move |tx| builds::insert(tx, id, account, site, trigger, at(second))).await;
    id
}

async fn latest(store: &Store, site: SiteId) -> Option<Build> {
    read(store, move |tx| builds::latest(tx, site)).await
}

async fn the_newest_build_is_the_latest(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    queue(store, &books, Trigger::Api, 1).await;
    let id = queue(store, &books, Trigger::Publish, 3).await;
    queue(store, &books, Trigger::Cli, 2).await;
    let expected = Build {
        id,
        status: BuildStatus::Queued,
        triggered_by: Trigger::Publish,
        created_at: at(3),
        started_at: None,
        completed_at: None,
        error: None,
        warnings: None,
    };
    assert_eq!(latest(store, books.id).await, Some(expected));
    assert_eq!(latest(store, other.id).await, None);
}

async fn a_scheduled_build_is_not_the_latest(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let asked_for = queue(store, &books, Trigger::Dashboard, 1).await;
    queue(store, &books, Trigger::Schedule, 2).await;
    assert_eq!(latest(store, books.id).await.unwrap().id, asked_for);
}

/// Ends all builds of a site, each at the second of its creation.
async fn end_all(store: &Store, site: &Site) {
    let site = site.id;
    let end = "UPDATE builds SET status = 'success', completed_at = created_at WHERE site_id = $1";
    write(store, move |tx| tx.execute(end, &[&site.0])).await;
}

/// The seconds at which a site's builds were created, ascending.
async fn kept(store: &Store, site: &Site) -> Vec<i64> {
    builds_of(store, site).await.iter().map(|build| build.created_at.micros() / 1_000_000).collect()
}

async fn the_newest_hundred_builds_of_a_site_are_kept(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    queue(store, &other, Trigger::Api, 1).await;
    end_all(store, &other).await;
    for second in 1..=130 {
        queue(store, &books, Trigger::Api, second).await;
        end_all(store, &books).await;
    }
    assert_eq!(kept(store, &books).await, (31..=130).collect::<Vec<_>>());
    assert_eq!(kept(store, &other).await, [1]);
    // A site with scheduled builds only, too.
    for second in 1..=130 {
        queue(store, &other, Trigger::Schedule, 1000 + second).await;
        end_all(store, &other).await;
    }
    let expected: Vec<i64> = std::iter::once(1).chain(1031..=1130).collect();
    assert_eq!(kept(store, &other).await, expected);
    let scheduled = site(store, "scheduled").await;
    for second in 1..=130 {
        queue(store, &scheduled, Trigger::Schedule, second).await;
        end_all(store, &scheduled).await;
    }
    assert_eq!(kept(store, &scheduled).await, (31..=130).collect::<Vec<_>>(), "none was ever requested");
}

async fn the_newest_requested_build_is_always_kept(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    let asked_for = queue(store, &books, Trigger::Publish, 2).await;
    for second in 3..=250 {
        end_all(store, &books).await;
        queue(store, &books, Trigger::Schedule, second).await;
    }
    assert_eq!(latest(store, books.id).await.unwrap().id, asked_for);
    let expected: Vec<i64> = std::iter::once(2).chain(151..=250).collect();
    assert_eq!(kept(store, &books).await, expected);
}

async fn a_build_that_is_not_over_is_kept(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    for second in 1..=150 {
        queue(store, &books, Trigger::Api, second).await;
    }
    assert_eq!(kept(store, &books).await.len(), 150);
    let claim = claim(store, &books, ONE, 151).await.unwrap();
    queue(store, &books, Trigger::Api, 152).await;
    assert_eq!(kept(store, &books).await.len(), 151);
    end(store, &claim, SUCCESS, 153).await;
    queue(store, &books, Trigger::Api, 154).await;
    assert_eq!(kept(store, &books).await, [(53..=150).collect::<Vec<i64>>(), vec![152, 154]].concat());
}

async fn builds_that_ended_long_ago_are_forgotten(database: &Database) {
    let store = database.store();
    let (books, idle, scheduled) =
        (site(store, "books").await, site(store, "idle").await, site(store, "scheduled").await);
    for (site, trigger, second) in [
        (&books, Trigger::Api, 10),
        (&books, Trigger::Schedule, 20),
        (&books, Trigger::Api, 30),
        (&books, Trigger::Schedule, 40),
        (&books, Trigger::Api, 60),
        (&idle, Trigger::Api, 10),
        (&idle, Trigger::Cli, 20),
        (&scheduled, Trigger::Schedule, 10),
    ] {
        queue(store, site, trigger, second).await;
        end_all(store, site).await;
    }
    queue(store, &idle, Trigger::Schedule, 5).await;
    let forget = |second| write(store, move |tx| builds::forget_before(tx, at(second), 2));
    assert_eq!(forget(10).await, 0);
    let mut forgotten = Vec::new();
    while let most @ 1.. = forget(50).await {
        forgotten.push(most);
    }
    assert_eq!(forgotten, [2, 2, 2], "at most two at a time");
    assert_eq!(kept(store, &books).await, [60]);
    assert_eq!(kept(store, &idle).await, [5, 20], "the waiting build, and the newest requested one");
    assert_eq!(kept(store, &scheduled).await, [0; 0]);
}

async fn a_build_of_a_deleted_site_is_forgotten_like_any_other(database: &Database) {
    let store = database.store();
    let gone = site(store, "gone").await;
    queue(store, &gone, Trigger::Api, 1).await;
    delete_site(store, gone.id, 5).await;
    let build = builds_of(store, &gone).await.remove(0);
    assert_eq!((build.status, build.error.as_deref()), (BuildStatus::Failed, Some("the site was deleted")));
    assert_eq!(write(store, |tx| builds::forget_before(tx, at(5), 10)).await, 0);
    assert_eq!(write(store, |tx| builds::forget_before(tx, at(6), 10)).await, 1);
}
