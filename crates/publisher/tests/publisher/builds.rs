use std::time::Duration;

use model::{SiteName, Timestamp};
use publisher::{Error, Publisher};
use serde_json::{Value, json};
use testing::Database;

use crate::World;

testing::on_both_databases!(
    a_queued_build_is_the_latest,
    a_second_build_waits_for_the_cooldown,
    a_cooldown_of_zero_is_none,
    the_quota_counts_accepted_builds_of_all_sites,
    a_new_month_brings_new_builds,
    pages_are_saved_although_the_build_is_refused,
    of_builds_at_once_one_is_queued,
    builds_at_once_never_pass_the_quota,
    a_postponed_build_runs_when_the_cooldown_is_over,
    triggers_during_one_cooldown_count_once,
);

impl World {
    async fn build(&self) -> Result<Value, Error> {
        let queued = self.publisher.trigger_build(&self.caller, None).await?;
        Ok(serde_json::to_value(queued).unwrap())
    }

    async fn on_plan(mut self, plan: &str) -> World {
        self.publisher.account_set_plan(self.caller.account, plan).await.unwrap();
        self.caller = self.publisher.authenticate(&self.token).await.unwrap();
        self
    }

    pub(crate) fn without_cooldown(self) -> World {
        self.with_settings(publisher::Settings { build_cooldown: Duration::ZERO, ..crate::settings() })
    }

    fn postponing(self) -> World {
        self.with_settings(publisher::Settings { postpone_builds: true, ..crate::settings() })
    }

    fn with_settings(mut self, settings: publisher::Settings) -> World {
        self.publisher = Publisher::new(self.store.clone(), self.blob.clone(), self.clock.clone(), settings);
        self
    }
}

async fn a_queued_build_is_the_latest(database: &Database) {
    let world = World::new(database).await;
    let none = world.publisher.latest_build(&world.caller, None).await;
    assert!(matches!(none, Err(Error::NoBuild)), "{none:?}");
    let expected = json!({"status": "queued", "deployUrl": "http://books.localhost:8081", "message": "build queued successfully"});
    assert_eq!(world.build().await.unwrap(), expected);
    let latest = world.publisher.latest_build(&world.caller, Some(world.site)).await.unwrap();
    let expected = json!({
        "id": latest.id, "status": "queued", "triggeredBy": "api", "durationMs": null, "startedAt": null,
        "completedAt": null, "createdAt": "2026-01-02T09:00:00.000Z",
    });
    assert_eq!(serde_json::to_value(latest).unwrap(), expected);
    world.clock.advance(Duration::from_secs(30));
    world.published(json!({"build": true})).await;
    let latest = world.publisher.latest_build(&world.caller, None).await.unwrap();
    assert_eq!(latest.triggered_by, "publish");
}

async fn a_second_build_waits_for_the_cooldown(database: &Database) {
    let world = World::new(database).await;
    world.build().await.unwrap();
    for (advance, expected) in [(0, 30), (500, 30), (500, 29), (28_999, 1)] {
        world.clock.advance(Duration::from_millis(advance));
        match world.build().await {
            Err(Error::BuildCooldown { seconds }) => assert_eq!(seconds, expected),
            other => panic!("{other:?}"),
        }
    }
    world.clock.advance(Duration::from_millis(1));
    world.build().await.unwrap();
}

async fn a_cooldown_of_zero_is_none(database: &Database) {
    let world = World::new(database).await.without_cooldown();
    for _ in 0..3 {
        world.build().await.unwrap();
    }
}

async fn the_quota_counts_accepted_builds_of_all_sites(database: &Database) {
    let world = World::new(database).await.on_plan("free").await;
    world.clock.advance(Duration::from_secs(1));
    let name = SiteName::parse("second").unwrap();
    let second = world.publisher.site_create(world.caller.account, name).await.unwrap();
    world.build().await.unwrap();
    // Refused by the cooldown: not counted.
    assert!(matches!(world.build().await, Err(Error::BuildCooldown { .. })));
    world.publisher.trigger_build(&world.caller, Some(second.id)).await.unwrap();
    world.publisher.site_delete(&second).await.unwrap();
    world.clock.advance(Duration::from_secs(30));
    world.build().await.unwrap();
    // The quota is checked before the cooldown.
    let refused = world.build().await;
    assert!(matches!(refused, Err(Error::BuildQuota { limit: 3 })), "{refused:?}");
    let usage = world.publisher.account_show(world.caller.account).await.unwrap();
    assert_eq!((usage.builds_this_month, usage.builds_per_month), (3, Some(3)));
}

