//! The database of a fleet is gone, silent, or replaced: sites stay up, the API says so, everything recovers by itself.

use reqwest::Method;
use serde_json::json;
use testing::Cluster;

use crate::harness::process::wait_until;
use crate::harness::recto::Account;
use crate::harness::server::page;
use crate::nodes::fleet::{Fleet, Node};

const HOST: &str = "acme.localhost";

fn publish(api: &Node, account: &Account, title: &str) {
    let body = json!({ "slug": "a", "title": title, "build": true });
    api.call(Method::POST, "/pages", &account.token, Some(&body)).unwrap().expect(200);
}

fn shows(sites: &Node, title: &str) -> bool {
    sites.visit(HOST, "/blog/a").is_ok_and(|page| page.status == 200 && page.body.contains(title))
}

#[test]
fn each_role_says_whether_it_can_serve_without_the_database() {
    let database = Cluster::start();
    let Some(fleet) = Fleet::on(&database) else { return };
    let account = fleet.recto.account("Acme");
    let (api, sites, worker) = (fleet.node("api"), fleet.node("sites"), fleet.node("worker"));
    let unknowing = fleet.node("sites");
    publish(&api, &account, "Before");
    wait_until("it is served", || shows(&sites, "Before"));

    database.stop();
    for node in [&api, &worker, &unknowing] {
        wait_until("it is not ready", || node.ready().is_some_and(|answer| answer.status == 503));
    }
    let refused =
        api.call(Method::POST, "/pages", &account.token, Some(&page("during"))).unwrap().expect(503);
    assert_eq!(refused["error"], "service unavailable");
    // What is known is served.
    for _ in 0..20 {
        assert!(shows(&sites, "Before"));
    }
    let ready = sites.ready().unwrap().expect(200);
    assert_eq!(ready, json!({ "status": "ready", "database": "unavailable: sites are served as they were" }));

    database.start_again();
    for node in [&api, &worker, &unknowing] {
        wait_until("it is ready", || node.ready().is_some_and(|answer| answer.status == 200));
    }
    publish(&api, &account, "After");
    wait_until("changes are seen again", || shows(&sites, "After") && shows(&unknowing, "After"));
    assert_eq!(sites.ready().unwrap().expect(200), json!({ "status": "ready" }));
}

#[test]
fn a_silent_database_delays_no_visitor_of_a_known_page() {
    let database = Cluster::start();
    let Some(fleet) = Fleet::on(&database) else { return };
    let account = fleet.recto.account("Acme");
    let (api, sites, _worker) = (fleet.node("api"), fleet.node("sites"), fleet.node("worker"));
    publish(&api, &account, "Before");
    wait_until("it is served", || shows(&sites, "Before"));
    database.freeze();
    for _ in 0..50 {
        assert!(shows(&sites, "Before"));
    }
    assert_eq!(api.ready().unwrap().status, 503);
    database.thaw();
    wait_until("it is ready", || api.ready().is_some_and(|answer| answer.status == 200));
    publish(&api, &account, "After");
    wait_until("the change is seen", || shows(&sites, "After"));
}

/// As after a failover: another server, with all that was committed, under the same address.
#[test]
fn another_server_takes_over_under_the_same_address() {
    let database = Cluster::start();
    let Some(fleet) = Fleet::on(&database) else { return };
    let account = fleet.recto.account("Acme");
    let (api, sites, _worker) = (fleet.node("api"), fleet.node("sites"), fleet.node("worker"));
    for round in 0..3 {
        let title = format!("Round {round}");
        publish(&api, &account, &title);
        // The build may be running, or still wait.
        database.stop();
        database.start_again();
        wait_until("it is built and seen", || shows(&sites, &title));
    }
    let builds = "SELECT count(*) FROM builds";
    let client = || ::postgres::Client::connect(&database.url(), ::postgres::NoTls).unwrap();
    let all: i64 = client().query_one(builds, &[]).unwrap().get(0);
    let ended = format!("{builds} WHERE status = 'success'");
    wait_until("every build has ended well", || {
        client().query_one(&ended, &[]).unwrap().get::<_, i64>(0) == all
    });
}
