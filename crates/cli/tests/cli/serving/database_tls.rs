//! A server whose connections to PostgreSQL are encrypted, and whose password is not in the URL.

use testing::Database;

use crate::harness::recto::Recto;
use crate::harness::server::page;

const PASSWORD: &str = "the-secret-of-the-tests";

/// A database, its URL without the password, and the file of its authority.
fn server() -> Option<(Database, String, String)> {
    let database = Database::postgres()?;
    let url = database.tls_url()?.replace(&format!(":{PASSWORD}@"), "@");
    Some((database, url, testing::server(testing::POSTGRES_CA)?))
}

#[test]
fn a_site_is_published_over_tls_with_the_password_of_the_environment() {
    let Some((_database, url, ca)) = server() else { return };
    let url = format!("{url}&sslmode=verify-full&sslrootcert={ca}");
    let recto = Recto::new().set("RECTO_STORE_URL", &url).set("PGPASSWORD", PASSWORD);
    let account = recto.account("acme");
    let server = recto.start();
    server.publish(&account.token, &page("hello")).expect(200);
    server.build(&account.token).expect(202);
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");
    assert_eq!(server.visit("acme.localhost", "/blog/hello").status, 200);
    let doctor = recto.text(&["doctor"]);
    assert!(!doctor.contains(PASSWORD), "{doctor}");
    assert!(!server.stop().contains(PASSWORD));
}

#[test]
fn the_certificates_of_the_system_and_a_password_file_are_used() {
    let Some((_database, url, ca)) = server() else { return };
    let recto = Recto::new().set("RECTO_STORE_URL", &format!("{url}&sslmode=verify-full"));
    let passwords = recto.write_file("passwords", &format!("127.0.0.1:*:*:postgres:{PASSWORD}\n"));
    let recto = recto.set("PGPASSFILE", passwords.to_str().unwrap()).set("SSL_CERT_FILE", &ca);
    recto.account("acme");
    let unknown = recto.set("SSL_CERT_FILE", "/etc/hostname").refusal(&["serve"]);
    assert!(unknown.contains("sslrootcert"), "{unknown}");
}

#[test]
fn a_wrong_password_is_reported_and_not_shown() {
    let Some((_database, url, _)) = server() else { return };
    let recto = Recto::new().set("RECTO_STORE_URL", &url).set("PGPASSWORD", "a-wrong-secret");
    for command in ["serve", "doctor"] {
        let ended = recto.run(&[command]);
        let output = format!("{}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.code, Some(1), "{output}");
        assert!(output.contains("password authentication failed"), "{output}");
        assert!(!output.contains("a-wrong-secret"), "{output}");
    }
    let missing = Recto::new().set("RECTO_STORE_URL", &url).refusal(&["serve"]);
    assert!(missing.contains("password"), "{missing}");
}
