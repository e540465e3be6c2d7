//! The object store fails in several ways: nothing is lost, nothing wrong is served, and everything recovers by itself.

use reqwest::Method;
use serde_json::json;

use crate::harness::process::wait_until;
use crate::nodes::fleet::{Fleet, Node};
use crate::nodes::proxy::{Fault, HttpProxy};

const HOST: &str = "acme.localhost";

/// A fleet whose objects are behind a proxy, with a page that was built.
fn fleet() -> Option<(Fleet, HttpProxy)> {
    let proxy = HttpProxy::start(&testing::server(testing::SEAWEED)?);
    let fleet = Fleet::new()?.set("AWS_ENDPOINT_URL", &proxy.url());
    Some((fleet, proxy))
}

fn publish(api: &Node, token: &str, title: &str) {
    let body = json!({ "slug": "a", "title": title, "content": format!("{title} text"), "build": true });
    api.call(Method::POST, "/pages", token, Some(&body)).unwrap().expect(200);
}

fn status(api: &Node, token: &str) -> String {
    let build = api.call(Method::GET, "/builds/latest", token, None).unwrap().expect(200);
    build["status"].as_str().unwrap().to_owned()
}

#[test]
fn a_third_of_the_calls_may_fail() {
    let Some((fleet, proxy)) = fleet() else { return };
    let account = fleet.recto.account("Acme");
    let (api, sites, _worker) = (fleet.node("api"), fleet.node("sites"), fleet.node("worker"));
    proxy.set(Fault::EveryThird);
    let before = proxy.requests();
    for number in 0..5 {
        publish(&api, &account.token, &format!("Title {number}"));
        wait_until("it is built", || status(&api, &account.token) == "success");
        let file = api.upload(&account.token, "a.zip", &vec![number; 10_000]).unwrap().expect(200);
        let url = file["url"].as_str().unwrap();
        assert_eq!(sites.visit(HOST, url).unwrap().body.len(), 10_000);
        wait_until("it is served", || {
            let page = sites.visit(HOST, "/blog/a").unwrap();
            page.status == 200 && page.body.contains(&format!("Title {number}"))
        });
    }
    assert!(proxy.requests() - before > 20, "{}", proxy.requests());
}

#[test]
fn a_slow_object_store_delays_only_those_who_need_it() {
    let Some((fleet, proxy)) = fleet() else { return };
    let account = fleet.recto.account("Acme");
    let (api, sites, _worker) = (fleet.node("api"), fleet.node("sites"), fleet.node("worker"));
    publish(&api, &account.token, "Before");
    wait_until("it is served", || sites.visit(HOST, "/blog/a").is_ok_and(|page| page.status == 200));
    proxy.set(Fault::Slow);
    let requests = proxy.requests();
    for _ in 0..50 {
        assert_eq!(sites.visit(HOST, "/blog/a").unwrap().status, 200);
        api.call(Method::GET, "/pages", &account.token, None).unwrap().expect(200);
    }
    // The worker may clean up meanwhile.
    assert!(proxy.requests() < requests + 20, "{} and {requests}", proxy.requests());
    publish(&api, &account.token, "After");
    wait_until("the next release is served", || {
        sites.visit(HOST, "/blog/a").is_ok_and(|page| page.body.contains("After"))
    });
}

#[test]
fn a_wrong_byte_is_never_served() {
    let Some((fleet, proxy)) = fleet() else { return };
    let account = fleet.recto.account("Acme");
    let (api, _worker) = (fleet.node("api"), fleet.node("worker"));
    publish(&api, &account.token, "Title");
    wait_until("it is built", || status(&api, &account.token) == "success");
    proxy.set(Fault::WrongByte);
    // It has nothing in memory.
    let sites = fleet.node("sites");
    for _ in 0..3 {
        assert!(sites.visit(HOST, "/blog/a").unwrap().status >= 500);
    }
    assert!(sites.log().contains("damaged"), "{}", sites.log());
    proxy.set(Fault::None);
    wait_until("the right bytes are served", || {
        sites.visit(HOST, "/blog/a").is_ok_and(|page| page.status == 200 && page.body.contains("Title text"))
    });
}

#[test]
fn while_the_object_store_is_gone_known_pages_are_served_and_builds_wait() {
    let Some((fleet, proxy)) = fleet() else { return };
    let account = fleet.recto.account("Acme");
    let (api, sites, _worker) = (fleet.node("api"), fleet.node("sites"), fleet.node("worker"));
    publish(&api, &account.token, "Before");
    wait_until("it is served", || sites.visit(HOST, "/blog/a").is_ok_and(|page| page.status == 200));
    proxy.set(Fault::Gone);
    publish(&api, &account.token, "Meanwhile");
    let refused = api.upload(&account.token, "a.zip", &[1; 1000]).unwrap().expect(503);
    assert_eq!(refused["error"], "service unavailable");
    for _ in 0..20 {
        let page = sites.visit(HOST, "/blog/a").unwrap();
        assert!(page.status == 200 && page.body.contains("Before"), "{}", page.body);
        assert_ne!(status(&api, &account.token), "failed");
    }
    proxy.set(Fault::None);
    wait_until("the waiting build is live", || {
        sites.visit(HOST, "/blog/a").is_ok_and(|page| page.body.contains("Meanwhile"))
    });
}
