//! Objects in an S3 server with TLS, whose certificate is checked.

use crate::harness::recto::Recto;
use crate::harness::server::page;

fn with_objects_at(url: &str) -> Recto {
    // The tests may run behind a proxy.
    let recto = Recto::new().set("RECTO_OBJECTS_URL", "s3://recto/tls").set("NO_PROXY", "127.0.0.1");
    recto.set("AWS_ENDPOINT_URL", url).set("AWS_ACCESS_KEY_ID", "test").set("AWS_SECRET_ACCESS_KEY", "test")
}

#[test]
fn a_site_is_stored_and_served_over_tls() {
    let (Some(url), Some(ca)) = (testing::server(testing::S3_TLS), testing::server(testing::S3_CA)) else {
        return;
    };
    let untrusting = with_objects_at(&url).run(&["doctor"]);
    assert_eq!(untrusting.code, Some(1), "{untrusting:?}");
    assert!(untrusting.stdout.contains("certificate"), "{untrusting:?}");

    let recto = with_objects_at(&url).set("SSL_CERT_FILE", &ca);
    let account = recto.account("acme");
    let server = recto.start();
    server.publish(&account.token, &page("hello")).expect(200);
    server.build(&account.token).expect(202);
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");
    assert_eq!(server.visit("acme.localhost", "/blog/hello").status, 200);
}
