//! The OpenAPI 3.1 document, generated from the code, and the reference page. All assets are in the binary.

use std::io::Read;
use std::sync::LazyLock;

use api::{
    DuplicateSlugs, Failure, InternalError, PublishForm, SlugConflict, Unauthorized, Unresolved,
    UnresolvedFiles, ValidationFailed,
};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::read::GzDecoder;
use utoipa::ToSchema;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::Response as Answer;
use utoipa::openapi::schema::{AnyOfBuilder, Object, ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{Components, InfoBuilder, OpenApi, Ref, RefOr, Required, Schema, ServerBuilder};

use crate::error::json_response;
use crate::router::{PUBLIC_API, public_api};

/// The reference loads nothing from other hosts.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; font-src data:; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE: &str = include_str!("docs/page.html");
const START: &str = include_str!("docs/start.js");

static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| {
    let json = openapi().to_pretty_json().expect("the document has only string keys");
    Bytes::from(json)
});

/// 1.4 MB; docs/scalar.md says where it is from.
const GZIPPED_SCRIPT: &[u8] = include_bytes!("docs/scalar.js.gz");

/// 4.9 MB, for clients that accept no gzip; all responses share one copy.
static SCRIPT: LazyLock<Bytes> = LazyLock::new(|| {
    let mut script = Vec::new();
    GzDecoder::new(GZIPPED_SCRIPT).read_to_end(&mut script).expect("the file in the binary is valid");
    Bytes::from(script)
});

pub(crate) async fn document() -> Response {
    json_response(StatusCode::OK, DOCUMENT.clone())
}

pub(crate) async fn page() -> Response {
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, POLICY)];
    (headers, PAGE).into_response()
}

pub(crate) async fn start() -> Response {
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], START).into_response()
}

pub(crate) async fn script(headers: HeaderMap) -> Response {
    let common = [
        (CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (CACHE_CONTROL, "public, max-age=3600"),
        (VARY, "accept-encoding"),
    ];
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match accepted.contains("gzip") {
        true => (common, [(CONTENT_ENCODING, "gzip")], Bytes::from_static(GZIPPED_SCRIPT)).into_response(),
        false => (common, SCRIPT.clone()).into_response(),
    }
}

/// The whole document: the description of each route, and everything that is common to all routes.
pub fn openapi() -> OpenApi {
    let (_, mut openapi) = public_api();
    openapi.info = InfoBuilder::new()
        .title("Recto")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(include_str!("docs/introduction.md")))
        .build();
    openapi.tags = Some(vec![
        TagBuilder::new().name("Pages").description(Some("Publish, read, list and delete pages.")).build(),
        TagBuilder::new().name("Media").description(Some("Upload files that pages show.")).build(),
        TagBuilder::new().name("Builds").description(Some("Turn the pages into the site.")).build(),
        TagBuilder::new().name("Sites").description(Some("Find a site by its name.")).build(),
    ]);
    openapi.servers = Some(vec![ServerBuilder::new().url(PUBLIC_API).build()]);
    openapi.security = Some(vec![SecurityRequirement::new("token", Vec::<String>::new())]);
    let components = openapi.components.get_or_insert_with(Components::new);
    components.add_security_scheme(
        "token",
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build()),
    );
    register::<Failure>(components);
    register::<Unauthorized>(components);
    register::<InternalError>(components);
    register::<ValidationFailed>(components);
    register::<DuplicateSlugs>(components);
    register::<SlugConflict>(components);
    register::<UnresolvedFiles>(components);
    register::<Unresolved>(components);
    register::<PublishForm>(components);
    // `anyOf`, not `oneOf`: every object is also a valid page, since unknown fields are ignored.
    let body = AnyOfBuilder::new().item(reference("PublishRequest")).item(reference("PageInput"));
    let body = body.description(Some("A batch, or a single page as the whole body (the original format)."));
    components.schemas.insert("PublishBody".into(), RefOr::T(body.build().into()));
    for item in openapi.paths.paths.values_mut() {
        for operation in [&mut item.get, &mut item.post, &mut item.delete].into_iter().flatten() {
            complete(operation);
        }
    }
    openapi
}

fn register<T: ToSchema>(components: &mut Components) {
    components.schemas.insert(T::name().into_owned(), T::schema());
}

/// Adds the headers that every response has, and corrects which bodies are required.
fn complete(operation: &mut Operation) {
    if let Some(RefOr::T(body)) = &mut operation.request_body
        && body.content.contains_key("application/json")
    {
        // `POST /builds` needs no body. `POST /pages` does, but for a required body of two types
        // openapi-python-client 0.29 generates code that misses an import. tests/contract.sh runs the generated code.
        body.required = Some(Required::False);
    }
    for (status, answer) in &mut operation.responses.responses {
        if let RefOr::T(answer) = answer {
            add_headers(status, answer);
        }
    }
}

fn add_headers(status: &str, answer: &mut Answer) {
    let number = || ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).build();
    let text = || ObjectBuilder::new().schema_type(Type::String).build();
    let header = |schema: Object, about: &str| -> Header {
        let required = Extensions::from_iter([("required", true)]);
        let header = HeaderBuilder::new().schema(Some(Schema::Object(schema))).description(Some(about));
        header.extensions(Some(required)).build()
    };
    let mut add = |name: &str, header: Header| answer.headers.insert(name.to_owned(), header.into());
    add("X-RateLimit-Limit", header(number(), "Requests allowed in the current window"));
    add("X-RateLimit-Remaining", header(number(), "Requests left in the current window"));
    add("X-Request-Id", header(text(), "Find this request in the server's log by it"));
    if status == "429" {
        add("Retry-After", header(number(), "Seconds to wait"));
    }
    if status == "401" {
        add("WWW-Authenticate", header(text(), "Bearer"));
    }
}

fn reference(name: &str) -> RefOr<Schema> {
    RefOr::Ref(Ref::from_schema_name(name))
}

#[cfg(test)]
mod tests {
    use model::limits;
    use serde_json::{Value, json};

    #[test]
    fn documented_limits_are_the_enforced_limits() {
        let document = serde_json::to_value(super::openapi()).expect("a document");
        let field = |schema: &str, name: &str, rule: &str| -> Value {
            document["components"]["schemas"][schema]["properties"][name][rule].clone()
        };
        for (name, chars) in [
            ("slug", limits::SLUG_CHARS),
            ("section", limits::SECTION_CHARS),
            ("title", limits::TITLE_CHARS),
            ("description", limits::DESCRIPTION_CHARS),
            ("content", limits::CONTENT_CHARS),
            ("apiEndpoint", limits::API_ENDPOINT_CHARS),
        ] {
            assert_eq!(field("PageInput", name, "maxLength"), json!(chars), "{name}");
        }
        assert_eq!(field("PageInput", "tags", "maxItems"), json!(limits::TAGS_PER_PAGE));
        assert_eq!(field("PublishRequest", "pages", "maxItems"), json!(limits::PAGES_PER_REQUEST));
        assert_eq!(field("PublishRequest", "deleteSlugs", "maxItems"), json!(limits::DELETES_PER_REQUEST));
    }
}
