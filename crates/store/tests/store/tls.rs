//! Encrypted connections to PostgreSQL: what each `sslmode` accepts, and how failures are explained.

use std::io::{Read, Write};
use std::net::TcpListener;

use store::{Error, LeaseClock, Location, Store, Tx};
use testing::Database;

use crate::read;

fn open(url: String) -> Result<Store, Error> {
    Store::open(&Location::Postgres { url, connections: 1, leases: LeaseClock::Database })
}

/// Whether the connection of a transaction is encrypted, as the server sees it.
fn is_encrypted(tx: &mut Tx) -> Result<bool, Error> {
    let sql = "SELECT CAST(CAST(ssl AS int) AS bigint) FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    Ok(tx.query_one(sql, &[], |row| row.get::<i64>(0))? == Some(1))
}

/// Whether connections to a URL are encrypted, or the error of the first one.
fn encryption(url: String) -> Result<bool, String> {
    let store = open(url).map_err(|error| {
        assert!(!error.to_string().contains("the-secret-of-the-tests"), "{error}");
        error.to_string()
    })?;
    Ok(testing::block_on(read(&store, is_encrypted)))
}

/// A database, its URL for TLS, its authority, and another authority.
fn server() -> Option<(Database, String, String, String)> {
    let database = Database::postgres()?;
    let url = database.tls_url()?;
    Some((database, url, testing::server(testing::POSTGRES_CA)?, testing::server(testing::S3_CA)?))
}

#[test]
fn each_mode_encrypts_and_checks_as_libpq_does() {
    let Some((_database, url, ours, other)) = server() else { return };
    let check = |parameters: String, expected: Result<bool, &str>| {
        let found = encryption(format!("{url}{parameters}"));
        match (&found, expected) {
            (Err(error), Err(named)) => assert!(error.contains(named), "{parameters}: {error}"),
            (found, expected) => {
                assert_eq!(found.as_ref().ok(), expected.as_ref().ok(), "{parameters}: {found:?}")
            }
        }
    };
    check(String::new(), Ok(true));
    check("&sslmode=disable".into(), Ok(false));
    check("&sslmode=prefer".into(), Ok(true));
    check("&sslmode=require".into(), Ok(true));
    check(format!("&sslmode=prefer&sslrootcert={other}"), Ok(true));
    check(format!("&sslmode=require&sslrootcert={ours}"), Ok(true));
    check(format!("&sslmode=verify-ca&sslrootcert={ours}"), Ok(true));
    check(format!("&sslmode=verify-full&sslrootcert={ours}"), Ok(true));
    for mode in ["require", "verify-ca", "verify-full"] {
        check(format!("&sslmode={mode}&sslrootcert={other}"), Err("signed by an unknown authority"));
    }
    check("&sslmode=verify".into(), Err("sslmode=verify is none of disable, prefer"));
    check("&sslmode=verify-full&sslrootcert=/nowhere".into(), Err("sslrootcert=/nowhere: "));
    let empty = tempfile::NamedTempFile::new().unwrap();
    let parameters = format!("&sslmode=verify-ca&sslrootcert={}", empty.path().display());
    check(parameters, Err("contains no certificate"));
}

#[test]
fn the_name_of_the_server_counts_in_verify_full_only() {
    let Some((_database, url, ours, _)) = server() else { return };
    // The certificate is for 127.0.0.1.
    let url = url.replace("127.0.0.1", "localhost");
    assert_eq!(encryption(format!("{url}&sslmode=verify-ca&sslrootcert={ours}")), Ok(true));
    let error = encryption(format!("{url}&sslmode=verify-full&sslrootcert={ours}")).unwrap_err();
    assert!(error.contains("not valid for the name localhost") && error.contains("verify-ca"), "{error}");
}

#[test]
fn a_certificate_that_signed_itself_can_be_trusted() {
    let Some((_database, url, ours, _)) = server() else { return };
    let own = std::path::Path::new(&ours).with_file_name("server.pem");
    let parameters = format!("&sslmode=verify-full&sslrootcert={}", own.display());
    assert_eq!(encryption(format!("{url}{parameters}")), Ok(true));
}

#[test]
fn a_wrong_password_is_reported_without_showing_it() {
    let Some((_database, url, ..)) = server() else { return };
    let error = encryption(url.replace("the-secret-of-the-tests", "wrong-secret")).unwrap_err();
    assert!(error.contains("password authentication failed") && !error.contains("wrong-secret"), "{error}");
}

/// A server that refuses to encrypt.
#[test]
fn a_server_without_tls_is_explained() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        connection.read_exact(&mut [0; 8]).unwrap();
        connection.write_all(b"N").unwrap();
    });
    let error =
        encryption(format!("postgres://u:the-secret-of-the-tests@127.0.0.1:{port}/d?sslmode=require"));
    server.join().unwrap();
    let error = error.unwrap_err();
    assert!(
        error.contains("the server does not support TLS") && error.contains("sslmode=disable"),
        "{error}"
    );
}

/// As in libpq.
#[test]
fn a_socket_in_the_file_system_is_not_encrypted_in_any_mode() {
    let Some(database) = Database::postgres() else { return };
    assert_eq!(encryption(format!("{}&sslmode=verify-full", database.url())), Ok(false));
}
