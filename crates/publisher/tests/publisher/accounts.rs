use std::sync::Arc;

use model::{AccountName, SiteName, SystemClock};
use publisher::Publisher;
use serde_json::json;
use testing::Database;

use crate::World;

testing::on_both_databases!(
    the_first_set_up_happens_once_however_many_start,
    an_account_created_by_hand_counts_as_the_setup,
    the_first_site_takes_the_next_free_name,
    accounts_of_the_same_name_created_at_once_get_different_sites,
    a_site_is_created_found_renamed_and_deleted,
    unknown_names_are_refused_with_advice,
    an_account_s_usage_is_reported,
);

fn name(text: &str) -> AccountName {
    AccountName::parse(text).unwrap()
}

async fn the_first_set_up_happens_once_however_many_start(database: &Database) {
    let publishers: Vec<Publisher> = (0..4)
        .map(|_| {
            Publisher::new(database.open(), blob::Blob::memory(), Arc::new(SystemClock), crate::settings())
        })
        .collect();
    let set_up = |publisher: &Publisher| {
        let publisher = publisher.clone();
        tokio::spawn(async move { publisher.first_set_up(name("My site"), "pro").await.unwrap() })
    };
    let tasks: Vec<_> = publishers.iter().chain(&publishers).map(set_up).collect();
    let mut made = Vec::new();
    for task in tasks {
        made.extend(task.await.unwrap());
    }
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].deploy_url, "http://my-site.localhost:8081");
    assert_eq!(publishers[0].account_list().await.unwrap().len(), 1);
    publishers[1].authenticate(&made[0].token).await.unwrap();
}

async fn an_account_created_by_hand_counts_as_the_setup(database: &Database) {
    let world = World::new(database).await;
    assert!(world.publisher.first_set_up(name("My site"), "pro").await.unwrap().is_none());
}

async fn the_first_site_takes_the_next_free_name(database: &Database) {
    let world = World::new(database).await;
    for expected in ["books-2", "books-3"] {
        let account = world.publisher.account_create(name("Books!"), "pro").await.unwrap();
        assert_eq!(account.deploy_url, format!("http://{expected}.localhost:8081"));
    }
    let account = world.publisher.account_create(name("!!!"), "pro").await.unwrap();
    assert_eq!(account.deploy_url, "http://site.localhost:8081");
}

async fn accounts_of_the_same_name_created_at_once_get_different_sites(database: &Database) {
    let world = World::new(database).await;
    let create = || {
        let publisher = world.publisher.clone();
        tokio::spawn(async move { publisher.account_create(name("Books"), "pro").await.unwrap().deploy_url })
    };
    let tasks: Vec<_> = (0..8).map(|_| create()).collect();
    let mut urls = std::collections::BTreeSet::new();
    for task in tasks {
        urls.insert(task.await.unwrap());
    }
    let expected = (2..10).map(|number| format!("http://books-{number}.localhost:8081"));
    assert_eq!(urls, expected.collect());
}

async fn a_site_is_created_found_renamed_and_deleted(database: &Database) {
    let world = World::new(database).await;
    let publisher = &world.publisher;
    let (shop, store) = (SiteName::parse("shop").unwrap(), SiteName::parse("store").unwrap());
    let site = publisher.site_create(world.caller.account, shop.clone()).await.unwrap();
    let taken = publisher.site_create(world.caller.account, shop).await.unwrap_err();
    assert_eq!(taken.to_string(), "the site name \"shop\" is taken; choose another");
    for found in [site.id.to_string(), "shop".to_owned()] {
        assert_eq!(publisher.site_find(&found).await.unwrap(), site);
    }
    let renamed = publisher.site_rename(&site, store).await.unwrap();
    assert_eq!(publisher.site_find("store").await.unwrap(), renamed);
    let books = SiteName::parse("books").unwrap();
    let taken = publisher.site_rename(&renamed, books).await.unwrap_err();
    assert_eq!(taken.to_string(), "the site name \"books\" is taken; choose another");

    let pages = json!({"siteId": site.id.to_string(), "pages": [{"title": "A", "content": "text"}]});
    world.published(pages.clone()).await;
    publisher.site_delete(&renamed).await.unwrap();
    assert_eq!(publisher.site_list().await.unwrap().len(), 1);
    assert!(matches!(world.publish(pages).await, Err(publisher::Error::NoSuchSite)));
    assert_eq!(world.sweep_all().await, 1);
}

async fn unknown_names_are_refused_with_advice(database: &Database) {
    let world = World::new(database).await;
    let publisher = &world.publisher;
    let id = uuid::Uuid::nil();
    let account = model::AccountId(id);
    let no_account = format!("there is no account {id}; `recto account list` shows them");
    let shop = SiteName::parse("shop").unwrap();
    let errors = [
        publisher.account_show(account).await.unwrap_err(),
        publisher.account_suspend(account).await.unwrap_err(),
        publisher.account_set_plan(account, "free").await.unwrap_err(),
        publisher.site_create(account, shop).await.unwrap_err(),
        publisher.token_create(account, model::TokenName::default()).await.map(drop).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.to_string(), no_account);
    }
    let error = publisher.token_revoke(model::TokenId(id)).await.unwrap_err();
    assert_eq!(error.to_string(), format!("there is no token {id}; `recto token list` shows them"));
    for site in ["nowhere", "No Site", &id.to_string()] {
        let error = publisher.site_find(site).await.unwrap_err();
        assert_eq!(error.to_string(), format!("there is no site {site:?}; `recto site list` shows them"));
    }
    let error = publisher.account_create(name("A"), "gold").await.map(drop).unwrap_err();
    assert_eq!(error.to_string(), "there is no plan \"gold\"; the plans are: free, simple, pro");
}

async fn an_account_s_usage_is_reported(database: &Database) {
    let world = World::new(database).await;
    world.published(json!({"pages": [{"title": "A"}, {"title": "B"}], "build": true})).await;
    world.published(json!({"deleteSlugs": [{"slug": "a", "contentType": "blog"}]})).await;
    let usage = world.publisher.account_show(world.caller.account).await.unwrap();
    let expected = json!({
        "accountId": world.caller.account, "name": "Books", "plan": "pro", "createdAt": "2026-01-02T09:00:00.000Z",
        "suspendedAt": null, "sites": 1, "pages": 1, "deletedPages": 1, "buildsThisMonth": 1, "buildsPerMonth": 1000,
        "defaultSiteId": world.site, "sitesLimit": 100, "pagesLimit": 250_000, "textUsedBytes": 0, "textLimitBytes": 20_u64 << 30,
        "storageUsedBytes": 0, "storageLimitBytes": 100_u64 << 30, "fileSizeLimitBytes": 10_u64 << 30,
    });
    assert_eq!(serde_json::to_value(usage).unwrap(), expected);
}
