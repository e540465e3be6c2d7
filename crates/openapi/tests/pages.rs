//! The pages of documents.

#![allow(clippy::unwrap_used)]

use std::process::Command;

use openapi::{Invalid, Names, Page, pages, parse};
use proptest::prelude::*;
use recto_openapi as openapi;
use serde_json::{Value, json};

const NAMES: Names<'_> = Names { url: "API_URL", token: "API_TOKEN" };

fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Lamps", "description": "Everything about **lamps**." },
        "servers": [{ "url": "https://api.example.com/v1/" }],
        "tags": [{ "name": "Street lamps", "description": "Outdoors." }],
        "security": [{ "key": [] }],
        "paths": {
            "/lamps/{id}": {
                "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "integer", "minimum": 7 } }],
                "patch": {
                    "operationId": "changeLamp",
                    "summary": "Change a lamp.",
                    "tags": ["Street lamps"],
                    "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Lamp" } } } },
                    "responses": {
                        "200": { "description": "Changed", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Lamp" } } } },
                        "404": { "description": "No such | lamp" },
                    },
                },
                "get": { "tags": ["Street lamps"], "deprecated": true, "security": [], "responses": {} },
            },
            "/pictures": {
                "post": {
                    "requestBody": { "content": { "multipart/form-data": { "schema": {
                        "properties": { "title": { "type": "string", "example": "it's" }, "file": { "type": "string", "format": "binary" } }
                    } } } },
                    "responses": { "201": { "description": "Stored" } },
                }
            },
        },
        "components": {
            "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } },
            "schemas": { "Lamp": {
                "required": ["watts"],
                "properties": {
                    "watts": { "type": "number", "maximum": 100, "description": "How bright." },
                    "colour": { "enum": ["white", "red"], "default": "white" },
                    "next": { "anyOf": [{ "$ref": "#/components/schemas/Lamp" }, { "type": "null" }] },
                    "parts": { "type": "array", "items": { "type": "object", "properties": { "name": { "type": "string", "maxLength": 9 } } } },
                },
            } },
        },
    })
}

fn page<'p>(pages: &'p [Page], slug: &str) -> &'p Page {
    pages.iter().find(|page| page.slug.as_str() == slug).unwrap_or_else(|| panic!("no page {slug}"))
}

#[test]
fn there_is_a_page_for_each_operation_and_for_each_tag() {
    let pages = pages(&document(), NAMES).unwrap();
    let listed: Vec<(&str, &str, &str)> = pages
        .iter()
        .map(|page| {
            (page.section.as_str(), page.slug.as_str(), page.endpoint.as_ref().map_or("", |e| e.as_str()))
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("", "introduction", ""),
            ("Street-lamps", "get-lamps-id", "GET /lamps/{id}"),
            ("Street-lamps", "change-lamp", "PATCH /lamps/{id}"),
            ("API", "post-pictures", "POST /pictures"),
            ("", "api", ""),
            ("", "street-lamps", ""),
        ]
    );
    assert_eq!(page(&pages, "change-lamp").title, "Change a lamp");
    assert_eq!(page(&pages, "street-lamps").content, "Outdoors.");
    assert!(page(&pages, "get-lamps-id").content.starts_with("> [!WARNING]"));
}

#[test]
fn the_introduction_says_where_the_api_is_and_what_to_send() {
    let pages = pages(&document(), NAMES).unwrap();
    let content = &page(&pages, "introduction").content;
    for part in ["Everything about **lamps**.", "`https://api.example.com/v1`", "Authorization: Bearer"] {
        assert!(content.contains(part), "{part} is missing in {content}");
    }
}

#[test]
fn fields_are_listed_with_types_limits_and_nested_names() {
    let pages = pages(&document(), NAMES).unwrap();
    let content = &page(&pages, "change-lamp").content;
    for row in [
        "| `id` | integer | **required**. At least 7. |",
        "| `watts` | number | **required**. How bright. At most 100. |",
        "| `colour` | string | One of `white`, `red`. Default: `white`. |",
        "| `parts` | array of object |  |",
        "| `parts[].name` | string | At most 9 characters. |",
        "| `404` | No such \\| lamp |",
    ] {
        assert!(content.contains(row), "{row} is missing in {content}");
    }
    // Required fields are first, and a circular schema ends.
    assert!(content.find("`watts`") < content.find("`colour`"));
    assert!(!content.contains("`next.next"), "{content}");
}

#[test]
fn examples_send_what_the_operation_takes() {
    let pages = pages(&document(), NAMES).unwrap();
    let change = page(&pages, "change-lamp");
    for part in [
        "curl -X PATCH 'https://api.example.com/v1/lamps/7'",
        "-H \"Authorization: Bearer $API_TOKEN\"",
        "requests.patch(",
        "method: \"PATCH\"",
        "\"watts\": 1",
    ] {
        assert!(change.content.contains(part), "{part} is missing in {}", change.content);
    }
    let request = change.request.as_ref().unwrap();
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("PATCH", "https://api.example.com/v1/lamps/{id}")
    );
    assert_eq!(request.parameters, [("id".to_owned(), "7".to_owned())]);
    // No token where the operation needs none.
    assert!(!page(&pages, "get-lamps-id").content.contains("API_TOKEN"));
    let upload = &page(&pages, "post-pictures").content;
    for part in
        [r"-F 'title=it'\''s'", "-F 'file=@picture.png'", "files={\"file\": open(", "form.append(\"file\", "]
    {
        assert!(upload.contains(part), "{part} is missing in {upload}");
    }
}

