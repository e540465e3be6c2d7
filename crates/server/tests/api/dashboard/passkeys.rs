//! Passkeys, with an authenticator that can be made to lie.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use model::{AccountId, Role, sha256};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use testing::Database;

use super::browser::{Browser, PASSWORD, Seen};
use crate::app::{App, Options, spawn_app, spawn_app_with};

testing::on_each_configuration!(
    a_passkey_is_registered_and_signs_in,
    a_registration_with_anything_wrong_is_refused,
    a_sign_in_with_anything_wrong_is_refused,
    an_answer_is_valid_once_and_for_five_minutes,
    the_count_of_a_passkey_must_rise,
    passkeys_are_removed_by_their_owner_only,
    passkeys_need_a_recent_sign_in,
    a_passkey_is_a_recent_sign_in,
    challenges_are_limited_by_address,
    without_a_host_name_there_are_no_passkeys,
);

const ORIGIN: &str = "http://localhost:8080";

async fn spawn(database: &Database) -> App<'_> {
    spawn_app_with(database, Options { url: ORIGIN, ..Options::default() }).await
}

async fn member(app: &App<'_>, email: &str) -> Browser {
    Browser::of_member(app, app.acme.id, email, Role::Owner).await
}

/// An authenticator and its browser.
struct Authenticator {
    key: EcdsaKeyPair,
    credential: Vec<u8>,
    user: String,
    kind: &'static str,
    origin: &'static str,
    cross_origin: bool,
    host: &'static str,
    flags: u8,
    count: u32,
}

const PRESENT_AND_VERIFIED: u8 = 0x05;

