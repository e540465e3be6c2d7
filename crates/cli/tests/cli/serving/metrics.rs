//! Metrics are on a separate listener, and only if it is configured.

use crate::harness::recto::Recto;
use crate::harness::server::free_port;

#[test]
fn metrics_are_on_the_admin_listener_only() {
    let port = free_port();
    let recto = Recto::new().set("RECTO_ADMIN_LISTEN", &format!("127.0.0.1:{port}"));
    let (account, server) = (recto.account("Acme"), recto.start());
    server.list(&account.token).expect(200);
    assert_eq!(server.get("/metrics").expect(404)["error"], "not found");

    let metrics = reqwest::blocking::get(format!("http://127.0.0.1:{port}/metrics")).unwrap().text().unwrap();
    let counter = r#"recto_http_requests_total{method="GET",route="/api/v1/public/pages",status="200"} 1"#;
    assert!(metrics.lines().any(|line| line == counter), "{metrics}");
    let foreign = reqwest::blocking::get(format!("http://127.0.0.1:{port}/api/v1/public/pages")).unwrap();
    assert_eq!(foreign.status(), 404);
    server.stop();
}

#[test]
fn out_of_the_box_there_are_none() {
    let server = Recto::new().start();
    assert_eq!(server.get("/metrics").status, 404);
}
