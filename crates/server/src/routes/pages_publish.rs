//! `POST /pages`: creates, updates and deletes pages, takes in their files, and queues a build.

use api::{PublishBody, PublishResponse};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use model::ByteSize;
use publisher::{Caller, Draft, Error, Spooled, Uploads};

use crate::App;
use crate::body::{BodyError, BodyLimits, BodyReader};
use crate::error::{ApiError, json, json_response};
use crate::form::{Field, Form, malformed};
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
    let draft = match MediaType::of(&headers) {
        MediaType::Json => {
            let mut body = BodyReader::new(body, &headers, BodyLimits::new(app.max_body))?;
            let mut payload = Payload::new(Draft::new(&app.publisher, &caller));
            while let Some(chunk) = body.chunk().await? {
                payload.push(chunk.clone()).await.map_err(|error| match error {
                    ApiError::Json(error) => error.of_body(&chunk).into(),
                    error => error,
                })?;
            }
            payload.finish()?
        }
        MediaType::Form(kind) => read_form(&app, &caller, Form::new(&headers, body, &kind)?).await?,
        MediaType::Missing => return Err(media_type("the body has no content type")),
        MediaType::Other(name) => return Err(media_type(&format!("cannot read {name:?}"))),
    };
    let response = if draft.wants_build() {
        // On a task of its own: a client that leaves after its pages are stored has its build queued all the same.
        let publish = tokio::spawn(async move { draft.publish(&caller).await });
        publish.await.map_err(|error| Error::Internal(format!("publish: {error}")))??
    } else {
        draft.publish(&caller).await?
    };
    Ok(json_response(StatusCode::OK, json(&response)))
}

/// The payload and the files of a form, in whatever order they come. The payload is read twice: for what is wrong with
/// it, as soon as it is there, and once more when the addresses of its files are known.
async fn read_form(app: &App, caller: &Caller, mut form: Form) -> Result<Draft, ApiError> {
    let mut uploads = Uploads::new(&app.publisher, caller)?;
    let mut payload = None;
    while let Some(field) = form.next().await? {
        match field {
            // Browsers give a Blob a file name, and so does `curl -F payload=@page.json`.
            Field::Text(field) | Field::File { field, .. } if field == "payload" => {
                if payload.is_some() {
                    return Err(malformed("there are two fields `payload`"));
                }
                payload = Some(receive_payload(app, caller, &mut form, &uploads).await?);
            }
            Field::File { name, .. } => form.receive(&mut uploads, name, 0).await?,
            Field::Text(_) => drop(form.text().await?),
        }
    }
    let payload = payload.ok_or_else(|| malformed("the field `payload` is missing"))?;
    let files = uploads.finish().await?;
    let (mut again, mut payload) =
        (payload.read().await?, Payload::new(Draft::with_files(&app.publisher, caller, files)));
    while let Some(chunk) = again.chunk().await? {
        payload.push(chunk).await?;
    }
    payload.finish()
}

async fn receive_payload(
    app: &App,
    caller: &Caller,
    form: &mut Form,
    uploads: &Uploads,
) -> Result<Spooled, ApiError> {
    let (mut spooling, mut payload) =
        (uploads.begin_payload(), Payload::new(Draft::without_texts(&app.publisher, caller)));
    while let Some(chunk) = form.chunk().await? {
        if spooling.size() + chunk.len() as u64 > app.max_body {
            return Err(BodyError::TooLarge { most: ByteSize(app.max_body) }.into());
        }
        spooling.write(chunk.clone()).await?;
        payload.push(chunk).await?;
    }
    payload.finish()?.check(caller).await?;
    Ok(spooling.finish().await?)
}

/// JSON that is read entry by entry; it is never held whole.
struct Payload {
    draft: Draft,
    stream: JsonStream,
}

impl Payload {
    fn new(draft: Draft) -> Payload {
        Payload { draft, stream: JsonStream::new(MAX_VALUE) }
    }

    async fn push(&mut self, chunk: Bytes) -> Result<(), ApiError> {
        let Payload { draft, stream } = self;
        stream.push(chunk);
        while let Some(event) = stream.next()? {
            match event {
                Event::ArrayStart { .. } => draft.begin_batch(),
                Event::Element { array: Streamed::Pages, value, .. } => draft.page(value).await?,
                Event::Element { array: Streamed::DeleteSlugs, value, .. } => draft.delete(value)?,
                Event::ArrayEnd { .. } => {}
                Event::Member { key, value } => draft.member(key, value)?,
            }
        }
        Ok(draft.relieve().await?)
    }

    fn finish(self) -> Result<Draft, ApiError> {
        self.stream.finish()?;
        Ok(self.draft)
    }
}

fn media_type(what: &str) -> ApiError {
    ApiError::MediaType(format!("{what}; send application/json or multipart/form-data"))
}