impl Authenticator {
    fn new(number: u8) -> Authenticator {
        let (algorithm, random) = (&ECDSA_P256_SHA256_ASN1_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Authenticator {
            key: EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap(),
            credential: vec![number; 32],
            user: String::new(),
            kind: "",
            origin: ORIGIN,
            cross_origin: false,
            host: "localhost",
            flags: PRESENT_AND_VERIFIED,
            count: 1,
        }
    }

    fn client_data(&self, kind: &str, challenge: &str) -> Vec<u8> {
        let kind = if self.kind.is_empty() { kind } else { self.kind };
        let data = json!({
            "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": self.cross_origin,
        });
        data.to_string().into_bytes()
    }

    fn data(&self, with_credential: bool) -> Vec<u8> {
        let flags = self.flags | if with_credential { 0x40 } else { 0 };
        let mut data = [sha256(self.host).as_slice(), &[flags], &self.count.to_be_bytes()].concat();
        if with_credential {
            data.extend([0; 16]);
            data.extend((self.credential.len() as u16).to_be_bytes());
            data.extend(&self.credential);
        }
        data
    }

    fn public_key(&self) -> Vec<u8> {
        let head = BASE64.decode("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgA").unwrap();
        [&head, self.key.public_key().as_ref()].concat()
    }

    fn registration(&self, challenge: &str) -> Vec<(&'static str, String)> {
        vec![
            ("name", "laptop".to_owned()),
            ("clientData", BASE64.encode(self.client_data("webauthn.create", challenge))),
            ("authenticatorData", BASE64.encode(self.data(true))),
            ("publicKey", BASE64.encode(self.public_key())),
        ]
    }

    fn answer(&self, challenge: &str) -> Vec<(&'static str, String)> {
        let (client_data, data) = (self.client_data("webauthn.get", challenge), self.data(false));
        let signed = [&data[..], sha256(&client_data).as_slice()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        vec![
            ("credential", BASE64.encode(&self.credential)),
            ("clientData", BASE64.encode(client_data)),
            ("authenticatorData", BASE64.encode(data)),
            ("signature", BASE64.encode(signature.as_ref())),
            ("userHandle", self.user.clone()),
        ]
    }

    async fn register(&mut self, browser: &mut Browser) -> Seen {
        let options = challenge(browser, "/dashboard/passkeys/challenge").await;
        self.user = options["user"].as_str().unwrap().to_owned();
        let fields = self.registration(options["challenge"].as_str().unwrap());
        send(browser, "/dashboard/passkeys", &fields).await
    }

    async fn sign_in(&mut self, browser: &mut Browser) -> Seen {
        self.count += 1;
        let options = challenge(browser, "/dashboard/sign-in/challenge").await;
        let fields = self.answer(options["challenge"].as_str().unwrap());
        send(browser, "/dashboard/sign-in/passkey", &fields).await
    }
}

async fn challenge(browser: &mut Browser, path: &str) -> Value {
    let seen = browser.post(path, &[]).await;
    assert_eq!(seen.status, 200, "{seen:?}");
    serde_json::from_str(&seen.html).unwrap()
}

async fn send(browser: &mut Browser, path: &str, fields: &[(&'static str, String)]) -> Seen {
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    browser.post(path, &fields).await
}

async fn count(app: &App<'_>, account: AccountId, email: &str) -> usize {
    let members = app.publisher.member_list(account).await.unwrap();
    let user = members.iter().find(|member| member.email == email).unwrap().user;
    app.publisher.passkey_list(user).await.unwrap().len()
}

async fn a_passkey_is_registered_and_signs_in(database: &Database) {
    let app = spawn(database).await;
    let mut ada = member(&app, "ada@example.com").await;
    let screen = ada.get("/dashboard/passkeys").await;
    screen.shows(200, "No passkeys yet").shows(200, "<form id=\"register\"");
    let policy = screen.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("script-src 'self'; connect-src 'self'"), "{policy}");
    ada.get(&screen.between("<script type=\"module\" src=\"", "\""))
        .await
        .shows(200, "navigator.credentials");
    let mut laptop = Authenticator::new(1);
    laptop.register(&mut ada).await.redirects_to("/dashboard/passkeys?done=passkey-added");
    ada.get("/dashboard/passkeys").await.shows(200, "<td>laptop</td>").shows(200, "never");
    let mut other = Browser::new(&app);
    other.get("/dashboard/sign-in").await.shows(200, "Use a passkey");
    let options = challenge(&mut other, "/dashboard/sign-in/challenge").await;
    assert_eq!(options["rpId"], "localhost");
    laptop.count += 1;
    let mut fields = laptop.answer(options["challenge"].as_str().unwrap());
    fields.push(("next", "/dashboard/passkeys".into()));
    send(&mut other, "/dashboard/sign-in/passkey", &fields).await.redirects_to("/dashboard/passkeys");
    let list = other.get("/dashboard/passkeys").await;
    assert!(!list.html.contains("never"), "{}", list.html);
    let log = app.publisher.audit_list(app.acme.id, None, None, 10).await.unwrap();
    let log: Vec<_> =
        log.iter().map(|row| (&*row.entry.actor, &*row.entry.action, &*row.entry.subject)).collect();
    assert!(log.contains(&("ada@example.com", "passkey added", "laptop")), "{log:?}");
    assert!(log.contains(&("ada@example.com", "signed in", "passkey laptop")), "{log:?}");
}

type Lie = fn(&mut Authenticator);

/// What is wrong for both ceremonies.
const LIES: [Lie; 7] = [
    |liar| liar.origin = "http://localhost:8081",
    |liar| liar.origin = "https://localhost:8080",
    |liar| liar.cross_origin = true,
    |liar| liar.host = "example.com",
    // The person was not there, or not verified.
    |liar| liar.flags = 0x04,
    |liar| liar.flags = 0x01,
    |liar| liar.kind = "payment.get",
];

async fn a_registration_with_anything_wrong_is_refused(database: &Database) {
    let app = spawn(database).await;
    let (mut ada, mut bob) = (member(&app, "ada@example.com").await, member(&app, "bob@example.com").await);
    let more: [Lie; 2] = [|liar| liar.kind = "webauthn.get", |liar| liar.credential.clear()];
    for lie in LIES.into_iter().chain(more) {
        let mut liar = Authenticator::new(1);
        lie(&mut liar);
        liar.register(&mut ada).await.shows(400, "could not be registered");
    }
    let laptop = Authenticator::new(1);
    // Not a challenge of this server, or one of another person.
    let foreign = challenge(&mut bob, "/dashboard/passkeys/challenge").await;
    let for_sign_in = challenge(&mut ada, "/dashboard/sign-in/challenge").await;
    for challenge in
        ["invented", foreign["challenge"].as_str().unwrap(), for_sign_in["challenge"].as_str().unwrap()]
    {
        let seen = send(&mut ada, "/dashboard/passkeys", &laptop.registration(challenge)).await;
        seen.shows(400, "could not be registered");
    }
    let options = challenge(&mut ada, "/dashboard/passkeys/challenge").await;
    let mut weak = laptop.registration(options["challenge"].as_str().unwrap());
    weak[3].1 = BASE64.encode([0x30; 60]);
    send(&mut ada, "/dashboard/passkeys", &weak).await.shows(400, "Keys of this kind are not supported");
    ada.post("/dashboard/passkeys", &[("name", "")]).await.shows(400, "Passkey name must not be empty");
    ada.post("/dashboard/passkeys", &[("name", "x")]).await.shows(400, "needs a script");
    assert_eq!(count(&app, app.acme.id, "ada@example.com").await, 0);
    // A passkey belongs to one person.
    Authenticator::new(1).register(&mut ada).await.redirects_to("/dashboard/passkeys?done=passkey-added");
    Authenticator::new(1).register(&mut bob).await.shows(400, "registered already");
    assert_eq!(count(&app, app.acme.id, "bob@example.com").await, 0);
}

async fn a_sign_in_with_anything_wrong_is_refused(database: &Database) {
    let app = spawn(database).await;
    let (mut ada, mut bob) = (member(&app, "ada@example.com").await, member(&app, "bob@example.com").await);
    let (mut laptop, mut phone) = (Authenticator::new(1), Authenticator::new(2));
    laptop.register(&mut ada).await.redirects_to("/dashboard/passkeys?done=passkey-added");
    phone.register(&mut bob).await.redirects_to("/dashboard/passkeys?done=passkey-added");
    let of_bob = phone.user.clone();
    let more: [Lie; 3] = [
        |liar| liar.kind = "webauthn.create",
        // One that does not exist, and that of someone else.
        |liar| liar.credential = vec![9; 32],
        |liar| liar.credential = vec![2; 32],
    ];
    let mut eve = Browser::new(&app);
    for lie in LIES.into_iter().chain(more) {
        // The window of challenges is empty again.
        app.advance(Duration::from_secs(61));
        let before = (laptop.kind, laptop.origin, laptop.cross_origin, laptop.host, laptop.flags);
        lie(&mut laptop);
        laptop.sign_in(&mut eve).await.shows(401, "This passkey is not valid here");
        (laptop.kind, laptop.origin, laptop.cross_origin, laptop.host, laptop.flags) = before;
        laptop.credential = vec![1; 32];
    }
    let own = std::mem::replace(&mut laptop.user, of_bob);
    laptop.sign_in(&mut eve).await.shows(401, "This passkey is not valid here");
    laptop.user = own;
    // Another key has signed.
    let key = std::mem::replace(&mut laptop.key, Authenticator::new(3).key);
    laptop.sign_in(&mut eve).await.shows(401, "This passkey is not valid here");
    laptop.key = key;
    let foreign = challenge(&mut ada, "/dashboard/passkeys/challenge").await;
    let answer = laptop.answer(foreign["challenge"].as_str().unwrap());
    assert_eq!(send(&mut eve, "/dashboard/sign-in/passkey", &answer).await.status, 401);
    assert_eq!(eve.get("/dashboard/sites").await.status, 303);
    // All that is right is right.
    app.advance(Duration::from_secs(61));
    laptop.sign_in(&mut eve).await.redirects_to("/dashboard");
}

async fn an_answer_is_valid_once_and_for_five_minutes(database: &Database) {
    let app = spawn(database).await;
    let mut ada = member(&app, "ada@example.com").await;
    let mut laptop = Authenticator::new(1);
    laptop.register(&mut ada).await.redirects_to("/dashboard/passkeys?done=passkey-added");
    let mut browser = Browser::new(&app);
    let options = challenge(&mut browser, "/dashboard/sign-in/challenge").await;
    laptop.count = 9;
    let answer = laptop.answer(options["challenge"].as_str().unwrap());
    send(&mut browser, "/dashboard/sign-in/passkey", &answer).await.redirects_to("/dashboard");
    laptop.count = 10;
    let again = laptop.answer(options["challenge"].as_str().unwrap());
    for replayed in [answer, again] {
        let seen = send(&mut Browser::new(&app), "/dashboard/sign-in/passkey", &replayed).await;
        seen.shows(401, "This passkey is not valid here");
    }
    let options = challenge(&mut browser, "/dashboard/sign-in/challenge").await;
    app.advance(Duration::from_secs(300));
    let late = laptop.answer(options["challenge"].as_str().unwrap());
    assert_eq!(send(&mut Browser::new(&app), "/dashboard/sign-in/passkey", &late).await.status, 401);
}

async fn the_count_of_a_passkey_must_rise(database: &Database) {
    let app = spawn(database).await;
    let mut ada = member(&app, "ada@example.com").await;
    let mut laptop = Authenticator::new(1);
    laptop.count = 7;
    laptop.register(&mut ada).await.redirects_to("/dashboard/passkeys?done=passkey-added");
    let mut browser = Browser::new(&app);
    laptop.sign_in(&mut browser).await.redirects_to("/dashboard");
    // A copy was made before.
    laptop.count = 7;
    laptop.sign_in(&mut Browser::new(&app)).await.shows(401, "This passkey is not valid here");
}

async fn passkeys_are_removed_by_their_owner_only(database: &Database) {
    let app = spawn(database).await;
    let (mut ada, mut bob) = (member(&app, "ada@example.com").await, member(&app, "bob@example.com").await);
    let mut laptop = Authenticator::new(1);
    laptop.register(&mut ada).await.redirects_to("/dashboard/passkeys?done=passkey-added");
    let path = format!("/dashboard/passkeys/{}/remove", BASE64.encode(&laptop.credential));
    assert_eq!((bob.get(&path).await.status, bob.post(&path, &[]).await.status), (404, 404));
    assert_eq!(ada.post("/dashboard/passkeys/!/remove", &[]).await.status, 404);
    ada.get(&path).await.shows(200, "“laptop”").shows(200, ">Remove</button>");
    ada.post(&path, &[]).await.redirects_to("/dashboard/passkeys?done=revoked");
    laptop.sign_in(&mut Browser::new(&app)).await.shows(401, "This passkey is not valid here");
}

async fn passkeys_need_a_recent_sign_in(database: &Database) {
    let app = spawn(database).await;
    let mut ada = member(&app, "ada@example.com").await;
    app.advance(Duration::from_secs(15 * 60));
    let again = "/dashboard/sign-in?again=yes&next=%2Fdashboard%2Fpasskeys";
    ada.get("/dashboard/passkeys").await.redirects_to(again);
    for path in ["/dashboard/passkeys", "/dashboard/passkeys/challenge", "/dashboard/passkeys/AQ/remove"] {
        ada.post(path, &[("name", "x")]).await.redirects_to(again);
    }
    let mut stranger = Browser::new(&app);
    let asked = stranger.get("/dashboard/passkeys").await;
    asked.redirects_to("/dashboard/sign-in?next=%2Fdashboard%2Fpasskeys");
    ada.sign_in("ada@example.com", PASSWORD).await.redirects_to("/dashboard");
    assert_eq!(ada.get("/dashboard/passkeys").await.status, 200);
}

async fn a_passkey_is_a_recent_sign_in(database: &Database) {
    let app = spawn(database).await;
    let mut ada = member(&app, "ada@example.com").await;
    let mut laptop = Authenticator::new(1);
    laptop.register(&mut ada).await.redirects_to("/dashboard/passkeys?done=passkey-added");
    app.advance(Duration::from_secs(15 * 60));
    let tokens = format!("/dashboard/sites/{}/tokens", app.acme.site);
    assert_eq!(ada.get(&tokens).await.status, 303);
    laptop.sign_in(&mut ada).await.redirects_to("/dashboard");
    assert_eq!(ada.get(&tokens).await.status, 200);
}

async fn challenges_are_limited_by_address(database: &Database) {
    let app = spawn(database).await;
    let mut browser = Browser::new(&app);
    for _ in 0..10 {
        assert_eq!(browser.post("/dashboard/sign-in/challenge", &[]).await.status, 200);
    }
    assert_eq!(browser.post("/dashboard/sign-in/challenge", &[]).await.status, 429);
    let foreign = browser.request(reqwest::Method::POST, "/dashboard/sign-in/challenge");
    assert_eq!(browser.send(foreign.header("sec-fetch-site", "cross-site")).await.status, 403);
}

async fn without_a_host_name_there_are_no_passkeys(database: &Database) {
    let app = spawn_app(database).await;
    let mut ada = member(&app, "ada@example.com").await;
    let screen = ada.get("/dashboard/passkeys").await;
    screen.shows(200, "Browsers accept passkeys only for a host name");
    assert!(!screen.html.contains("id=\"register\""), "{}", screen.html);
}
