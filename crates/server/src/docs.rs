//! The OpenAPI 3.1 document, generated from the code, and the reference made from it.

pub(crate) mod reference;

use std::sync::LazyLock;

use api::{
    DuplicateSlugs, Failure, InternalError, InvalidSettings, PublishForm, SlugConflict, Unauthorized,
    Unresolved, UnresolvedFiles, ValidationFailed,
};
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use publisher::SiteSettings;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::Response as Answer;
use utoipa::openapi::schema::{AdditionalProperties, AnyOfBuilder, Object, ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{Components, InfoBuilder, OpenApi, Ref, RefOr, Required, Schema, ServerBuilder};

use crate::error::json_response;
use crate::router::{PUBLIC_API, public_api};

static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| {
    let json = openapi().to_pretty_json().expect("the document has only string keys");
    Bytes::from(json)
});

pub(crate) async fn document() -> Response {
    json_response(StatusCode::OK, DOCUMENT.clone())
}

/// The same document for the reference.
fn document_value() -> Value {
    serde_json::to_value(openapi()).expect("the document has only string keys")
}

/// The whole document: the description of each route, and everything that is common to all routes.
pub fn openapi() -> OpenApi {
    let (_, mut openapi) = public_api();
    openapi.info = InfoBuilder::new()
        .title("Recto API")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(include_str!("docs/introduction.md")))
        .build();
    openapi.tags = Some(vec![
        TagBuilder::new().name("Pages").description(Some("Publish, read, list and delete pages.")).build(),
        TagBuilder::new().name("Media").description(Some("Upload files that pages show.")).build(),
        TagBuilder::new().name("Builds").description(Some("Turn the pages into the site.")).build(),
        TagBuilder::new().name("Sites").description(Some("Find a site by its name; its settings.")).build(),
        TagBuilder::new().name("Account").description(Some("What the account uses of its limits.")).build(),
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
    register::<InvalidSettings>(components);
    register::<SlugConflict>(components);
    register::<UnresolvedFiles>(components);
    register::<Unresolved>(components);
    register::<PublishForm>(components);
    // `anyOf`, not `oneOf`: every object is also a valid page, since unknown fields are ignored.
    let body = AnyOfBuilder::new().item(reference("PublishRequest")).item(reference("PageInput"));
    let body = body.description(Some("A batch, or a single page as the whole body (the original format)."));
    components.schemas.insert("PublishBody".into(), RefOr::T(body.build().into()));
    components.schemas.insert("SiteSettings".into(), RefOr::T(site_settings().into()));
    for item in openapi.paths.paths.values_mut() {
        for operation in
            [&mut item.get, &mut item.post, &mut item.patch, &mut item.delete].into_iter().flatten()
        {
            complete(operation);
        }
    }
    openapi
}

/// Every setting of a site, from the one list of them.
fn site_settings() -> Object {
    let text = |about: &str| ObjectBuilder::new().schema_type(Type::String).description(Some(about)).build();
    let about = "Settings by key, as texts; an empty one means the default.";
    let object = ObjectBuilder::new().description(Some(about));
    let add = |object: ObjectBuilder, (key, about): &(&str, &str)| object.property(*key, text(about));
    let object = SiteSettings::KEYS.iter().fold(object, add);
    object.additional_properties(Some(AdditionalProperties::FreeForm(false))).build()
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
