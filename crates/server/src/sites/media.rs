//! Uploaded files. They are not part of a release: they are available at once, and streamed from the object store.

use std::ops::Range;

use axum::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
};
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use futures_util::TryStreamExt;
use http_body_util::{Either, StreamBody};
use hyper::body::Frame;
use model::MediaUrl;
use publisher::{Error, HostedSite, Medium, Publisher};

use super::conditions::{self, Part};
use super::{SiteResponse, headers, response};
use crate::listen::RequestBody;

/// Browsers must not run scripts in an upload. `allow-same-origin`, because without an origin Chromium does not play a
/// video or audio file that is opened directly.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox allow-same-origin");
/// Safari shows a PDF in a sandbox as an empty window, and Chromium ignores the sandbox there. PDF viewers isolate
/// scripts in a PDF from the site.
const WITHOUT_SANDBOX: &str = "application/pdf";

/// `None`: there is no such file.
pub(super) async fn show(
    publisher: &Publisher,
    site: &HostedSite,
    url: &MediaUrl,
    request: &Request<RequestBody>,
) -> Result<Option<SiteResponse>, Error> {
    match publisher.find_medium(site.id, url).await? {
        Some(medium) => send(publisher, medium, headers_of(url, medium.size), request).await.map(Some),
        None => Ok(None),
    }
}

/// A smaller copy of an image; the image itself while there is none. `None`: there is no such image.
pub(super) async fn show_smaller(
    publisher: &Publisher,
    site: &HostedSite,
    url: &MediaUrl,
    width: u16,
    request: &Request<RequestBody>,
) -> Result<Option<SiteResponse>, Error> {
    let Some(found) = publisher.find_smaller(site.id, url, width).await? else { return Ok(None) };
    let mut headers = headers_of(url, found.medium.size);
    match found.is_copy {
        true => drop(headers.insert(ETAG, tag(&format!("{}-{width}", url.hash)))),
        false => headers::forget_soon(&mut headers),
    }
    send(publisher, found.medium, headers, request).await.map(Some)
}

async fn send(
    publisher: &Publisher,
    medium: Medium,
    headers: HeaderMap,
    request: &Request<RequestBody>,
) -> Result<SiteResponse, Error> {
    let asked = request.headers();
    if conditions::is_known(asked, &headers[ETAG]) {
        return Ok(response::unchanged(headers));
    }
    let part = match *request.method() {
        Method::GET => conditions::part(asked, &headers[ETAG], medium.size),
        _ => return Ok(response::build(StatusCode::OK, headers, Default::default())),
    };
    Ok(match part {
        Part::Whole => stream(publisher, medium, StatusCode::OK, headers, 0..medium.size).await?,
        Part::Of(range) => {
            let headers = response::headers_of_part(headers, &range, medium.size);
            stream(publisher, medium, StatusCode::PARTIAL_CONTENT, headers, range).await?
        }
        Part::Outside => response::outside(headers, medium.size),
    })
}

fn headers_of(url: &MediaUrl, size: u64) -> HeaderMap {
    let mut headers = headers::forever();
    let (_, extension) = url.name.rsplit_once('.').unwrap_or_default();
    // A MOV and its MP4 have the same hash in their URLs.
    headers.insert(ETAG, tag(&format!("{}-{extension}", url.hash)));
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

async fn stream(
    publisher: &Publisher,
    medium: Medium,
    status: StatusCode,
    headers: HeaderMap,
    range: Range<u64>,
) -> Result<SiteResponse, Error> {
    let pieces = publisher.read_medium(medium, range).await?.map_ok(Frame::data);
    let mut response = SiteResponse::new(Either::Right(StreamBody::new(Box::pin(pieces))));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

fn tag(text: &str) -> HeaderValue {
    HeaderValue::try_from(format!("\"{text}\"")).expect("digits and letters are a valid header value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_except_a_pdf_is_shown_in_a_sandbox() {
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
