//! `POST /pages`: creates, updates and deletes pages, and queues a build.

use api::{PublishBody, PublishResponse};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use publisher::{Caller, Draft, Error};

use crate::App;
use crate::body::{BodyLimits, BodyReader};
use crate::error::{ApiError, json, json_response};
use crate::json_stream::{Event, JsonStream, Streamed};
use crate::routes::MediaType;

/// No valid page comes near it: its content and params are at most 100,000 characters each.
const MAX_VALUE: usize = 4 << 20;

/// Create or update pages, delete pages, queue a build
///
/// All of it is stored, or, when anything is refused, none of it. A single page may be sent as the whole body; its
/// fields are then repeated at the top of the answer. A build that cannot be queued does not undo the pages: the
/// answer says why under `build`.
#[utoipa::path(
    post,
    path = "/pages",
    tag = "Pages",
    operation_id = "publishPages",
    request_body(
        content = PublishBody,
        content_type = "application/json",
        examples(
            ("batch" = (summary = "A batch", value = json!({
                "pages": [{"slug": "hello-world", "title": "Hello, world", "content": "# Hello", "tags": ["first"]}],
                "deleteSlugs": [{"slug": "old", "contentType": "blog"}],
                "build": true,
            }))),
            ("page" = (summary = "A single page", value = json!({"title": "Hello, world", "content": "# Hello"}))),
        ),
    ),
    responses((status = 200, description = "Stored", body = PublishResponse))
)]
pub(crate) async fn publish(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    match MediaType::of(&headers) {
        MediaType::Json => {}
        MediaType::Missing => return Err(media_type("the body has no content type")),
        MediaType::Other(name) => return Err(media_type(&format!("cannot read {name:?}"))),
    }
    let body = BodyReader::new(body, &headers, BodyLimits::new(app.max_body))?;
    let draft = read(Draft::new(&app.publisher), body).await?;
    let response = if draft.wants_build() {
        // On a task of its own: a client that leaves after its pages are stored has its build queued all the same.
        let publish = tokio::spawn(async move { draft.publish(&caller).await });
        publish.await.map_err(|error| Error::Internal(format!("publish: {error}")))??
    } else {
        draft.publish(&caller).await?
    };
    Ok(json_response(StatusCode::OK, json(&response)))
}

/// Reads the body entry by entry; it is never held whole.
async fn read(mut draft: Draft, mut body: BodyReader) -> Result<Draft, ApiError> {
    let mut stream = JsonStream::new(MAX_VALUE);
    while let Some(chunk) = body.chunk().await? {
        stream.push(chunk);
        while let Some(event) = stream.next()? {
            match event {
                Event::ArrayStart { .. } => draft.begin_batch(),
                Event::Element { array: Streamed::Pages, value, .. } => draft.page(value)?,
                Event::Element { array: Streamed::DeleteSlugs, value, .. } => draft.delete(value)?,
                Event::ArrayEnd { .. } => {}
                Event::Member { key, value } => draft.member(key, value)?,
            }
        }
        draft.relieve().await?;
    }
    stream.finish()?;
    Ok(draft)
}

fn media_type(what: &str) -> ApiError {
    ApiError::MediaType(format!("{what}; send application/json"))
}
