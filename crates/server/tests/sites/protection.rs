//! Password-protected sites.

use std::time::Duration;

use testing::Database;

use crate::server_under_test::{Options, Server, start_with};
use crate::visitor::{Answer, Ask};

testing::on_each_configuration!(
    without_the_password_only_the_form_is_shown,
    the_password_opens_the_site_for_thirty_days,
    a_wrong_password_says_so,
    the_form_is_in_the_visitors_language,
    a_new_password_invalidates_all_cookies,
    cookies_of_others_do_not_open_a_site,
    cookies_of_others_do_not_hide_the_right_one,
    nothing_of_a_protected_site_is_kept_by_shared_caches,
    the_redirect_after_the_password_stays_on_the_host,
    the_cookie_is_secure_behind_https,
    the_cookie_is_secure_where_sites_are_reached_by_https,
    ten_attempts_per_minute,
    a_post_that_is_not_the_form_is_refused,
    a_site_without_a_password_again_is_public,
);

async fn protected(database: &Database) -> Server {
    protected_with(database, Options::default()).await
}

async fn protected_with(database: &Database, options: Options) -> Server {
    let server = start_with(database, options).await;
    server.release(&[("/", "secret home"), ("/a", "secret page"), ("/assets/a.css", "secret style")]).await;
    server.publisher.protect(&server.acme, "open sesame").await.unwrap();
    server
}

fn is_form(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert!(
        answer.text().contains("<form method=\"post\">") && !answer.text().contains("secret"),
        "{answer:?}"
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("set-cookie"), None);
}