#[test]
fn the_shell_and_python_accept_the_examples() {
    let mut checked = 0;
    for page in pages(&document(), NAMES).unwrap() {
        for (language, program) in [("sh", "sh"), ("python", "python3")] {
            for block in page.content.split(&format!("```{language} ")).skip(1) {
                let code = block.split_once('\n').unwrap().1.split("\n```").next().unwrap();
                let arguments = match language {
                    "sh" => vec!["-n", "-c", code],
                    _ => vec!["-c", "import ast, sys; ast.parse(sys.argv[1])", code],
                };
                let done = Command::new(program).args(arguments).output().expect(program);
                assert!(done.status.success(), "{code}\n{}", String::from_utf8_lossy(&done.stderr));
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 6);
}

#[test]
fn what_is_no_openapi_document_is_refused() {
    assert_eq!(pages(&json!({}), NAMES), Err(Invalid::Missing("openapi")));
    assert_eq!(pages(&json!([]), NAMES), Err(Invalid::Missing("openapi")));
    assert_eq!(pages(&json!({ "openapi": "3.1.0" }), NAMES), Err(Invalid::Missing("paths")));
    assert_eq!(pages(&json!({ "swagger": "2.0" }), NAMES), Err(Invalid::Version("2.0".into())));
    assert_eq!(pages(&json!({ "openapi": "4.0", "paths": {} }), NAMES), Err(Invalid::Version("4.0".into())));
    let many: serde_json::Map<String, Value> =
        (0..2001).map(|n| (format!("/{n}"), json!({ "get": {} }))).collect();
    assert_eq!(pages(&json!({ "openapi": "3.0.0", "paths": many }), NAMES), Err(Invalid::TooLarge));
}

#[test]
fn references_that_lead_nowhere_end() {
    let mut document = document();
    for reference in ["#/components/schemas/Lamp/properties/next", "other.json#/a", "#/nothing", "#", ""] {
        document["components"]["schemas"]["Lamp"]["properties"]["next"] = json!({ "$ref": reference });
        assert_eq!(pages(&document, NAMES).unwrap().len(), 6, "{reference}");
    }
}

#[test]
fn a_schema_with_many_branches_stays_small() {
    let mut document = document();
    let wide: serde_json::Map<String, Value> =
        (0..50).map(|n| (format!("f{n}"), json!({ "$ref": "#/components/schemas/Lamp" }))).collect();
    document["components"]["schemas"]["Lamp"] = json!({ "properties": wide });
    let pages = pages(&document, NAMES).unwrap();
    assert!(pages.iter().all(|page| page.content.len() < model::limits::CONTENT_CHARS));
}

#[test]
fn equal_names_get_different_slugs() {
    let operation = json!({ "operationId": "same" });
    let document = json!({ "openapi": "3.0.0", "paths": { "/a": { "get": operation, "put": operation }, "/b": { "get": operation } } });
    let pages = pages(&document, NAMES).unwrap();
    let slugs: Vec<&str> = pages.iter().map(|page| page.slug.as_str()).collect();
    assert_eq!(slugs, ["introduction", "same", "same-2", "same-3", "api"]);
}

/// Any JSON, with keys that mean something in a document.
fn anything() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec![
        "$ref",
        "type",
        "properties",
        "items",
        "oneOf",
        "allOf",
        "enum",
        "required",
        "content",
        "schema",
        "example",
        "examples",
        "application/json",
        "parameters",
        "name",
        "in",
        "get",
        "post",
        "requestBody",
        "responses",
        "200",
        "description",
        "tags",
    ]);
    let text = prop::sample::select(vec![
        "",
        "#",
        "#/paths",
        "#/paths/~1a",
        "object",
        "array",
        "string",
        "path",
        "`|\\",
    ]);
    let leaf =
        prop_oneof![text.prop_map(Value::from), any::<bool>().prop_map(Value::from), Just(Value::Null)];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(key.clone(), inner, 0..6).prop_map(|members| members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

#[test]
fn a_document_may_be_yaml() {
    let yaml = "
openapi: 3.1.0
info: {title: Lamps}
paths:
  /lamps:
    get:
      summary: List lamps
      responses:
        200: {description: &ok \"The lamps\"}
        default: {description: *ok}
";
    let document = parse(yaml).unwrap();
    assert_eq!(document["paths"]["/lamps"]["get"]["responses"]["200"]["description"], "The lamps");
    let json = document.to_string();
    assert_eq!(parse(&json).unwrap(), document);
    assert_eq!(pages(&document, NAMES).unwrap().len(), 3);
    assert!(matches!(parse("a: [\nb"), Err(Invalid::Syntax { line, .. }) if line > 0));
    assert!(parse(&format!("a: {}", "[".repeat(200))).is_err(), "it is nested too deeply");
}

proptest! {
    #[test]
    fn no_document_makes_it_panic(item in anything(), components in anything()) {
        let document = json!({ "openapi": "3.1.0", "paths": { "/a": item }, "components": components });
        let _ = pages(&document, NAMES);
    }
}
