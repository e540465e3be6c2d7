//! What a process with some of the roles does, and what it leaves to others.

use reqwest::Method;
use serde_json::json;

use crate::harness::process::{Process, wait_until};
use crate::harness::recto::Recto;
use crate::harness::server::{free_port, page};
use crate::nodes::fleet::Fleet;

#[test]
fn each_role_does_its_part() {
    let Some(fleet) = Fleet::new() else { return };
    let account = fleet.recto.account("Acme");
    let api = fleet.node("api");
    api.call(Method::POST, "/pages", &account.token, Some(&page("hello"))).unwrap().expect(200);
    api.call(Method::POST, "/builds", &account.token, None).unwrap().expect(202);
    let sites = fleet.node("sites");
    assert_eq!(sites.visit("acme.localhost", "/blog/hello").unwrap().status, 404);
    let latest = || api.call(Method::GET, "/builds/latest", &account.token, None).unwrap().expect(200);
    assert_eq!(latest()["status"], "queued");

    let worker = fleet.node("worker");
    wait_until("the worker has built", || latest()["status"] == "success");
    wait_until("the site is served", || sites.visit("acme.localhost", "/blog/hello").unwrap().status == 200);
    // Health is also checked where the load balancer sends the requests.
    let by_address = sites.visit("127.0.0.1", "/readyz").unwrap();
    assert_eq!(by_address.expect(200), json!({ "status": "ready" }));
    assert_eq!(sites.visit("other.localhost", "/readyz").unwrap().status, 404);
    assert!(worker.log().contains("worker"), "{}", worker.log());
}

#[test]
fn roles_are_given_as_an_option_or_in_the_environment() {
    let recto = Recto::new().set("RECTO_ROLES", "sites");
    for arguments in [&["serve"][..], &[]] {
        let process = Process::start(recto.command(arguments));
        wait_until("it prints what it does", || process.stdout().contains("Recto serves sites on http://"));
        assert!(!process.stdout().contains("API"), "{}", process.stdout());
    }
    let both = Process::start(recto.command(&["serve", "--role", "api,worker"]));
    wait_until("it prints what it does", || both.stdout().contains("Recto listens on http://"));
    assert!(!both.stdout().contains("sites on"), "{}", both.stdout());
    assert!(Recto::new().refusal(&["serve", "--role", "web"]).contains("web"));
}

#[test]
fn a_process_that_only_works_reports_its_health_on_the_admin_listener() {
    let port = free_port();
    let recto = Recto::new().set("RECTO_ADMIN_LISTEN", &format!("127.0.0.1:{port}"));
    let worker = Process::start(recto.command(&["serve", "--role", "worker"]));
    let get = |path: &str| reqwest::blocking::get(format!("http://127.0.0.1:{port}{path}"));
    wait_until("it is ready", || get("/readyz").is_ok_and(|answer| answer.status() == 200));
    assert_eq!(get("/healthz").unwrap().status(), 200);
    // Without the API there is no account to show a token of.
    assert!(!worker.stdout().contains("Token"), "{}", worker.stdout());
    assert_eq!(recto.query("SELECT count(*) FROM accounts"), 0);
}