async fn a_new_month_brings_new_builds(database: &Database) {
    let world = World::new(database).await.on_plan("free").await.without_cooldown();
    world.clock.set(Timestamp::parse_iso("2026-01-31T23:59:59.999Z").unwrap());
    for _ in 0..3 {
        world.build().await.unwrap();
    }
    assert!(matches!(world.build().await, Err(Error::BuildQuota { .. })));
    world.clock.advance(Duration::from_millis(1));
    for _ in 0..3 {
        world.build().await.unwrap();
    }
    assert!(matches!(world.build().await, Err(Error::BuildQuota { .. })));
}

async fn pages_are_saved_although_the_build_is_refused(database: &Database) {
    let world = World::new(database).await.on_plan("free").await;
    world.build().await.unwrap();
    let answer = world.publish(json!({"pages": [{"title": "A"}], "build": true})).await.unwrap();
    let message = "the site was built a moment ago; try again in 30 seconds";
    assert_eq!(answer["build"], json!({"error": "build cooldown active", "message": message}));
    world.page("a").await;
    for _ in 0..2 {
        world.clock.advance(Duration::from_secs(30));
        world.build().await.unwrap();
    }
    let answer = world.publish(json!({"pages": [{"title": "B"}], "build": true})).await.unwrap();
    let message = "the plan allows 3 builds a month, and all of them are used";
    assert_eq!(answer["build"], json!({"error": "build quota exceeded", "message": message}));
    world.page("b").await;
}

async fn build_at_once(world: &World, times: usize) -> usize {
    let build = || {
        let (publisher, caller) = (world.publisher.clone(), world.caller.clone());
        tokio::spawn(async move { publisher.trigger_build(&caller, None).await.is_ok() })
    };
    let tasks: Vec<_> = (0..times).map(|_| build()).collect();
    let mut queued = 0;
    for task in tasks {
        queued += usize::from(task.await.unwrap());
    }
    queued
}

async fn of_builds_at_once_one_is_queued(database: &Database) {
    let world = World::new(database).await;
    assert_eq!(build_at_once(&world, 16).await, 1);
    let usage = world.publisher.account_show(world.caller.account).await.unwrap();
    assert_eq!(usage.builds_this_month, 1);
}

async fn builds_at_once_never_pass_the_quota(database: &Database) {
    let world = World::new(database).await.on_plan("free").await.without_cooldown();
    assert_eq!(build_at_once(&world, 16).await, 3);
}

async fn a_postponed_build_runs_when_the_cooldown_is_over(database: &Database) {
    let world = World::new(database).await.postponing();
    world.published(json!({"pages": [{"title": "One"}], "build": true})).await;
    assert!(world.publisher.run_next_build().await.unwrap());
    world.clock.advance(Duration::from_secs(10));
    let answer = world.published(json!({"pages": [{"title": "Two"}], "build": true})).await;
    assert_eq!(answer["build"]["status"], "queued");
    assert!(!world.publisher.run_next_build().await.unwrap(), "it waits");
    assert_eq!(world.publisher.latest_build(&world.caller, None).await.unwrap().status, "queued");
    // Pages published while it waits are on the site, too.
    world.clock.advance(Duration::from_secs(5));
    world.published(json!({"pages": [{"title": "Three"}], "build": true})).await;
    world.clock.advance(Duration::from_millis(11_999));
    assert!(!world.publisher.run_next_build().await.unwrap(), "it still waits");
    world.clock.advance(Duration::from_secs(1));
    assert!(world.publisher.run_next_build().await.unwrap());
    assert_eq!(world.publisher.latest_build(&world.caller, None).await.unwrap().status, "success");
    assert!(!world.publisher.run_next_build().await.unwrap(), "that was all");
    // The next cooldown began with it.
    world.build().await.unwrap();
    assert!(!world.publisher.run_next_build().await.unwrap());
    world.clock.advance(Duration::from_secs(30));
    assert!(world.publisher.run_next_build().await.unwrap());
}

async fn triggers_during_one_cooldown_count_once(database: &Database) {
    let world = World::new(database).await.on_plan("free").await.postponing();
    for _ in 0..5 {
        world.build().await.unwrap();
        world.clock.advance(Duration::from_secs(1));
    }
    let usage = world.publisher.account_show(world.caller.account).await.unwrap();
    assert_eq!(usage.builds_this_month, 2);
    world.clock.advance(Duration::from_secs(60));
    assert!(world.publisher.run_next_build().await.unwrap());
    world.build().await.unwrap();
    // The quota is used up, but the waiting build includes the new pages.
    assert!(matches!(world.build().await, Err(Error::BuildQuota { limit: 3 })));
}
