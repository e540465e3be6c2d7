//! The first start and later starts.

use std::process::Command;

use crate::harness::process::wait_until;
use crate::harness::recto::{Recto, keys};

on_one_machine_and_nodes!(
    the_first_start_prints_a_command_that_publishes_a_page,
    an_account_made_before_the_first_start_is_the_only_one,
);

fn the_first_start_prints_a_command_that_publishes_a_page(recto: &Recto) {
    let server = recto.start();
    let shown = server.stdout();
    let published = Command::new("sh").args(["-c", &curl_in(&shown)]).output().unwrap();
    assert!(published.status.success(), "{published:?}");
    assert_eq!(server.list(&token_in(&shown)).slugs(), ["hello-world"]);
    let (host, path) = page_in(&shown);
    assert_eq!((host.as_str(), path.as_str()), ("my-site.localhost:8081", "/blog/hello-world"));
    wait_until("the page is on the site", || server.visit(&host, &path).status == 200);
    assert!(server.visit(&host, &path).body.contains("My first page."));
    let link = format!("{}/dashboard/link?key=", server.base);
    assert!(shown.contains(&link) && shown.contains("owner@localhost"), "{shown}");
    let (_, key) = shown.split_once("?key=").unwrap();
    let opened = server.get(&format!("/dashboard/link?key={}", key.lines().next().unwrap()));
    assert!(opened.status == 200 && opened.body.contains("Set password"), "{}", opened.body);
    server.stop();

    let again = recto.start();
    assert!(!again.stdout().contains("rec_"), "a token is shown once: {}", again.stdout());
    assert!(again.stdout().starts_with(&format!("Recto listens on {} ", again.base)), "{}", again.stdout());
    assert!(again.stdout().contains("http://my-site.localhost:8081\n"), "{}", again.stdout());
    let account = &recto.json(&["account", "list"])[0]["accountId"];
    let token = format!("recto token create --account {}", account.as_str().unwrap());
    assert!(again.stdout().contains(&token), "{}", again.stdout());
    assert_eq!(again.visit(&host, &path).status, 200);
    assert_eq!(again.list(&token_in(&shown)).slugs(), ["hello-world"]);
    assert!(!again.stop().contains("rec_"));
}

fn an_account_made_before_the_first_start_is_the_only_one(recto: &Recto) {
    let account = recto.account("Early");
    let server = recto.start();
    assert!(!server.stdout().contains("rec_"), "{}", server.stdout());
    assert_eq!(server.list(&account.token).status, 200);
    let accounts = recto.json(&["account", "list"]);
    assert_eq!(accounts.as_array().unwrap().len(), 1, "{accounts}");
    assert_eq!(accounts[0]["accountId"], account.id);
}

#[test]
fn the_first_start_in_json_is_one_object_and_the_second_is_silent() {
    let recto = Recto::new();
    let server = recto.start_with(&["serve", "--json"]);
    server.signal(rustix::process::Signal::TERM);
    let shown: serde_json::Value = serde_json::from_str(&server.wait().stdout).unwrap();
    assert_eq!(keys(&shown), ["accountId", "deployUrl", "siteId", "token", "tokenId"]);

    let server = recto.start_with(&["serve", "--json"]);
    assert_eq!(server.list(shown["token"].as_str().unwrap()).status, 200);
    server.signal(rustix::process::Signal::TERM);
    assert_eq!(server.wait().stdout, "");
}

#[test]
fn the_sites_are_listed_only_to_this_machine() {
    let check = |recto: Recto, listed: bool| {
        let server = recto.start();
        let hint = format!("see http://{}/\n", server.sites());
        assert_eq!(server.stdout().contains(&hint), listed, "{}", server.stdout());
        let answer = server.visit("127.0.0.1", "/");
        assert_eq!(
            (answer.status, answer.body.contains("my-site")),
            (if listed { 200 } else { 404 }, listed)
        );
        server.stop();
    };
    check(Recto::new(), true);
    check(Recto::new().set("RECTO_SITES_URL", "http://{site}.test.localhost"), true);
    check(Recto::new().set("RECTO_SITES_URL", "https://{site}.example.com"), false);
    check(Recto::new().set("RECTO_SITES_URL", "http://{site}.localhost.example.com:8081"), false);
    check(Recto::new().set("RECTO_SITES_LISTEN", "0.0.0.0:0"), false);
    check(Recto::new().set("RECTO_API_TRUSTED_PROXIES", "127.0.0.1"), false);
}

#[test]
fn without_a_command_it_serves() {
    let server = Recto::new().start_with(&[]);
    let answer = server.list(&token_in(&server.stdout()));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("x-ratelimit-limit"), "120");
}

#[test]
fn a_port_that_is_taken_stops_the_first_start_before_a_token_is_shown() {
    for (variable, key) in [("RECTO_API_LISTEN", "api.listen"), ("RECTO_SITES_LISTEN", "sites.listen")] {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap().to_string();
        let recto = Recto::new().set(variable, &address);
        let why = recto.refusal(&["serve"]);
        assert!(why.contains(key) && why.contains(&address), "{why}");
        drop(taken);
        assert!(recto.start().stdout().contains("rec_"));
    }
}

/// The printed command with its continuation lines.
fn curl_in(shown: &str) -> String {
    let lines = shown.lines().skip_while(|line| !line.trim_start().starts_with("curl "));
    let mut command = String::new();
    for line in lines {
        command.push_str(line);
        command.push('\n');
        if !line.ends_with('\\') {
            break;
        }
    }
    assert!(!command.is_empty(), "no command in {shown}");
    command.replacen("curl ", "curl --silent --show-error --fail ", 1)
}

/// The host and path of the page that the greeting says to open.
fn page_in(shown: &str) -> (String, String) {
    let line = shown.lines().find_map(|line| line.strip_prefix("then open http://"));
    let (host, path) = line.unwrap_or_else(|| panic!("nothing to open in {shown}")).split_once('/').unwrap();
    (host.to_owned(), format!("/{path}"))
}

fn token_in(shown: &str) -> String {
    let start = shown.find("rec_").unwrap_or_else(|| panic!("no token in {shown}"));
    shown[start..]
        .split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .next()
        .unwrap()
        .into()
}
