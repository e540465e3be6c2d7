//! Two servers on one database and one Redis: limits hold for both together. While Redis is unavailable each one counts
//! by itself.

use std::io::{Read, Write};
use std::net::TcpStream;

use reqwest::blocking::Client;
use serde_json::Value;
use testing::RedisServer;

use crate::harness::process::wait_until;
use crate::harness::recto::{Account, Recto};
use crate::harness::server::{Answer, Server, free_port};
use crate::media::forms::{CONTENT_TYPE, Form};

const MB: usize = 1 << 20;

struct Node {
    server: Server,
    admin: u16,
    client: Client,
}

/// Two servers with rate limits, of one installation. The client's address is that of `X-Forwarded-For`.
struct Fleet {
    recto: Recto,
    redis: RedisServer,
    account: Account,
    nodes: [Node; 2],
}

impl Fleet {
    /// `None`: skip the test.
    fn start() -> Option<Fleet> {
        let (recto, redis) = (Recto::on_postgres()?, RedisServer::start()?);
        let recto = recto.set("RECTO_LIMITS_URL", &redis.url()).set("RECTO_API_TRUSTED_PROXIES", "127.0.0.1");
        let account = recto.account("Acme");
        let node = |_| {
            let admin = free_port();
            let mut command = recto.command(&["serve"]);
            command.env("RECTO_ADMIN_LISTEN", format!("127.0.0.1:{admin}"));
            let client = Client::builder().no_proxy().build().unwrap();
            Node { server: Server::start(command), admin, client }
        };
        let nodes = [0, 1].map(node);
        Some(Fleet { recto, redis, account, nodes })
    }

    /// How often a node has said that Redis is unavailable.
    fn outages(&self) -> usize {
        let outages = |node: &Node| node.server.stderr().matches("Redis is unavailable").count();
        self.nodes.iter().map(outages).sum()
    }

    /// Sends this many requests of a client, in turns to both nodes, and returns how many remained after each one that
    /// was let through.
    fn send(&self, client: &str, requests: usize) -> Vec<u32> {
        let answers = (0..requests).map(|n| self.nodes[n % 2].list(&self.account, client));
        let allowed = answers.filter(|answer| answer.status == 200);
        allowed.map(|answer| answer.header("x-ratelimit-remaining").parse().unwrap()).collect()
    }

    /// Checks that a client has 120 requests a minute at both nodes together.
    fn check_shared(&self, network: &str) {
        // A machine so busy that Redis misses a deadline says so in the log; then another client tries again.
        for client in 1..=5 {
            let before = self.outages();
            let remaining = self.send(&format!("{network}.{client}"), 130);
            if self.outages() == before && self.nodes.iter().all(Node::is_shared) {
                assert_eq!(remaining, (0..120).rev().collect::<Vec<_>>());
                return;
            }
        }
        panic!("Redis misses its deadlines");
    }
}

impl Node {
    fn list(&self, account: &Account, client: &str) -> Answer {
        let request = self.client.get(format!("{}/api/v1/public/pages", self.server.base));
        let request = request.bearer_auth(&account.token).header("x-forwarded-for", client);
        Answer::read(request.send().unwrap())
    }

    /// As both `/readyz` and the metrics say.
    fn is_shared(&self) -> bool {
        self.metric() == Some("1".into()) && self.server.get("/readyz").expect(200)["limits"].is_null()
    }

    /// As both `/readyz` and the metrics say.
    fn is_degraded(&self) -> bool {
        let ready = self.server.get("/readyz").expect(200);
        let says_so = ready["limits"].as_str().is_some_and(|limits| limits.contains("Redis is unavailable"));
        says_so && self.metric() == Some("0".into())
    }

    fn metric(&self) -> Option<String> {
        let metrics = self.client.get(format!("http://127.0.0.1:{}/metrics", self.admin)).send();
        let metrics = metrics.unwrap().text().unwrap();
        metrics.lines().find_map(|line| line.strip_prefix("recto_limits_shared ")).map(str::to_owned)
    }
}

#[test]
fn a_client_has_120_requests_a_minute_at_all_servers_together() {
    let Some(fleet) = Fleet::start() else { return };
    fleet.check_shared("192.0.2");
}

