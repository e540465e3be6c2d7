//! The API's description (OpenAPI 3.1, from the code) and its readable reference. Every asset is in the binary.

use std::io::Write;
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
use flate2::Compression;
use flate2::write::GzEncoder;
use utoipa::ToSchema;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::{Response as Answer, ResponseBuilder};
use utoipa::openapi::schema::{AnyOfBuilder, Object, ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, Content, InfoBuilder, OpenApi, Ref, RefOr, Required, Schema, ServerBuilder,
};

use crate::error::json_response;
use crate::router::{PUBLIC_API, public_api};

/// No foreign host: neither scripts nor fonts nor calls.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; font-src data:; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE: &str = include_str!("docs/page.html");
const START: &str = include_str!("docs/start.js");

static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| {
    let json = openapi().to_pretty_json().expect("the description has no keys that JSON cannot write");
    Bytes::from(json)
});

/// 4.9 MB as shipped: all who read it share one copy, however slowly they do.
static SCRIPT: LazyLock<Bytes> =
    LazyLock::new(|| scalar_api_reference::get_asset("scalar.js").unwrap_or_default().into());

/// 1.4 MB packed: packed once, at the first visit.
static PACKED_SCRIPT: LazyLock<Option<Bytes>> = LazyLock::new(|| {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&scalar_api_reference::get_asset("scalar.js")?).ok()?;
    Some(Bytes::from(packed.finish().ok()?))
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
    match PACKED_SCRIPT.as_ref().filter(|_| accepted.contains("gzip")) {
        Some(packed) => (common, [(CONTENT_ENCODING, "gzip")], packed.clone()).into_response(),
        None => (common, SCRIPT.clone()).into_response(),
    }
}

/// The whole description: what the routes say of themselves, and what holds for all of them.
pub fn openapi() -> OpenApi {
    let (_, mut openapi) = public_api();
    openapi.info = InfoBuilder::new()
        .title("Recto")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(include_str!("docs/introduction.md")))
        .build();
    openapi.tags = Some(vec![
        TagBuilder::new().name("Pages").description(Some("Publish, list and delete pages.")).build(),
        TagBuilder::new().name("Media").description(Some("Upload files that pages show.")).build(),
        TagBuilder::new().name("Builds").description(Some("Turn the pages into the site.")).build(),
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
    // Any, not one of them: every object is a page as well, since unknown fields are ignored.
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

/// Adds the failures an operation can answer with, and the headers that every answer carries.
fn complete(operation: &mut Operation) {
    let name = operation.operation_id.clone().unwrap_or_default();
    let mut add = |status: &str, description: &str, schema: RefOr<Schema>| {
        let content = Content::new(Some(schema));
        let answer = ResponseBuilder::new().description(description).content("application/json", content);
        operation.responses.responses.insert(status.into(), answer.build().into());
    };
    let failure = || reference("Failure");
    match name.as_str() {
        "publishPages" => {
            let stored = reference("PublishResponse");
            add("200", "Stored; a single page's own fields are repeated beside `pages`", stored);
            add("400", "The request is refused as a whole; nothing is stored", refused_pages());
        }
        _ => add("400", "A parameter or the body is missing or wrong", failure()),
    }
    add("401", "No token, or one that is malformed, unknown or revoked", reference("Unauthorized"));
    match name.as_str() {
        "triggerBuild" => add("402", "The plan's builds of this month are used up", failure()),
        "publishPages" | "uploadMedia" => add("402", "The files need more storage than is left", failure()),
        _ => {}
    }
    add("403", "The site does not exist or is not yours, or the account is suspended", failure());
    if name == "deletePage" || name == "latestBuild" {
        add("404", "There is no such page, or no build yet", failure());
    }
    if matches!(name.as_str(), "publishPages" | "triggerBuild" | "uploadMedia") {
        add("408", "The body arrived too slowly", failure());
        add("413", "The body or a file is too large", failure());
        add("415", "The body is of a type, or packed in a way, that is not read here", failure());
    }
    add(
        "429",
        "A rate limit, the build cooldown or too many large files; wait as long as Retry-After says",
        failure(),
    );
    add("500", "Our own fault", reference("InternalError"));
    add("503", "The database is away, or too many large files arrive; try again in a few seconds", failure());
    match (&mut operation.request_body, name.as_str()) {
        (Some(RefOr::T(body)), "triggerBuild") => body.required = Some(Required::False),
        (Some(RefOr::T(body)), "publishPages") => {
            // It is required. But of a required body of two types openapi-python-client 0.29 makes code that does not
            // run: it forgets an import. tests/contract.sh runs what it makes.
            body.required = Some(Required::False);
            let form = Content::new(Some(reference("PublishForm")));
            body.content.insert("multipart/form-data".into(), form.into());
        }
        _ => {}
    }
    for (status, answer) in &mut operation.responses.responses {
        if let RefOr::T(answer) = answer {
            add_headers(status, answer);
        }
    }
}

fn refused_pages() -> RefOr<Schema> {
    let bodies = ["ValidationFailed", "DuplicateSlugs", "SlugConflict", "UnresolvedFiles", "Failure"];
    // A conflict is a failure with one key more, so it is any of them and not one.
    let any_of = bodies.iter().fold(AnyOfBuilder::new(), |any_of, name| any_of.item(reference(name)));
    RefOr::T(any_of.build().into())
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
    fn the_limits_it_tells_are_those_that_are_held() {
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
