//! Only GET and HEAD are allowed.

use testing::Database;

use crate::server_under_test::start;
use crate::visitor::Ask;

testing::on_each_configuration!(
    head_answers_as_get_without_the_body,
    other_methods_are_refused,
    an_unread_body_does_not_become_the_next_request,
);

async fn head_answers_as_get_without_the_body(database: &Database) {
    let server = start(database).await;
    let long = "long ".repeat(1000);
    server.release(&[("/", "home"), ("/long", &long), ("/404.html", "missing")]).await;
    for path in ["/", "/long", "/missing", "/long/", "/.x"] {
        for encoding in ["identity", "br"] {
            let get = server.ask(Ask::get(path).accept(encoding)).await;
            let head = server.ask(Ask::head(path).accept(encoding)).await;
            assert_eq!((head.status, &head.headers), (get.status, &get.headers), "{path}");
            assert_eq!(head.header("content-length"), Some(get.body.len().to_string().as_str()), "{path}");
            assert!(head.body.is_empty());
        }
    }
    let unknown = server.ask(Ask::head("/").host("other.localhost")).await;
    assert_eq!((unknown.status, unknown.body.len()), (404, 0));
}

async fn other_methods_are_refused(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "home")]).await;
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "FOO"] {
        let answer = server.ask(Ask::new(method, "/")).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD")), "{method}");
        assert_eq!(answer.release(), 1);
    }
}

async fn an_unread_body_does_not_become_the_next_request(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "home")]).await;
    let body = "GET / HTTP/1.1\r\nHost: acme.localhost\r\n\r\n";
    let answer = server.ask(Ask::new("POST", "/").body(body)).await;
    assert_eq!(answer.status, 405);
    assert!(!answer.text().contains("home"));
}
