//! Failures that several endpoints share, for the OpenAPI description. Each endpoint lists those it can return.

use std::borrow::Cow;
use std::collections::BTreeMap;

use api::{
    DuplicateSlugs, Failure, InternalError, InvalidSettings, SlugConflict, Unauthorized, UnresolvedFiles,
    ValidationFailed,
};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::{Content, Ref, RefOr, Schema};
use utoipa::{IntoResponses, PartialSchema, ToSchema};

type Responses = BTreeMap<String, RefOr<Response>>;

/// Failures of every endpoint; `guard` and `trace` return them.
pub(crate) enum CommonFailures {}

impl IntoResponses for CommonFailures {
    fn responses() -> Responses {
        const NOT_YOURS: &str = "The site does not exist or is not yours, or the account is suspended";
        const WAIT: &str =
            "A rate limit, the build cooldown or too many large files; wait for Retry-After seconds";
        const UNAVAILABLE: &str = "The database is unavailable, or too many large files are being uploaded; try again in a few seconds";
        Responses::from([
            failure::<Unauthorized>("401", "No token, or one that is malformed, unknown or revoked"),
            failure::<Failure>("403", NOT_YOURS),
            failure::<Failure>("429", WAIT),
            failure::<InternalError>("500", "Internal error of the server"),
            failure::<Failure>("503", UNAVAILABLE),
        ])
    }
}

/// Failures of an endpoint that reads a body.
pub(crate) enum BodyFailures {}

impl IntoResponses for BodyFailures {
    fn responses() -> Responses {
        const TYPE: &str = "The content type or content encoding is not supported";
        Responses::from([
            failure::<Failure>("408", "The body arrived too slowly"),
            failure::<Failure>("413", "The body or a file is too large"),
            failure::<Failure>("415", TYPE),
        ])
    }
}

/// The body of a 400 of `POST /pages`: which one depends on why the pages are refused.
pub(crate) enum RefusedPages {}

impl PartialSchema for RefusedPages {
    fn schema() -> RefOr<Schema> {
        // A slug conflict is also a valid `Failure`, so this is any of them, not one of them.
        let any_of = AnyOfBuilder::new()
            .item(reference(ValidationFailed::name()))
            .item(reference(DuplicateSlugs::name()))
            .item(reference(SlugConflict::name()))
            .item(reference(UnresolvedFiles::name()))
            .item(reference(Failure::name()));
        RefOr::T(any_of.build().into())
    }
}

impl ToSchema for RefusedPages {}

/// The body of a 400 of `PATCH /sites/{siteId}/settings`.
pub(crate) enum RefusedSettings {}

impl PartialSchema for RefusedSettings {
    fn schema() -> RefOr<Schema> {
        let any_of =
            AnyOfBuilder::new().item(reference(InvalidSettings::name())).item(reference(Failure::name()));
        RefOr::T(any_of.build().into())
    }
}

impl ToSchema for RefusedSettings {}

fn failure<T: ToSchema>(status: &str, description: &str) -> (String, RefOr<Response>) {
    let content = Content::new(Some(reference(T::name())));
    let response = ResponseBuilder::new().description(description).content("application/json", content);
    (status.to_owned(), RefOr::T(response.build()))
}

fn reference(name: Cow<'_, str>) -> RefOr<Schema> {
    RefOr::Ref(Ref::from_schema_name(name))
}
