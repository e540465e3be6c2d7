//! PgBouncer between Recto and PostgreSQL.

use testing::{Cluster, Pooler};

use crate::harness::process::wait_until;
use crate::harness::recto::Recto;
use crate::harness::server::page;

#[test]
fn a_pooler_in_session_mode_works() {
    let database = Cluster::start();
    let pooler = Pooler::start(&database, "session");
    let recto = Recto::new().set("RECTO_STORE_URL", &pooler.url()).set("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
    let account = recto.account("acme");
    let server = recto.start();
    for slug in ["one", "two"] {
        server.publish(&account.token, &page(slug)).expect(200);
        server.build(&account.token).expect(202);
        assert_eq!(server.wait_for_build(&account.token)["status"], "success");
    }
    let status = |path: &str| server.visit("acme.localhost", path).status;
    assert_eq!((status("/blog/one"), status("/blog/two")), (200, 200));
    // Another process changes what visitors get: the server is notified.
    recto.text(&["site", "rollback", "acme"]);
    wait_until("the rollback is visible", || status("/blog/two") == 404);
    assert_eq!(status("/blog/one"), 200);
    server.stop();
}

/// Notifications would be lost, and visitors would get old releases.
#[test]
fn a_pooler_in_transaction_mode_is_refused() {
    let database = Cluster::start();
    let pooler = Pooler::start(&database, "transaction");
    let recto = Recto::new().set("RECTO_STORE_URL", &pooler.url());
    for command in [&["serve"][..], &["account", "create", "acme"]] {
        let why = recto.refusal(command);
        assert!(why.contains("pool_mode = session"), "{why}");
    }
}
