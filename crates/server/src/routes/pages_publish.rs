//! `POST /pages`: creates, updates and deletes pages, stores their files and queues a build.

use std::pin::pin;
use std::time::Duration;

use api::{ContentType, Failure, PublishBody, PublishForm, PublishResponse};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use bytes::Bytes;
use model::ByteSize;
use publisher::{Caller, Draft, Error, MarkdownQuery, SpooledFile, Uploads};
use tokio::time::timeout;
use tokio::try_join;

use crate::App;
use crate::body::{BodyError, BodyLimits, BodyReader};
use crate::error::{ApiError, json, json_response};
use crate::form::{Field, Form, malformed};
use crate::json_stream::{Event, JsonStream, Streamed};
use crate::query::Parameters;
use crate::routes::{BodyFailures, CommonFailures, MediaType, RefusedPages, read_body};

/// Of one page as JSON or Markdown. Valid pages are far smaller: content and params have at most 100,000 characters each.
const MAX_PAGE_BYTES: usize = 4 << 20;
/// A body that does not continue for so long pauses.
const PAUSE: Duration = Duration::from_millis(20);

/// Create or update pages, delete pages, queue a build
///
/// Either everything is stored or, if anything is refused, nothing. A single page may be sent as the whole body; its
/// fields are then repeated at the top level of the response. If the build cannot be queued, the pages are stored all
/// the same, and `build` contains the reason.
///
/// `dryRun` checks everything and stores nothing: the response says what would be `created`, `updated` or `unchanged`, and
/// `plan` what else would happen.
///
/// A body of the type `text/markdown` is one page, optionally with front matter: YAML between two lines `---`, or TOML
/// between two lines `+++`. The keys `title`, `slug`, `contentType` (or `type`), `section`, `description`, `tags`, `draft`,
/// `publishedAt` (or `date`), `apiEndpoint` and `params` are fields of the page, in camelCase or snake_case; other keys go into
/// `params`. Without a title, the first heading is the title. Parameters in the query take precedence over front matter.
#[utoipa::path(
    post,
    path = "/pages",
    tag = "Pages",
    operation_id = "publishPages",
    params(
        ("contentType" = Option<ContentType>, Query, description = "Only for `text/markdown`"),
        ("section" = Option<String>, Query, description = "Only for `text/markdown`"),
        ("slug" = Option<String>, Query, description = "Only for `text/markdown`"),
        ("draft" = Option<bool>, Query, description = "Only for `text/markdown`"),
        ("build" = Option<bool>, Query, description = "Only for `text/markdown`: queue a build"),
        ("siteId" = Option<Uuid>, Query, description = "Only for `text/markdown`: target site; the default site when omitted"),
    ),
    request_body(content(
        (PublishBody = "application/json", examples(
            ("batch" = (summary = "A batch", value = json!({
                "pages": [{"slug": "hello-world", "title": "Hello, world", "content": "# Hello", "tags": ["first"]}],
                "deleteSlugs": [{"slug": "old", "contentType": "blog"}],
                "build": true,
            }))),
            ("page" = (summary = "A single page", value = json!({"title": "Hello, world", "content": "# Hello"}))),
        )),
        (PublishForm = "multipart/form-data"),
        (String = "text/markdown", example = "---\ntitle: Hello, world\ntags: [first]\n---\n\nMy first page."),
    )),
    responses(
        (
            status = 200,
            description = "Stored; a single page's own fields are repeated at the top level",
            body = PublishResponse,
        ),
        (
            status = 400,
            description = "The request is refused as a whole; nothing is stored",
            body = inline(RefusedPages),
        ),
        (status = 402, description = "The files need more storage than is left", body = Failure),
        BodyFailures,
        CommonFailures,
    )
)]
pub(crate) async fn publish(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let query = markdown_query(&Parameters::of(&uri))?;
    let draft = match MediaType::of(&headers) {
        MediaType::Json => {
            let mut body = BodyReader::new(body, &headers, BodyLimits::new(app.max_body))?;
            let mut payload = Payload::new(Draft::new(&app.publisher, &caller));
            while let Some(chunk) = payload.await_chunk(body.chunk()).await? {
                payload.push(chunk.clone()).await.map_err(|error| match error {
                    ApiError::Json(error) => error.with_detected_format(&chunk).into(),
                    error => error,
                })?;
            }
            payload.finish().await?
        }
        MediaType::Form(kind) => read_form(&app, &caller, Form::new(&headers, body, &kind)?).await?,
        MediaType::Markdown => {
            let mut draft = Draft::new(&app.publisher, &caller);
            draft.markdown(read_text(&headers, body).await?, query).await?;
            draft
        }
        MediaType::Missing => return Err(media_type("the body has no content type")),
        MediaType::Other(name) => return Err(media_type(&format!("cannot read {name:?}"))),
    };
    let response = if draft.wants_build() {
        // In a separate task: if the client disconnects after its pages are stored, the build is still queued.
        let publish = tokio::spawn(async move { draft.publish(&caller).await });
        publish.await.map_err(|error| Error::Internal(format!("publish: {error}")))??
    } else {
        draft.publish(&caller).await?
    };
    Ok(json_response(StatusCode::OK, json(&response)))
}

