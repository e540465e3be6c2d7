//! The reference works without any other host.

use crate::harness::recto::Recto;

#[test]
fn the_reference_names_no_other_host() {
    let server = Recto::new().start();
    let page = server.get("/docs");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    let policy = page.header("content-security-policy");
    let directives: Vec<&str> = policy.split(';').map(str::trim).collect();
    for strict in ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'"] {
        assert!(directives.contains(&strict), "{policy}");
    }
    assert!(!policy.contains("http") && !policy.contains('*') && !policy.contains("unsafe-eval"), "{policy}");

    let start = server.get("/docs/start.js");
    for text in [&page.body, &start.body] {
        assert!(!text.contains("http://") && !text.contains("https://") && !text.contains("\"//"), "{text}");
    }
    let sources: Vec<&str> =
        page.body.split("src=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(sources, ["/docs/reference.js", "/docs/start.js"]);
    for source in sources {
        let script = server.get(source);
        assert_eq!((script.status, script.header("content-type")), (200, "text/javascript; charset=utf-8"));
    }
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