#[test]
fn without_redis_both_servers_go_on_and_say_so_until_it_is_back() {
    let Some(mut fleet) = Fleet::start() else { return };
    fleet.redis.stop();
    wait_until("both notice it", || fleet.nodes.iter().all(Node::is_degraded));
    // Each one counts by itself.
    assert_eq!(fleet.send("198.51.100.1", 260).len(), 240);
    let doctor = limits_finding(&fleet.recto);
    assert_eq!(doctor["verdict"], "warning", "{doctor}");
    assert!(doctor["message"].as_str().unwrap().contains("limits.url"), "{doctor}");

    fleet.redis.start_again();
    wait_until("both use Redis again", || fleet.nodes.iter().all(Node::is_shared));
    fleet.check_shared("203.0.113");
    assert_eq!(limits_finding(&fleet.recto)["verdict"], "ok");
    let [one, _] = fleet.nodes;
    let log = one.server.stop();
    assert!(log.contains("Redis is available"), "{log}");
}

#[test]
fn large_uploads_are_counted_at_all_servers_together() {
    let Some(fleet) = Fleet::start() else { return };
    let [one, two] = &fleet.nodes;
    let under_way = [begin(one, &fleet.account), begin(two, &fleet.account)];
    let leases = || fleet.redis.command(&["ZCARD", "recto:uploads:all"]);
    wait_until("both uploads have begun", || leases() == "2");
    for node in [one, two] {
        let mut answer = String::new();
        begin(node, &fleet.account).read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
        assert!(answer.to_lowercase().contains("\r\nretry-after: 60\r\n"), "{answer}");
    }
    drop(under_way);
    wait_until("both uploads have ended", || leases() == "0");
    let large = vec![0; 11 * MB];
    two.server.send_file(&fleet.account, "a.zip", &large).expect(200);
}

/// An upload that has announced its size and sent no byte of its file.
fn begin(node: &Node, account: &Account) -> TcpStream {
    let before = Form::default().before_file("large.zip");
    let mut stream = node.server.begin_post("/media", &account.token, CONTENT_TYPE, before.len() + 20 * MB);
    stream.write_all(&before).unwrap();
    stream
}

#[test]
fn a_server_starts_without_redis_but_not_with_an_invalid_url() {
    let recto = Recto::new().set("RECTO_LIMITS_URL", "redis://me:secret@127.0.0.1:1");
    let server = recto.start();
    let ready = server.get("/readyz").expect(200);
    assert!(ready["limits"].as_str().unwrap().contains("Redis is unavailable"), "{ready}");
    let log = server.stop();
    assert!(log.contains("Redis is unavailable") && log.contains("127.0.0.1:1"), "{log}");
    assert!(!log.contains("secret"), "{log}");

    let why = Recto::new().set("RECTO_LIMITS_URL", "redis://me:secret@host/name").refusal(&["serve"]);
    assert!(why.contains("limits.url") && !why.contains("secret"), "{why}");
}

#[test]
fn the_certificate_of_redis_is_checked() {
    let (Some(url), Some(ca)) = (testing::server(testing::REDIS_TLS), testing::server(testing::REDIS_CA))
    else {
        return;
    };
    let untrusting = limits_finding(&Recto::new().set("RECTO_LIMITS_URL", &url));
    assert_eq!(untrusting["verdict"], "warning", "{untrusting}");
    assert!(untrusting["message"].as_str().unwrap().contains("certificate"), "{untrusting}");
    let trusting = Recto::new().set("RECTO_LIMITS_URL", &url).set("SSL_CERT_FILE", &ca);
    let found = limits_finding(&trusting);
    assert_eq!(found["verdict"], "ok", "{found}");
}

#[test]
fn a_wrong_password_of_redis_is_reported() {
    let Some(url) = testing::server(testing::REDIS) else { return };
    let (_, host) = url.rsplit_once('@').unwrap();
    let found =
        limits_finding(&Recto::new().set("RECTO_LIMITS_URL", &format!("redis://:wrong-secret@{host}")));
    assert_eq!(found["verdict"], "warning", "{found}");
    let message = found["message"].as_str().unwrap();
    assert!(message.to_lowercase().contains("password") && !message.contains("secret"), "{message}");
}

/// What `recto doctor` says about limits.
fn limits_finding(recto: &Recto) -> Value {
    let findings: Vec<Value> = serde_json::from_str(&recto.run(&["doctor", "--json"]).stdout).unwrap();
    findings.into_iter().find(|finding| finding["check"] == "limits").unwrap()
}
