//! The API's errors: each with its status and body, as the specification lists them.

use api::{
    DuplicateSlugs, Failure, InvalidSettings, SlugConflict, Unauthorized, Unresolved, UnresolvedFiles,
    ValidationFailed,
};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use model::ByteSize;
use publisher::{Error, Limited, Refusal};
use serde::Serialize;

use crate::body::BodyError;
use crate::json_stream::{Fault as JsonFault, JsonError};
use crate::multipart::MultipartError;

#[derive(Debug)]
pub(crate) enum ApiError {
    /// An error of the use case.
    Publisher(Error),
    /// A missing or wrong parameter, field or body.
    BadRequest(String),
    Json(JsonError),
    Body(BodyError),
    Multipart(MultipartError),
    /// The body's type is not supported.
    MediaType(String),
    RateLimited {
        retry_after: u64,
    },
    NoRoute,
    NoMethod,
    /// `/tls/ask`: no site has this host.
    NoHost,
    /// The database did not respond in time.
    NotReady {
        seconds: u64,
    },
}

/// The cause of a 500 or 503, attached to the response as an extension. `trace` logs it and writes the body of a 500.
#[derive(Debug, Clone)]
pub(crate) struct Fault(pub(crate) String);

impl ApiError {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            ApiError::Publisher(error) => match error {
                Error::Malformed(_) => StatusCode::BAD_REQUEST,
                Error::InvalidToken => StatusCode::UNAUTHORIZED,
                Error::Suspended => StatusCode::FORBIDDEN,
                Error::NoSuchSite => StatusCode::FORBIDDEN,
                Error::Invalid(_) => StatusCode::BAD_REQUEST,
                Error::InvalidSettings(_) => StatusCode::BAD_REQUEST,
                Error::DuplicateSlugs(_) => StatusCode::BAD_REQUEST,
                Error::SlugConflict(_) => StatusCode::BAD_REQUEST,
                Error::UnresolvedFiles(_) => StatusCode::BAD_REQUEST,
                Error::FileTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
                Error::LargeUploads { .. } => StatusCode::TOO_MANY_REQUESTS,
                Error::Busy => StatusCode::SERVICE_UNAVAILABLE,
                Error::OpenRequests => StatusCode::SERVICE_UNAVAILABLE,
                Error::Quota { .. } => StatusCode::PAYMENT_REQUIRED,
                Error::DiskFull => StatusCode::INSUFFICIENT_STORAGE,
                Error::NoSuchPage => StatusCode::NOT_FOUND,
                Error::Changed => StatusCode::CONFLICT,
                Error::NoBuild => StatusCode::NOT_FOUND,
                Error::BuildQuota { .. } => StatusCode::PAYMENT_REQUIRED,
                Error::BuildCooldown { .. } => StatusCode::TOO_MANY_REQUESTS,
                Error::Unavailable(_) | Error::Overtaken(_) => StatusCode::SERVICE_UNAVAILABLE,
                Error::CommitUnknown(_) => StatusCode::SERVICE_UNAVAILABLE,
                // Only operators' commands are refused.
                Error::Refused(_) | Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
            },
            ApiError::BadRequest(_) => StatusCode::BAD_REQUEST,
            ApiError::Json(error) => match error.fault {
                JsonFault::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
                _ => StatusCode::BAD_REQUEST,
            },
            ApiError::Body(error) => match error {
                BodyError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
                BodyError::Encoding(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
                BodyError::Gzip => StatusCode::BAD_REQUEST,
                BodyError::TooSlow => StatusCode::REQUEST_TIMEOUT,
                BodyError::Aborted => StatusCode::BAD_REQUEST,
            },
            ApiError::Multipart(_) => StatusCode::BAD_REQUEST,
            ApiError::MediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ApiError::RateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
            ApiError::NoRoute => StatusCode::NOT_FOUND,
            ApiError::NoMethod => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::NoHost => StatusCode::NOT_FOUND,
            ApiError::NotReady { .. } => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The message of the body, for people.
    pub(crate) fn message(&self) -> String {
        let body: serde_json::Value = serde_json::from_slice(&self.body()).unwrap_or_default();
        let text = body["message"].as_str().or_else(|| body["error"].as_str());
        text.unwrap_or("internal error of the server").to_owned()
    }

    fn body(&self) -> Vec<u8> {
        match self {
            ApiError::Publisher(error) => match error {
                Error::Malformed(message) => failure("bad request", message),
                Error::InvalidToken => json(&Unauthorized { error: "invalid or revoked token" }),
                Error::Suspended => failure("forbidden", "the account is suspended; ask the operator"),
                Error::NoSuchSite => failure("forbidden", "the site does not exist or is not yours"),
                Error::Invalid(pages) => {
                    json(&ValidationFailed { error: "validation failed", pages: pages.clone() })
                }
                Error::InvalidSettings(settings) => json(&InvalidSettings {
                    error: "invalid settings",
                    message: error.to_string(),
                    settings: settings.clone(),
                }),
                Error::DuplicateSlugs(conflicts) => {
                    json(&DuplicateSlugs { error: "duplicate slugs in batch", conflicts: conflicts.clone() })
                }
                Error::SlugConflict(indexes) => json(&SlugConflict {
                    error: "slug conflict",
                    message: "a page must not be in both pages and deleteSlugs".into(),
                    page_indexes: indexes.clone(),
                }),
                Error::UnresolvedFiles(found) => {
                    let count = |(&page, &unresolved_count)| (page, Unresolved { unresolved_count });
                    json(&UnresolvedFiles {
                        error: "unresolved file references",
                        message: missing_files(&found.names, found.others),
                        details: found.counts.iter().map(count).collect(),
                    })
                }
                Error::FileTooLarge { name, limit } => failure(
                    "file too large",
                    &format!("{name:?} is larger than {limit}, the most that the account's plan allows"),
                ),
                Error::LargeUploads { .. } => rate_limited(),
                Error::Busy => {
                    failure("busy", "the server is busy with large uploads; try again in a few seconds")
                }
                Error::OpenRequests => failure(
                    "busy",
                    "the account has too many open requests, or they hold too much together; try again when some of them have ended",
                ),
                Error::Quota { what, required, remaining } => quota(*what, *required, *remaining),
                Error::DiskFull => failure(
                    "insufficient storage on the server",
                    "the server's disk is nearly full, and takes nothing new; pages and files can still be deleted",
                ),
                Error::NoSuchPage => failure(
                    "not found",
                    "no page with this slug, content type and section exists in the site",
                ),
                Error::Changed => failure("conflict", "the page was changed meanwhile; read it again"),
                Error::NoBuild => failure("not found", "the site has not been built yet"),
                Error::BuildQuota { limit } => refusal(&Refusal::quota(*limit)),
                Error::BuildCooldown { seconds } => refusal(&Refusal::cooldown(*seconds)),
                Error::Overtaken(why) => refusal(&Refusal::overtaken(why)),
                Error::Unavailable(_) => refusal(&Refusal::unavailable()),
                Error::CommitUnknown(_) => refusal(&Refusal::commit_unknown()),
                Error::Refused(_) | Error::Internal(_) => Vec::new(),
            },
            ApiError::BadRequest(message) => failure("bad request", message),
            ApiError::Json(error) => match error.fault {
                JsonFault::TooLarge { .. } => failure("request too large", &error.to_string()),
                _ => failure("malformed JSON", &error.to_string()),
            },
            ApiError::Body(error) => match error {
                BodyError::TooLarge { .. } => failure("request too large", &error.to_string()),
                BodyError::Encoding(_) => failure("unsupported content encoding", &error.to_string()),
                BodyError::Gzip => failure("bad request", &error.to_string()),
                BodyError::TooSlow => failure("request timeout", &error.to_string()),
                BodyError::Aborted => failure("bad request", &error.to_string()),
            },
            ApiError::Multipart(error) => failure("malformed multipart body", &error.to_string()),
            ApiError::MediaType(message) => failure("unsupported media type", message),
            ApiError::RateLimited { .. } => rate_limited(),
            ApiError::NoRoute => failure("not found", "there is nothing at this address; see /docs"),
            ApiError::NoMethod => {
                failure("method not allowed", "the Allow header lists the methods; see /docs")
            }
            ApiError::NoHost => failure("not found", "no site answers to this host"),
            ApiError::NotReady { seconds } => failure(
                "service unavailable",
                &format!("the database did not answer within {seconds} seconds"),
            ),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = json_response(self.status(), self.body());
        let headers = response.headers_mut();
        match &self {
            ApiError::Publisher(Error::InvalidToken) => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            ApiError::Publisher(
                Error::BuildCooldown { seconds: wait } | Error::LargeUploads { retry_after: wait },
            )
            | ApiError::RateLimited { retry_after: wait } => {
                headers.insert(RETRY_AFTER, HeaderValue::from(*wait));
            }
            ApiError::Publisher(
                Error::Refused(text)
                | Error::Internal(text)
                | Error::Unavailable(text)
                | Error::CommitUnknown(text),
            ) => {
                response.extensions_mut().insert(Fault(text.clone()));
            }
            _ => {}
        }
        response
    }
}

pub(crate) fn json_response(status: StatusCode, body: impl Into<Bytes>) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body.into()).into_response()
}

