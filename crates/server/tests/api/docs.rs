//! Health endpoints and the OpenAPI document.

use reqwest::Method;
use reqwest::header::HeaderValue;
use serde_json::Value;
use testing::Database;

use crate::app::spawn_app;

const PNG: HeaderValue = HeaderValue::from_static("image/png");

testing::on_each_configuration!(
    health_needs_no_token,
    the_description_names_every_endpoint,
    the_reference_is_a_page,
    the_reference_can_be_searched,
    the_pages_of_the_reference_have_preview_cards,
    a_browser_is_sent_to_the_dashboard,
    every_response_has_the_security_headers,
);

async fn health_needs_no_token(database: &Database) {
    let app = spawn_app(database).await;
    for path in ["/healthz", "/readyz"] {
        let response = app.anonymous().request_outside(Method::GET, path).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "{path}");
    }
}

async fn the_description_names_every_endpoint(database: &Database) {
    let app = spawn_app(database).await;
    let response = app.anonymous().request_outside(Method::GET, "/openapi.json").send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/json");
    let document: Value = response.json().await.unwrap();
    let mut endpoints = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let methods = methods.as_object().unwrap().keys();
        endpoints.extend(
            methods
                .filter(|name| ["get", "post", "delete"].contains(&name.as_str()))
                .map(|m| format!("{m} {path}")),
        );
    }
    endpoints.sort();
    for endpoint in
        ["delete /pages/{slug}", "get /builds/latest", "get /pages", "post /builds", "post /pages"]
    {
        assert!(endpoints.iter().any(|named| named == endpoint), "{endpoint} is not in {endpoints:?}");
    }
}

async fn the_reference_is_a_page(database: &Database) {
    let app = spawn_app(database).await;
    let response = app.anonymous().request_outside(Method::GET, "/docs").send().await.unwrap();
    assert_eq!(response.status().as_u16(), 200);
    assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
    let overview = response.text().await.unwrap();
    let links: Vec<&str> =
        overview.split("href=\"/docs/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for page in ["introduction", "pages", "pages/publish-pages", "pages/delete-page", "builds/latest-build"] {
        assert!(links.contains(&page), "{page} is not in {links:?}");
        let path = format!("/docs/{page}");
        let response = app.anonymous().request_outside(Method::GET, &path).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "{path}");
    }
}

async fn the_reference_can_be_searched(database: &Database) {
    let app = spawn_app(database).await;
    let get = async |path: &str| app.anonymous().request_outside(Method::GET, path).send().await.unwrap();
    let found: Value = get("/search.json?q=deleteSlugs").await.json().await.unwrap();
    assert_eq!(found["total"], 1, "{found}");
    assert!(found["results"][0]["url"].as_str().unwrap().starts_with("/docs/pages/publish-pages"), "{found}");
    let page = get("/search?q=cooldown").await.text().await.unwrap();
    assert!(page.contains("href=\"/docs/builds/"), "{page}");
    let nothing: Value = get("/search.json").await.json().await.unwrap();
    assert_eq!(nothing["total"], 0);
    assert_eq!(get(&format!("/search.json?q={}", "a".repeat(201))).await.status().as_u16(), 404);
}

async fn the_pages_of_the_reference_have_preview_cards(database: &Database) {
    let app = spawn_app(database).await;
    let get = async |path: &str| app.anonymous().request_outside(Method::GET, path).send().await.unwrap();
    for page in ["/docs", "/docs/pages", "/docs/pages/publish-pages"] {
        let page = get(page).await.text().await.unwrap();
        let (_, image) = page.split_once("<meta property=\"og:image\" content=\"").unwrap();
        let (image, _) = image.split_once('"').unwrap();
        let path = &image[image.find("/assets/cards/").unwrap()..];
        assert!(image.starts_with("http://"), "{image}");
        let response = get(path).await;
        assert_eq!((response.status().as_u16(), &response.headers()["content-type"]), (200, &PNG), "{path}");
        assert!(response.bytes().await.unwrap().starts_with(b"\x89PNG"), "{path}");
    }
    assert_eq!(get("/assets/cards/000000000000/docs.png").await.status().as_u16(), 404);
}

async fn a_browser_is_sent_to_the_dashboard(database: &Database) {
    let app = spawn_app(database).await;
    let ask = async |method: Method, accept: &str| {
        let request = app.anonymous().request_outside(method, "/").header("accept", accept);
        request.send().await.unwrap()
    };
    let followed = ask(Method::GET, "text/html,application/xhtml+xml,*/*;q=0.8").await;
    assert_eq!((followed.status().as_u16(), followed.url().path()), (200, "/dashboard/sign-in"));
    for accept in ["*/*", "application/json", ""] {
        let response = ask(Method::GET, accept).await;
        assert_eq!(
            (response.status().as_u16(), &response.headers()["vary"]),
            (404, &"accept".parse().unwrap())
        );
        assert_eq!(response.json::<Value>().await.unwrap()["error"], "not found", "{accept}");
    }
    assert_eq!(ask(Method::POST, "text/html").await.status().as_u16(), 404);
}

async fn every_response_has_the_security_headers(database: &Database) {
    let app = spawn_app(database).await;
    for (path, status, cache) in [
        ("/healthz", 200, "no-store"),
        ("/readyz", 200, "no-store"),
        ("/openapi.json", 200, "no-store"),
        ("/docs", 200, "no-store"),
        ("/docs/try.js", 200, "no-store"),
        ("/docs/nothing", 404, "no-store"),
        ("/nothing", 404, "no-store"),
        ("/tls/ask", 400, "no-store"),
        ("/api/v1/public/pages", 401, "no-store"),
    ] {
        let response = app.anonymous().request_outside(Method::GET, path).send().await.unwrap();
        assert_eq!(response.status().as_u16(), status, "{path}");
        assert_eq!(response.headers()["cache-control"], cache, "{path}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff", "{path}");
    }
}
