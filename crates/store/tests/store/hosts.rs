use model::{SiteId, SiteName};
use store::hosts::{self, HostedSite, Protection};
use store::releases::{self, Move};
use store::{Store, accounts, sites};
use testing::Database;

use crate::{at, read, site, write};

testing::on_both_databases!(
    a_site_is_found_by_its_name,
    a_site_is_found_by_its_domains,
    a_host_has_one_site,
    a_domain_is_removed_by_its_own_site_only,
    a_sites_domains_are_listed_oldest_first,
    a_deleted_site_is_not_found,
    a_protected_site_says_so,
    the_sites_of_a_suspended_account_say_so,
    a_deleted_site_gets_no_domain,
);

async fn hosted(store: &Store, id: SiteId) -> HostedSite {
    let account = read(store, move |tx| sites::get(tx, id)).await.unwrap().account;
    HostedSite { id, account, release: None, protection: None, suspended: false }
}

async fn by_name(store: &Store, name: &str) -> Option<HostedSite> {
    let name = SiteName::parse(name).unwrap();
    read(store, move |tx| hosts::by_name(tx, &name)).await
}

async fn by_domain(store: &Store, host: &'static str) -> Option<HostedSite> {
    read(store, move |tx| hosts::by_domain(tx, host)).await
}

async fn add(store: &Store, host: &'static str, site: SiteId, second: i64) -> bool {
    write(store, move |tx| hosts::add(tx, host, site, at(second))).await
}

async fn remove(store: &Store, host: &'static str, site: SiteId) -> bool {
    write(store, move |tx| hosts::remove(tx, host, site)).await
}

async fn list(store: &Store, site: SiteId) -> Vec<String> {
    read(store, move |tx| hosts::list(tx, site)).await
}

async fn a_site_is_found_by_its_name(database: &Database) {
    let store = database.store();
    let id = site(store, "books").await.id;
    assert_eq!(by_name(store, "books").await, Some(hosted(store, id).await));
    assert_eq!(by_name(store, "nobody").await, None);
    write(store, move |tx| releases::go_live(tx, id, 7, Move::Build)).await;
    let renamed = SiteName::parse("renamed").unwrap();
    write(store, move |tx| sites::rename(tx, id, &renamed)).await;
    assert_eq!(by_name(store, "books").await, None);
    assert_eq!(
        by_name(store, "renamed").await,
        Some(HostedSite { release: Some(7), ..hosted(store, id).await })
    );
}

async fn a_site_is_found_by_its_domains(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for host in ["books.example.com", "www.example.com"] {
        assert!(add(store, host, books, 1).await);
    }
    write(store, move |tx| releases::go_live(tx, books, 7, Move::Build)).await;
    write(store, move |tx| releases::go_live(tx, other, 8, Move::Build)).await;
    for host in ["books.example.com", "www.example.com"] {
        assert_eq!(
            by_domain(store, host).await,
            Some(HostedSite { release: Some(7), ..hosted(store, books).await })
        );
    }
    assert_eq!(by_domain(store, "example.com").await, None);
}

async fn a_host_has_one_site(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    assert!(add(store, "example.com", books, 1).await);
    for site in [books, other] {
        assert!(!add(store, "example.com", site, 2).await);
    }
    assert_eq!(by_domain(store, "example.com").await, Some(hosted(store, books).await));
    assert_eq!(list(store, other).await, [""; 0]);
}

async fn a_domain_is_removed_by_its_own_site_only(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    add(store, "example.com", books, 1).await;
    assert!(!remove(store, "example.com", other).await);
    assert_eq!(by_domain(store, "example.com").await, Some(hosted(store, books).await));
    assert!(remove(store, "example.com", books).await);
    assert!(!remove(store, "example.com", books).await);
    assert_eq!(by_domain(store, "example.com").await, None);
    assert!(add(store, "example.com", other, 2).await, "it is free again");
}

async fn a_sites_domains_are_listed_oldest_first(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for (host, second) in [("b.com", 2), ("d.com", 1), ("c.com", 2), ("a.com", 3)] {
        add(store, host, books, second).await;
    }
    add(store, "other.com", other, 0).await;
    assert_eq!(list(store, books).await, ["d.com", "b.com", "c.com", "a.com"]);
}

async fn a_deleted_site_is_not_found(database: &Database) {
    let store = database.store();
    let (gone, stays) = (site(store, "gone").await.id, site(store, "stays").await.id);
    for (host, site) in [("gone.com", gone), ("www.gone.com", gone), ("stays.com", stays)] {
        add(store, host, site, 1).await;
    }
    assert!(write(store, move |tx| sites::delete(tx, gone, at(2))).await);
    assert_eq!(by_name(store, "gone").await, None);
    for host in ["gone.com", "www.gone.com"] {
        assert_eq!(by_domain(store, host).await, None);
    }
    assert_eq!(by_domain(store, "stays.com").await, Some(hosted(store, stays).await));
}

async fn a_protected_site_says_so(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    add(store, "example.com", books, 1).await;
    let protection = Protection { password_hash: "$argon2id$…".into(), cookie_key: vec![0, 255, 7] };
    let protect = |protection: Option<Protection>| {
        write(store, move |tx| hosts::protect(tx, books, protection.as_ref()))
    };
    protect(Some(protection.clone())).await;
    let expected = HostedSite { protection: Some(protection), ..hosted(store, books).await };
    assert_eq!(by_name(store, "books").await, Some(expected.clone()));
    assert_eq!(by_domain(store, "example.com").await, Some(expected));
    assert_eq!(by_name(store, "other").await, Some(hosted(store, other).await));
    protect(None).await;
    assert_eq!(by_name(store, "books").await, Some(hosted(store, books).await));
}

async fn the_sites_of_a_suspended_account_say_so(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    add(store, "example.com", books.id, 1).await;
    let account = books.account;
    for suspended_at in [Some(at(5)), None] {
        write(store, move |tx| accounts::set_suspended(tx, account, suspended_at)).await;
        let expected = HostedSite { suspended: suspended_at.is_some(), ..hosted(store, books.id).await };
        assert_eq!(by_name(store, "books").await, Some(expected.clone()));
        assert_eq!(by_domain(store, "example.com").await, Some(expected));
        assert_eq!(by_name(store, "other").await, Some(hosted(store, other.id).await));
    }
}

async fn a_deleted_site_gets_no_domain(database: &Database) {
    let store = database.store();
    let (gone, stays) = (site(store, "gone").await.id, site(store, "stays").await.id);
    assert!(write(store, move |tx| sites::delete(tx, gone, at(2))).await);
    assert!(!add(store, "example.com", gone, 3).await);
    assert!(add(store, "example.com", stays, 3).await, "it is free");
}