pub(crate) fn json(body: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("the wire types have no maps with keys that JSON cannot write")
}

fn failure(error: &str, message: &str) -> Vec<u8> {
    json(&Failure { error: error.into(), message: message.into() })
}

fn missing_files(names: &[String], others: usize) -> String {
    let mut list: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    if others > 0 {
        list.push(format!("and {others} more"));
    }
    format!(
        "no attached file is called {}; send each as a part of a multipart/form-data request, under exactly this name",
        list.join(", ")
    )
}

fn quota(what: Limited, required: u64, remaining: u64) -> Vec<u8> {
    let (needed, left) = (ByteSize(required), ByteSize(remaining));
    match what {
        Limited::Storage => failure(
            "storage quota exceeded",
            &format!(
                "the upload needs {required} bytes of storage ({needed}), but only {remaining} bytes ({left}) remain"
            ),
        ),
        Limited::Pages => failure(
            "page quota exceeded",
            &format!(
                "the request adds {required} pages, but the account's plan allows only {remaining} more"
            ),
        ),
        Limited::Text => failure(
            "text quota exceeded",
            &format!(
                "the request adds {required} bytes of text ({needed}), but only {remaining} bytes ({left}) remain; \
                 texts of deleted pages count until these are purged"
            ),
        ),
    }
}

fn rate_limited() -> Vec<u8> {
    failure("rate limit exceeded", "too many requests, please try again later")
}

fn refusal(refusal: &Refusal) -> Vec<u8> {
    failure(refusal.error, &refusal.message)
}

impl From<Error> for ApiError {
    fn from(error: Error) -> ApiError {
        ApiError::Publisher(error)
    }
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> ApiError {
        ApiError::Body(error)
    }
}

impl From<MultipartError> for ApiError {
    fn from(error: MultipartError) -> ApiError {
        match error {
            MultipartError::Body(error) => ApiError::Body(error),
            error => ApiError::Multipart(error),
        }
    }
}

impl From<JsonError> for ApiError {
    fn from(error: JsonError) -> ApiError {
        ApiError::Json(error)
    }
}
