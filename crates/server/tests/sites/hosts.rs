//! Sites are found by the host of a request.

use testing::Database;

use crate::server_under_test::{Options, start, start_with};
use crate::visitor::Ask;

testing::on_each_configuration!(
    a_site_is_found_by_its_host_however_it_is_written,
    an_unknown_host_has_no_site,
    requests_from_this_machine_see_which_sites_exist,
    other_machines_do_not_see_which_sites_exist,
    the_health_is_checked_by_address,
    each_host_has_its_own_site,
    a_custom_domain_serves_the_same_site,
    a_request_without_a_clear_host_is_refused,
    a_request_for_a_whole_url_is_for_its_host,
    a_site_without_a_release_says_how_to_make_one,
);

async fn a_site_is_found_by_its_host_however_it_is_written(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "acme's")]).await;
    for host in
        ["acme.localhost", "acme.localhost:8081", "ACME.localhost:1", "acme.localhost.", "acme.localhost.:80"]
    {
        assert_eq!(server.ask(Ask::get("/").host(host)).await.status_and_body(), (200, "acme's"), "{host}");
    }
}

async fn an_unknown_host_has_no_site(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "acme's")]).await;
    for host in
        ["localhost", "other.localhost", "acme", "acme.example.com", "127.0.0.1", "[::1]:80", "a b", "", "é"]
    {
        let answer = server.ask(Ask::get("/").host(host)).await;
        assert_eq!(answer.status, 404, "{host}");
        assert!(answer.text().contains("There is no site here") && !answer.text().contains("acme"), "{host}");
        assert_eq!(answer.header("x-recto-release"), None, "{host}");
    }
}

const HERE: [&str; 5] = ["127.0.0.1", "127.0.0.1:8081", "localhost:8081", "[::1]:8081", "[::1]"];

async fn requests_from_this_machine_see_which_sites_exist(database: &Database) {
    let server = start_with(database, Options { list_sites: true, ..Options::default() }).await;
    server.site("other").await;
    for host in HERE {
        let answer = server.ask(Ask::get("/").host(host)).await;
        assert_eq!(answer.status, 200, "{host}");
        for name in ["acme", "other"] {
            let link = format!("<a href=\"http://{name}.localhost:8081\">{name}.localhost:8081</a>");
            assert!(answer.text().contains(&link), "{host}: {}", answer.text());
            let command = format!("curl -H 'Host: {name}.localhost:8081' http://{host}/");
            assert!(answer.text().contains(&command), "{host}: {}", answer.text());
        }
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("SAMEORIGIN"));
        assert!(answer.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
        let head = server.ask(Ask::head("/").host(host)).await;
        assert_eq!((head.status, head.text()), (200, ""));
    }
    for ask in [Ask::get("/x").host("127.0.0.1"), Ask::new("POST", "/").host("127.0.0.1")] {
        assert_eq!(server.ask(ask.clone()).await.status, 404, "{ask:?}");
    }
}

async fn other_machines_do_not_see_which_sites_exist(database: &Database) {
    let server = start_with(database, Options { list_sites: true, ..Options::default() }).await;
    let here = || Ask::get("/").host("127.0.0.1:8081");
    let mut asks: Vec<Ask> = [
        "evil.com",
        "evil.localhost",
        "127.0.0.1.evil.com",
        "10.0.0.1",
        "0.0.0.0",
        "localhost.evil.com:8081",
    ]
    .iter()
    .map(|host| Ask::get("/").host(host))
    .collect();
    for name in ["forwarded", "via", "x-real-ip", "x-forwarded-for", "x-forwarded-host", "cf-connecting-ip"] {
        asks.push(here().header(name, "127.0.0.1"));
    }
    for ask in asks {
        let answer = server.ask(ask.clone()).await;
        assert!(answer.status == 404 && !answer.text().contains("acme"), "{ask:?}: {answer:?}");
    }
}

/// As load balancers do.
async fn the_health_is_checked_by_address(database: &Database) {
    let server = start(database).await;
    for host in HERE.into_iter().chain(["10.0.0.1:8081", "[fd00::1]"]) {
        for (path, status) in [("/healthz", "ok"), ("/readyz", "ready")] {
            let answer = server.ask(Ask::get(path).host(host)).await;
            let expected = format!("{{\"status\":\"{status}\"}}");
            assert_eq!(answer.status_and_body(), (200, expected.as_str()), "{host}{path}");
        }
    }
    for ask in
        [Ask::get("/healthz").host("evil.com"), Ask::get("/readyz"), Ask::get("/health").host("10.0.0.1")]
    {
        assert_eq!(server.ask(ask.clone()).await.status, 404, "{ask:?}");
    }
}

async fn each_host_has_its_own_site(database: &Database) {
    let server = start(database).await;
    let other = server.site("other").await;
    server.release(&[("/", "acme's"), ("/a", "only acme's")]).await;
    server.release_of(other.id, &[("/", "the other's")]).await;
    let ask = async |host: &str, path: &str| server.ask(Ask::get(path).host(host)).await;
    assert_eq!(ask("acme.localhost", "/").await.status_and_body(), (200, "acme's"));
    assert_eq!(ask("other.localhost", "/").await.status_and_body(), (200, "the other's"));
    assert_eq!(ask("acme.localhost", "/a").await.status, 200);
    assert_eq!(ask("other.localhost", "/a").await.status, 404);
}

async fn a_custom_domain_serves_the_same_site(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "acme's")]).await;
    let ask = async || server.ask(Ask::get("/").host("www.Example.com:443")).await;
    assert_eq!(ask().await.status, 404);
    server.publisher.domain_add(&server.acme, "www.example.com").await.unwrap();
    assert_eq!(ask().await, server.get("/").await);
    server.publisher.domain_remove(&server.acme, "www.example.com").await.unwrap();
    assert_eq!(ask().await.status, 404);
}

async fn a_request_without_a_clear_host_is_refused(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "acme's")]).await;
    assert_eq!(server.ask(Ask::get("/").without_host()).await.status, 400);
    assert_eq!(server.ask(Ask::get("/").header("host", "acme.localhost")).await.status, 400);
}

async fn a_request_for_a_whole_url_is_for_its_host(database: &Database) {
    let server = start(database).await;
    server.release(&[("/a", "acme's")]).await;
    let ask = Ask::get("http://acme.localhost/a").host("other.localhost");
    assert_eq!(server.ask(ask).await.status_and_body(), (200, "acme's"));
    assert_eq!(server.ask(Ask::get("http://other.localhost/a")).await.status, 404);
}

async fn a_site_without_a_release_says_how_to_make_one(database: &Database) {
    let server = start(database).await;
    for path in ["/", "/blog/a", "/assets/a.css"] {
        let answer = server.get(path).await;
        assert_eq!((answer.status, answer.header("x-recto-release")), (404, Some("0")), "{path}");
        assert!(answer.text().contains("Nothing is published yet") && answer.text().contains("POST /builds"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    server.release(&[("/", "first")]).await;
    assert_eq!(server.get("/").await.status_and_body(), (200, "first"));
}