/// The cookie, as a browser sends it back.
async fn unlock(server: &Server) -> String {
    let answer = server.ask(Ask::password("/", "open+sesame")).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    let cookie = answer.header("set-cookie").unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

async fn without_the_password_only_the_form_is_shown(database: &Database) {
    let server = protected(database).await;
    for path in ["/", "/a", "/nothing", "/a/", "/assets/a.css", "/media/x", "/.md"] {
        is_form(&server.get(path).await, 401);
    }
    let head = server.ask(Ask::head("/a")).await;
    assert_eq!((head.status, head.body.len()), (401, 0));
    let tricky = Ask::get("/a").header("if-none-match", "*").header("range", "bytes=0-");
    is_form(&server.ask(tricky).await, 401);
    let put = server.ask(Ask::new("PUT", "/a")).await;
    assert_eq!((put.status, put.header("allow")), (405, Some("GET, HEAD, POST")));
}

async fn the_password_opens_the_site_for_thirty_days(database: &Database) {
    let server = protected(database).await;
    let answer = server.ask(Ask::password("/a?b=c", "open+sesame")).await;
    assert_eq!(answer.location(), (303, "/a?b=c"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let (cookie, attributes) = answer.header("set-cookie").unwrap().split_once(';').unwrap();
    assert!(cookie.starts_with("recto_access=") && !cookie.contains("sesame"));
    assert_eq!(attributes, " HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000");
    let ask =
        async |path: &str| server.ask(Ask::get(path).header("cookie", &format!("x=y; {cookie}; z"))).await;
    assert_eq!(ask("/a").await.status_and_body(), (200, "secret page"));
    assert_eq!(ask("/assets/a.css").await.status_and_body(), (200, "secret style"));
    assert_eq!(ask("/nothing").await.status, 404);
    server.clock.advance(Duration::from_secs(30 * 24 * 3600 - 1));
    assert_eq!(ask("/a").await.status, 200);
    server.clock.advance(Duration::from_secs(1));
    is_form(&ask("/a").await, 401);
}

async fn a_wrong_password_says_so(database: &Database) {
    let server = protected(database).await;
    for wrong in ["open", "Open+sesame", "open%20sesame%00", "", &"x".repeat(2000), "secret%3Cscript%3E"] {
        let answer = server.ask(Ask::password("/a", wrong)).await;
        is_form(&answer, 401);
        assert!(answer.text().contains("That is not the password"), "{wrong}");
    }
}

async fn the_form_is_in_the_visitors_language(database: &Database) {
    let server = protected(database).await;
    let ask = async |ask: Ask, languages: &str| server.ask(ask.header("accept-language", languages)).await;
    for (languages, html, title) in [
        ("ar-EG, en;q=0.5", "<html lang=\"ar\" dir=\"rtl\">", "يرجى إدخال كلمة المرور"),
        ("de-CH,de;q=0.9,en;q=0.8", "<html lang=\"de\">", "Bitte das Passwort eingeben"),
        ("tlh, *;q=0.1", "<html lang=\"en\">", "Please enter the password"),
    ] {
        let form = ask(Ask::get("/a"), languages).await;
        is_form(&form, 401);
        assert!(form.text().contains(html), "{languages}: {}", form.text());
        assert_eq!(form.text().matches(title).count(), 2, "in the title and in the heading");
        assert!(form.header("vary").unwrap().contains("accept-language"), "{form:?}");
    }
    let wrong = ask(Ask::password("/a", "wrong"), "fr").await;
    is_form(&wrong, 401);
    assert!(wrong.text().contains("Ce n’est pas le bon mot de passe."), "{}", wrong.text());
}

async fn a_new_password_invalidates_all_cookies(database: &Database) {
    let server = protected(database).await;
    let cookie = unlock(&server).await;
    let ask = async || server.ask(Ask::get("/a").header("cookie", &cookie)).await;
    assert_eq!(ask().await.status, 200);
    server.publisher.protect(&server.acme, "another").await.unwrap();
    is_form(&ask().await, 401);
}

async fn cookies_of_others_do_not_open_a_site(database: &Database) {
    let server = protected(database).await;
    let cookie = unlock(&server).await;
    let other = server.site("other").await;
    server.release_of(other.id, &[("/", "secret of the other")]).await;
    server.publisher.protect(&other, "open sesame").await.unwrap();
    let ask = Ask::get("/").host("other.localhost").header("cookie", &cookie);
    is_form(&server.ask(ask).await, 401);
    let value = cookie.strip_prefix("recto_access=").unwrap();
    let (until, signature) = value.split_once('.').unwrap();
    let later = until.parse::<i64>().unwrap() + 1;
    for forged in
        [format!("{later}.{signature}"), format!("{until}."), until.into(), ".".into(), format!("{value}0")]
    {
        let ask = Ask::get("/").header("cookie", &format!("recto_access={forged}"));
        is_form(&server.ask(ask).await, 401);
    }
}

async fn cookies_of_others_do_not_hide_the_right_one(database: &Database) {
    let server = protected(database).await;
    let cookie = unlock(&server).await;
    let value = cookie.strip_prefix("recto_access=").unwrap();
    let junk = "recto_access=9999999999999999.x; __Host-recto_access=; ".repeat(200);
    for right in [cookie.clone(), format!("__Host-{cookie}")] {
        let ask = Ask::get("/").header("cookie", &format!("{junk}{right}; recto_access=1.1"));
        assert_eq!(server.ask(ask).await.status, 200, "{right}");
    }
    for wrong in [format!("__Secure-{cookie}"), format!("recto_access2={value}"), format!("x{cookie}")] {
        is_form(&server.ask(Ask::get("/").header("cookie", &wrong)).await, 401);
    }
}

async fn nothing_of_a_protected_site_is_kept_by_shared_caches(database: &Database) {
    let server = protected(database).await;
    let cookie = unlock(&server).await;
    let ask = async |path: &str| server.ask(Ask::get(path).header("cookie", &cookie)).await;
    let fresh = Some("private, max-age=0, must-revalidate");
    assert_eq!(ask("/a").await.header("cache-control"), fresh);
    assert_eq!(ask("/a/").await.header("cache-control"), fresh);
    assert_eq!(ask("/nothing").await.header("cache-control"), Some("no-store"));
    let asset = ask("/assets/a.css").await;
    assert_eq!(asset.header("cache-control"), Some("private, max-age=31536000, immutable"));
}

async fn the_redirect_after_the_password_stays_on_the_host(database: &Database) {
    let server = protected(database).await;
    for (path, location) in [("//evil.com/", "/evil.com"), ("/%5Cevil.com?a", "/evil.com?a"), ("/../x", "/")]
    {
        let answer = server.ask(Ask::password(path, "open+sesame")).await;
        assert_eq!(answer.location(), (303, location), "{path}");
    }
}

/// Whether the cookie has the `__Host-` prefix, which needs https, or is a plain one.
fn is_secure(answer: &Answer) -> bool {
    let cookie = answer.header("set-cookie").unwrap();
    let secure = cookie.starts_with("__Host-recto_access=");
    assert_eq!(secure, cookie.ends_with("; Secure"), "{cookie}");
    assert_eq!(secure, !cookie.starts_with("recto_access="), "{cookie}");
    assert!(cookie.contains("; Path=/; ") && !cookie.contains("Domain"), "{cookie}");
    secure
}

async fn the_cookie_is_secure_behind_https(database: &Database) {
    let server =
        protected_with(database, Options { trusted_proxies: &["127.0.0.0/8"], ..Options::default() }).await;
    let plain = Ask::password("/", "open+sesame");
    assert!(!is_secure(&server.ask(plain.clone()).await));
    assert!(is_secure(&server.ask(plain.header("x-forwarded-proto", "https")).await));
}

async fn the_cookie_is_secure_where_sites_are_reached_by_https(database: &Database) {
    let server = protected_with(database, Options { secure_cookies: true, ..Options::default() }).await;
    let answer = server.ask(Ask::password("/", "open+sesame")).await;
    assert!(is_secure(&answer));
    let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap();
    assert_eq!(
        server.ask(Ask::get("/a").header("cookie", cookie)).await.status_and_body(),
        (200, "secret page")
    );
}

async fn ten_attempts_per_minute(database: &Database) {
    let server = protected(database).await;
    for _ in 0..10 {
        is_form(&server.ask(Ask::password("/a", "wrong")).await, 401);
    }
    let refused = server.ask(Ask::password("/a", "open+sesame")).await;
    is_form(&refused, 429);
    assert_eq!(refused.header("retry-after"), Some("60"));
    assert!(refused.text().contains("Too many attempts"));
    // Reading does not count as an attempt, and other sites are not affected.
    is_form(&server.get("/a").await, 401);
    let other = server.site("other").await;
    server.publisher.protect(&other, "open sesame").await.unwrap();
    let ask = Ask::password("/", "open+sesame").host("other.localhost");
    assert_eq!(server.ask(ask).await.status, 303);
    server.clock.advance(Duration::from_secs(60));
    assert_eq!(server.ask(Ask::password("/a", "open+sesame")).await.status, 303);
}

async fn a_post_that_is_not_the_form_is_refused(database: &Database) {
    let server = protected(database).await;
    let form = "application/x-www-form-urlencoded";
    for (kind, body) in [
        ("text/plain", "password=open+sesame"),
        (form, "word=open+sesame"),
        (form, "password=%"),
        (form, &format!("password={}", "x".repeat(5000))),
    ] {
        let ask = Ask::new("POST", "/").header("content-type", kind).body(body);
        is_form(&server.ask(ask).await, 400);
    }
    let ask =
        Ask::new("POST", "/").header("content-type", "Application/X-WWW-Form-Urlencoded; charset=utf-8");
    assert_eq!(server.ask(ask.body("password=open+sesame")).await.status, 303);
}

async fn a_site_without_a_password_again_is_public(database: &Database) {
    let server = protected(database).await;
    is_form(&server.get("/a").await, 401);
    server.publisher.unprotect(&server.acme).await.unwrap();
    let answer = server.get("/a").await;
    assert_eq!(answer.status_and_body(), (200, "secret page"));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=0, must-revalidate"));
    assert_eq!(server.ask(Ask::password("/a", "open+sesame")).await.status, 405);
}
