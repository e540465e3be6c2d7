//! One machine of a fleet has a wrong clock or a full disk: the others go on, and nothing goes wrong.

use reqwest::Method;
use serde_json::json;

use crate::harness::process::{Process, wait_until};
use crate::harness::recto::Recto;
use crate::harness::server::page;
use crate::nodes::fleet::Fleet;

const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

#[test]
fn clocks_that_are_wrong_by_an_hour_break_no_build() {
    if !std::path::Path::new(FAKETIME).exists() {
        return testing::skip("faketime is not installed");
    }
    let (Some(fleet), Some(s3)) = (Fleet::new(), testing::server(testing::S3)) else { return };
    // Other S3 servers refuse what is signed with such a clock; see below.
    let fleet = fleet.set("AWS_ENDPOINT_URL", &s3);
    let account = fleet.recto.account("Acme");
    let ahead = [("LD_PRELOAD", FAKETIME), ("FAKETIME", "+1h")];
    let behind = [("LD_PRELOAD", FAKETIME), ("FAKETIME", "-1h")];
    let apis = [fleet.node("api"), fleet.node_with("api", &ahead), fleet.node_with("api", &behind)];
    let _workers = [fleet.node_with("worker", &behind), fleet.node_with("worker", &ahead)];
    let sites = fleet.node("sites");
    for (number, api) in apis.iter().cycle().take(12).enumerate() {
        let title = format!("Title-{number}-");
        let body = json!({ "slug": "a", "title": title, "build": true });
        api.call(Method::POST, "/pages", &account.token, Some(&body)).unwrap().expect(200);
        wait_until("it is live", || {
            sites.visit("acme.localhost", "/blog/a").is_ok_and(|page| page.body.contains(&title))
        });
    }
    assert_eq!(fleet.recto.query("SELECT count(*) FROM builds WHERE status <> 'success'"), 0);
}

#[test]
fn an_object_store_that_checks_signatures_refuses_a_clock_that_is_wrong_by_an_hour() {
    if !std::path::Path::new(FAKETIME).exists() {
        return testing::skip("faketime is not installed");
    }
    let Some(recto) = Recto::of_nodes() else { return };
    recto.account("Acme");
    let mut command = recto.command(&["serve"]);
    command.env("LD_PRELOAD", FAKETIME).env("FAKETIME", "+1h");
    let ended = Process::start(command).wait();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("RequestTimeTooSkewed"), "{ended:?}");
}

#[test]
fn a_full_disk_of_one_machine_stops_only_that_one() {
    let Some(fleet) = Fleet::new() else { return };
    let account = fleet.recto.account("Acme");
    let full = [("RECTO_STORE_MIN_FREE", "1000000 GB")];
    let (low, other) = (fleet.node_with("api", &full), fleet.node("api"));
    let (_low_worker, _worker) = (fleet.node_with("worker", &full), fleet.node("worker"));
    let sites = fleet.node_with("sites", &full);
    let publish = |api: &crate::nodes::fleet::Node, slug: &str| {
        api.call(Method::POST, "/pages", &account.token, Some(&page(slug))).unwrap()
    };
    publish(&low, "a").expect(507);
    publish(&other, "a").expect(200);
    other.call(Method::POST, "/builds", &account.token, None).unwrap().expect(202);
    wait_until("another worker has built it", || {
        sites.visit("acme.localhost", "/blog/a").is_ok_and(|page| page.status == 200)
    });
    assert_eq!(low.ready().unwrap().expect(200)["disk"], "nearly full: nothing new is stored");
    assert_eq!(other.ready().unwrap().expect(200), json!({ "status": "ready" }));
}
