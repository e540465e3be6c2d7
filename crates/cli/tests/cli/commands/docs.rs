//! The reference works without any other host.

use serde_json::json;

use crate::harness::recto::{Recto, text};

#[test]
fn the_reference_names_no_other_host() {
    let server = Recto::new().start();
    let page = server.get("/docs");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    let policy = page.header("content-security-policy");
    let directives: Vec<&str> = policy.split(';').map(str::trim).collect();
    for strict in ["default-src 'none'", "connect-src 'self'", "base-uri 'none'"] {
        assert!(directives.contains(&strict), "{policy}");
    }
    assert!(!policy.contains("http") && !policy.contains('*') && !policy.contains("unsafe-eval"), "{policy}");
    let scripts = directives.iter().find(|directive| directive.starts_with("script-src"));
    assert!(scripts.is_some_and(|scripts| !scripts.contains("unsafe")), "{policy}");

    let endpoint = server.get("/docs/pages/publish-pages");
    let loaded = |page: &str| -> Vec<String> {
        let tags = page
            .split('<')
            .filter(|tag| tag.starts_with("script") || tag.starts_with("link") || tag.starts_with("img"));
        let tags = tags.filter(|tag| !tag.contains("rel=\"canonical\""));
        let address = |tag: &str| {
            Some(
                tag.split_once("src=\"")
                    .or_else(|| tag.split_once("href=\""))?
                    .1
                    .split('"')
                    .next()?
                    .to_owned(),
            )
        };
        tags.filter_map(address).collect()
    };
    for body in [&page.body, &endpoint.body] {
        let loaded = loaded(body);
        assert!(loaded.len() > 2, "{loaded:?}");
        for path in loaded {
            assert!(path.starts_with('/') && !path.starts_with("//"), "{path}");
            assert_eq!(server.get(&path).status, 200, "{path}");
        }
    }
    assert!(endpoint.body.contains("src=\"/docs/try.js\""));
}

#[test]
fn the_description_is_served_and_names_the_routes() {
    let server = Recto::new().start();
    let document = server.get("/openapi.json").expect(200);
    assert_eq!(document["servers"][0]["url"], "/api/v1/public");
    for path in ["/pages", "/pages/{slug}", "/builds", "/builds/latest"] {
        assert!(document["paths"][path].is_object(), "{path} is missing");
    }
}

#[test]
fn an_openapi_document_becomes_docs_pages() {
    let recto = Recto::new();
    let (_, server) = (recto.account("Acme"), recto.start());
    let file = recto.write_file("api.json", &server.get("/openapi.json").body);
    let wrong = recto.write_file("wrong.yaml", "openapi: 3.1.0\npaths: [\n");
    let (site, file) = ("acme", text(&file));

    let planned = recto.json(&["site", "openapi", site, file, "--dry-run"]);
    assert_eq!(planned["pages"][0]["slug"], "introduction");
    let published = recto.json(&["site", "openapi", site, file]);
    assert_eq!(published["pages"].as_array().unwrap().len(), planned["pages"].as_array().unwrap().len());
    recto.json(&["site", "build", site, "--wait"]);
    let found = recto.json(&["site", "search", site, "deleteSlugs"]);
    assert!(found["results"][0]["url"].as_str().unwrap().starts_with("/docs/pages/publish-pages"), "{found}");

    // The same again changes nothing.
    let again = recto.json(&["site", "openapi", site, file]);
    assert_eq!(again["pages"].as_array().unwrap().len(), published["pages"].as_array().unwrap().len());
    let refused = recto.refusal(&["site", "openapi", site, text(&wrong)]);
    assert!(refused.contains("wrong.yaml: line "), "{refused}");
}

#[test]
fn pages_of_operations_that_are_gone_are_deleted_on_request() {
    let recto = Recto::new();
    let _account = recto.account("Acme");
    let document = |paths: &str| {
        let text = format!("openapi: 3.1.0\ninfo:\n  title: Lamps\npaths:\n{paths}");
        text_of(&recto.write_file("api.yaml", &text))
    };
    let lamps =
        "  /lamps:\n    get: {summary: List, operationId: list, responses: {200: {description: OK}}}\n";
    let both = format!("{lamps}    post: {{summary: Add, operationId: add}}\n");
    let openapi = |file: &str, more: &[&str]| {
        let arguments = [&["site", "openapi", "acme", file, "--no-build"], more].concat();
        recto.json(&arguments)
    };
    assert_eq!(openapi(&document(&both), &[])["deleted"], 0);
    let other = text_of(&recto.write_file("other.json", &other_document()));
    openapi(&other, &[]);

    let file = document(lamps);
    assert_eq!(openapi(&file, &["--dry-run"])["gone"], json!(["/docs/api/add"]));
    assert_eq!(openapi(&file, &[])["deleted"], 0, "nothing is deleted without --prune");
    assert_eq!(openapi(&file, &["--prune"])["deleted"], 1);
    assert_eq!(openapi(&file, &["--dry-run"])["gone"], json!([]));
    assert_eq!(openapi(&other, &["--dry-run"])["gone"], json!([]), "another document has its own pages");
}

/// Another document, with an operation of its own.
fn other_document() -> String {
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Bulbs"},
        "paths": {"/bulbs": {"get": {"summary": "Bulbs", "operationId": "bulbs", "tags": ["Bulbs"]}}},
    })
    .to_string()
}

fn text_of(path: &std::path::Path) -> String {
    text(path).to_owned()
}
