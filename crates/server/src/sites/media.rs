//! Uploaded files. They belong to no release: they are there at once, and sent piece by piece from where they are kept.

use std::ops::Range;

use axum::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
};
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use futures_util::TryStreamExt;
use http_body_util::{Either, StreamBody};
use hyper::body::Frame;
use model::MediaUrl;
use publisher::{Error, Medium, Publisher, Visit};

use super::conditions::{self, Part};
use super::{Answer, answer, headers};
use crate::listen::Upload;

/// Whatever a browser takes an upload for, nothing of it is run. It keeps its origin: without one, Chromium does not
/// play a video or an audio file that is opened by itself.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox allow-same-origin");
/// Safari shows an empty window in place of a PDF in a sandbox, and Chromium ignores it there. What a PDF may run, the
/// viewer keeps away from the site.
const WITHOUT_SANDBOX: &str = "application/pdf";

/// `None`: there is no such file.
pub(super) async fn show(
    publisher: &Publisher,
    visit: &Visit,
    url: &MediaUrl,
    request: &Request<Upload>,
) -> Result<Option<Answer>, Error> {
    let Some(medium) = publisher.find_medium(visit.site, url).await? else { return Ok(None) };
    let (asked, headers) = (request.headers(), headers_of(url, medium.size));
    if conditions::is_known(asked, &headers[ETAG]) {
        return Ok(Some(answer::unchanged(headers)));
    }
    let part = match *request.method() {
        Method::GET => conditions::part(asked, &headers[ETAG], medium.size),
        _ => return Ok(Some(answer::answer(StatusCode::OK, headers, Default::default()))),
    };
    let answer = match part {
        Part::Whole => send(publisher, medium, StatusCode::OK, headers, 0..medium.size).await?,
        Part::Of(range) => {
            let headers = answer::headers_of_part(headers, &range, medium.size);
            send(publisher, medium, StatusCode::PARTIAL_CONTENT, headers, range).await?
        }
        Part::Outside => answer::outside(headers, medium.size),
    };
    Ok(Some(answer))
}

fn headers_of(url: &MediaUrl, size: u64) -> HeaderMap {
    let mut headers = headers::forever();
    let (_, extension) = url.name.rsplit_once('.').unwrap_or_default();
    // A film and its twin are of one hash.
    let tag = format!("\"{}-{extension}\"", url.hash);
    headers.insert(ETAG, HeaderValue::try_from(tag).expect("digits and letters are a header"));
    let kind = publisher::media_type(&url.name);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if kind != WITHOUT_SANDBOX {
        headers.insert(CONTENT_SECURITY_POLICY, SANDBOX);
    }
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static(publisher::disposition(&url.name)));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(size));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers
}

async fn send(
    publisher: &Publisher,
    medium: Medium,
    status: StatusCode,
    headers: HeaderMap,
    range: Range<u64>,
) -> Result<Answer, Error> {
    let pieces = publisher.read_medium(medium, range).await?.map_ok(Frame::data);
    let mut answer = Answer::new(Either::Right(StreamBody::new(Box::pin(pieces))));
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_a_pdf_is_shown_in_a_sandbox() {
        let policy = |name: &str| {
            let url = MediaUrl::parse(&format!("/media/{}/{name}", "0".repeat(32))).expect("a URL");
            let headers = headers_of(&url, 1);
            headers.get(CONTENT_SECURITY_POLICY).map(|policy| policy.to_str().expect("text").to_owned())
        };
        for name in ["a.webp", "a.gif", "a.mp4", "a.webm", "a.mov", "a.mp3", "a.txt", "a.docx", "a.zip"] {
            assert_eq!(policy(name).as_deref(), Some("sandbox allow-same-origin"), "{name}");
        }
        assert_eq!(policy("a.pdf"), None);
    }
}
