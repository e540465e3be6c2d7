use model::{BuildId, BuildStatus, SiteId, Trigger};
use store::Store;
use store::builds::{self, Build};
use store::sites::Site;
use testing::Database;

use crate::{at, read, site, write};

testing::on_both_databases!(the_newest_build_is_the_latest, a_scheduled_build_is_not_the_latest);

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
