//! Database and object store belong together.

use serde_json::json;

use crate::harness::recto::{Recto, text};
use crate::harness::server::page;

on_both_databases!(a_mistyped_database_cannot_empty_an_object_store);

fn a_mistyped_database_cannot_empty_an_object_store(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let mut body = page("a");
    body["build"] = json!(true);
    server.publish(&account.token, &body).expect(200);
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");
    server.stop();
    let before = recto.objects();
    assert!(!before.is_empty());

    // Another database on the same objects: neither a server nor a command may touch them.
    let objects = format!("file:{}", text(&recto.data().join("objects")));
    let mistyped = Recto::new().set("RECTO_OBJECTS_URL", &objects);
    let why = mistyped.refusal(&["serve"]);
    assert!(why.contains("another installation") && why.contains("recto objects adopt"), "{why}");
    assert!(mistyped.refusal(&["objects", "sweep", "--force"]).contains("does not belong"));
    assert_eq!(recto.objects(), before);

    let found = recto.json(&["objects", "check"]);
    assert_eq!(found, json!({ "objects": before.len(), "orphans": 0 }));
    let server = recto.start();
    assert_eq!(server.visit("acme.localhost", "/blog/a").status, 200);
    server.stop();

    mistyped.text(&["objects", "adopt"]);
    assert!(recto.refusal(&["serve"]).contains("another installation"));
    recto.text(&["objects", "adopt"]);
    assert_eq!(recto.start().visit("acme.localhost", "/blog/a").status, 200);
}
