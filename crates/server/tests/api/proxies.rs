//! Which address is counted behind proxies.

use reqwest::Method;
use serde_json::json;
use testing::Database;

use crate::answer::Answer;
use crate::app::{Options, spawn_app, spawn_app_with};
use crate::client::Client;

testing::on_each_configuration!(
    a_peer_that_is_not_trusted_speaks_for_itself,
    a_trusted_proxy_speaks_for_its_clients,
    only_what_the_trusted_proxy_added_counts,
    ipv6_clients_count_by_their_network,
    an_account_is_counted_whatever_its_addresses,
);

async fn get(client: &Client, headers: &[(&str, &str)]) -> Answer {
    let request = client.request(Method::GET, "/pages");
    client.send(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))).await
}

fn behind_a_proxy() -> Options {
    Options { trusted_proxies: &["127.0.0.0/8"], ..Options::default() }
}

async fn a_peer_that_is_not_trusted_speaks_for_itself(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    assert_eq!(get(&client, &[("x-forwarded-for", "198.51.100.1")]).await.window(), (120, 119));
    assert_eq!(get(&client, &[("x-forwarded-for", "198.51.100.2")]).await.window(), (120, 118));
    assert_eq!(get(&client, &[("forwarded", "for=198.51.100.3")]).await.window(), (120, 117));
    assert_eq!(get(&client, &[]).await.window(), (120, 116));
}

async fn a_trusted_proxy_speaks_for_its_clients(database: &Database) {
    let app = spawn_app_with(database, behind_a_proxy()).await;
    let client = app.client.hasty();
    assert_eq!(get(&client, &[("x-forwarded-for", "198.51.100.1")]).await.window(), (120, 119));
    assert_eq!(get(&client, &[("x-forwarded-for", "198.51.100.2")]).await.window(), (120, 119));
    assert_eq!(get(&client, &[("forwarded", "for=198.51.100.3;proto=https")]).await.window(), (120, 119));
    assert_eq!(get(&client, &[("forwarded", "for=198.51.100.1")]).await.window(), (120, 118));
    assert_eq!(get(&client, &[]).await.window(), (120, 119));
    for _ in 0..118 {
        get(&client, &[("x-forwarded-for", "198.51.100.1")]).await;
    }
    assert_eq!(get(&client, &[("x-forwarded-for", "198.51.100.1")]).await.status, 429);
    assert_eq!(get(&client, &[("x-forwarded-for", "198.51.100.2")]).await.status, 200);
}

async fn only_what_the_trusted_proxy_added_counts(database: &Database) {
    let app = spawn_app_with(database, behind_a_proxy()).await;
    let client = app.client.hasty();
    for number in 0..5 {
        let forged = format!("203.0.113.{number}, 198.51.100.1");
        assert_eq!(get(&client, &[("x-forwarded-for", &forged)]).await.window(), (120, 119 - number));
    }
}

async fn ipv6_clients_count_by_their_network(database: &Database) {
    let app = spawn_app_with(database, behind_a_proxy()).await;
    let client = app.client.hasty();
    let check = async |address: &str, remaining: u64| {
        assert_eq!(
            get(&client, &[("x-forwarded-for", address)]).await.window(),
            (120, remaining),
            "{address}"
        );
    };
    check("2001:db8:1:2::1", 119).await;
    check("2001:db8:1:2::2", 118).await;
    check("2001:db8:1:2:ffff:ffff:ffff:ffff", 117).await;
    check("2001:db8:1:3::1", 119).await;
    check("::ffff:198.51.100.1", 119).await;
    check("198.51.100.1", 118).await;
    check("198.51.100.2", 119).await;
}

async fn an_account_is_counted_whatever_its_addresses(database: &Database) {
    let app = spawn_app_with(database, behind_a_proxy()).await;
    let client = app.client.hasty();
    for number in 0..61u64 {
        let address = format!("198.51.100.{number}");
        let request = client.request(Method::POST, "/pages").header("x-forwarded-for", address);
        let answer = client.send(request.json(&json!({"pages": []}))).await;
        let status = if number < 60 { 200 } else { 429 };
        assert_eq!((answer.status, answer.window()), (status, (60, 59u64.saturating_sub(number))));
    }
}