fn markdown_query(parameters: &Parameters) -> Result<MarkdownQuery, ApiError> {
    let text = |name| parameters.get(name).map(|value| value.map(str::to_owned));
    Ok(MarkdownQuery {
        content_type: parameters.content_type()?.map(|content_type| content_type.as_str().to_owned()),
        section: text("section")?,
        slug: text("slug")?,
        draft: parameters.flag("draft")?,
        build: parameters.flag("build")?,
        site: parameters.site()?.map(|site| site.to_string()),
    })
}

async fn read_text(headers: &HeaderMap, body: Body) -> Result<String, ApiError> {
    let text = read_body(headers, body, MAX_PAGE_BYTES as u64).await?;
    String::from_utf8(text).map_err(|_| malformed("the text is not UTF-8"))
}

/// Reads the payload and the files of a form, in any order. The payload is parsed twice: once when it arrives, to report
/// errors early, and again when the URLs of its files are known.
async fn read_form(app: &App, caller: &Caller, mut form: Form) -> Result<Draft, ApiError> {
    let mut uploads = Uploads::new(&app.publisher, caller)?;
    let mut payload = None;
    while let Some(field) = form.next().await? {
        match field {
            // A payload may have a file name: browsers add one to a Blob, and curl to `-F payload=@page.json`.
            Field::Text(field) | Field::File { field, .. } if field == "payload" => {
                if payload.is_some() {
                    return Err(malformed("there are two fields `payload`"));
                }
                payload = Some(receive_payload(app, caller, &mut form, &uploads).await?);
            }
            Field::File { name, .. } => form.receive_file(&mut uploads, name, 0).await?,
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
    payload.finish().await
}

async fn receive_payload(
    app: &App,
    caller: &Caller,
    form: &mut Form,
    uploads: &Uploads,
) -> Result<SpooledFile, ApiError> {
    let (mut spooling, mut payload) =
        (uploads.begin_payload(), Payload::new(Draft::without_texts(&app.publisher, caller)));
    while let Some(chunk) = payload.await_chunk(form.chunk()).await? {
        if spooling.size() + chunk.len() as u64 > app.max_body {
            return Err(BodyError::TooLarge { most: ByteSize(app.max_body) }.into());
        }
        spooling.write(chunk.clone()).await?;
        payload.push(chunk).await?;
    }
    payload.finish().await?.check(caller).await?;
    Ok(spooling.finish().await?)
}

/// A JSON body that is parsed entry by entry; it is never in memory as a whole.
struct Payload {
    draft: Draft,
    stream: JsonStream,
}

impl Payload {
    fn new(draft: Draft) -> Payload {
        Payload { draft, stream: JsonStream::new(MAX_PAGE_BYTES) }
    }

    /// Waits for a chunk of the body. During a pause, all pages that have arrived are checked: an error is reported at once,
    /// not only when the client sends more. It also counts instead of an error of the body that comes after it.
    async fn await_chunk<E: Into<ApiError>>(
        &mut self,
        chunk: impl Future<Output = Result<Option<Bytes>, E>>,
    ) -> Result<Option<Bytes>, ApiError> {
        let mut chunk = pin!(chunk);
        let arrived = timeout(PAUSE, &mut chunk).await;
        if let Ok(Ok(chunk)) = arrived {
            return Ok(chunk);
        }
        let settle = async { self.draft.settle().await.map_err(ApiError::from) };
        let arrived = async {
            Ok(match arrived {
                Ok(failed) => failed,
                Err(_) => chunk.await,
            })
        };
        let ((), arrived) = try_join!(settle, arrived)?;
        arrived.map_err(E::into)
    }

    async fn push(&mut self, chunk: Bytes) -> Result<(), ApiError> {
        let read = self.read(chunk).await;
        if read.is_err() {
            // An error of a page that came before counts instead.
            self.draft.settle().await?;
        }
        read
    }

    async fn read(&mut self, chunk: Bytes) -> Result<(), ApiError> {
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
        Ok(draft.work_ahead().await?)
    }

    async fn finish(self) -> Result<Draft, ApiError> {
        let Payload { mut draft, stream } = self;
        let ended = stream.finish();
        draft.settle().await?;
        ended?;
        Ok(draft)
    }
}

fn media_type(what: &str) -> ApiError {
    ApiError::MediaType(format!("{what}; send application/json, multipart/form-data or text/markdown"))
}
