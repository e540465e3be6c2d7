//! `GET /pages`: lists a site's pages.

use std::convert::Infallible;

use api::{ContentType, Failure, PageList};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::Uri;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use publisher::{Caller, Cursor, ListBody, ListQuery};

use crate::App;
use crate::error::ApiError;
use crate::query::Parameters;
use crate::routes::CommonFailures;

const MAX_LIMIT: u32 = 1000;

/// List pages
///
/// Newest update first, without content. Without `limit` and `cursor` the whole list is returned; with one of them
/// a part of it and `nextCursor`.
#[utoipa::path(
    get,
    path = "/pages",
    tag = "Pages",
    operation_id = "listPages",
    params(
        ("siteId" = Option<Uuid>, Query, description = "Target site; the default site when omitted"),
        ("contentType" = Option<ContentType>, Query, description = "Only pages of this type"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "At most this many pages"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the previous part"),
        ("hashes" = Option<bool>, Query, description = "`true`: each page has its `hash`; see `GET /pages/{slug}`"),
    ),
    responses(
        (status = 200, description = "The pages", body = PageList),
        (status = 400, description = "A parameter or the body is missing or invalid", body = Failure),
        CommonFailures,
    )
)]
pub(crate) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let parameters = Parameters::of(&uri);
    let query = ListQuery {
        site: parameters.site()?,
        content_type: parameters.content_type()?,
        limit: parameters.get("limit")?.map(parse_limit).transpose()?,
        cursor: parameters.get("cursor")?.map(parse_cursor).transpose()?,
        hashes: parameters.flag("hashes")?.unwrap_or_default(),
    };
    Ok(streamed(app.publisher.list(&caller, query).await?))
}

fn streamed(body: ListBody) -> Response {
    let length: usize = body.iter().map(Bytes::len).sum();
    let headers = [(CONTENT_TYPE, "application/json".to_owned()), (CONTENT_LENGTH, length.to_string())];
    let pieces = stream::iter(body.into_iter().map(Ok::<_, Infallible>));
    (headers, Body::from_stream(pieces)).into_response()
}

fn parse_limit(text: &str) -> Result<u32, ApiError> {
    let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| ApiError::BadRequest(format!("limit must be a number from 1 to {MAX_LIMIT}")))
}

fn parse_cursor(text: &str) -> Result<Cursor, ApiError> {
    Cursor::parse(text)
        .ok_or_else(|| ApiError::BadRequest("cursor must be a nextCursor of an earlier answer".into()))
}
