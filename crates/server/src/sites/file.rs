//! A file of a release, ready to be sent.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use axum::http::header::{ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, LINK, VARY};
use axum::http::{HeaderMap, HeaderValue};
use bytes::Bytes;
use publisher::{Found, content_type};
use tokio::sync::OnceCell;

use super::compress::{self, Busy, Compressor};
use super::headers::{self, RELEASE};
use super::{at_hand, feed, markdown};
use crate::encoding::Encoding;

pub(super) struct File {
    pub(super) release: i64,
    pub(super) content: FileContent,
}

pub(super) enum FileContent {
    Body(Body),
    Redirect(String),
}

/// The plain bytes, and each encoding of them, which is made at the first request for it.
pub(super) struct Body {
    hash: [u8; 16],
    pub(super) plain: Form,
    /// `None`: the body is too small, or not text.
    compressed: Option<Box<[OnceCell<Option<Form>>; 3]>>,
    compressor: Compressor,
    /// It was the response to a request for its path. Some files are never: the page `/search` is filled in first.
    pub(super) is_at_hand: AtomicBool,
}

/// One encoding of a body, with the headers of its response.
pub(super) struct Form {
    pub(super) headers: HeaderMap,
    pub(super) bytes: Bytes,
    head: OnceLock<Bytes>,
}

impl Form {
    fn new(headers: HeaderMap, bytes: Bytes) -> Form {
        Form { headers, bytes, head: OnceLock::new() }
    }

    /// The head of the response, as it is sent.
    pub(super) fn head(&self) -> &Bytes {
        self.head.get_or_init(|| at_hand::encode(&self.headers))
    }
}

impl File {
    /// `former` is the file of another release at the same path: its compressed forms are reused if the content is the same.
    pub(super) fn new(
        release: i64,
        path: &str,
        found: Found,
        former: Option<&File>,
        compressor: &Compressor,
    ) -> File {
        let content = match found {
            Found::Redirect(target) => FileContent::Redirect(target),
            Found::Body { bytes, hash } => {
                let mut body = Body::new(release, path, bytes, hash, compressor.clone());
                if let Some(File { content: FileContent::Body(former), .. }) = former {
                    body.inherit(former);
                }
                FileContent::Body(body)
            }
        };
        File { release, content }
    }

    /// About how much memory it takes. All encodings together are smaller than the plain bytes.
    pub(super) fn weight(&self) -> u64 {
        const HEADERS: usize = 4096;
        match &self.content {
            FileContent::Body(body) => (2 * body.plain.bytes.len() + HEADERS) as u64,
            FileContent::Redirect(target) => (target.len() + 64) as u64,
        }
    }
}

impl Body {
    fn new(release: i64, path: &str, bytes: Bytes, hash: [u8; 16], compressor: Compressor) -> Body {
        let kind = content_type(path);
        let is_compressible = bytes.len() >= compress::MIN_COMPRESSED_BYTES && is_text(kind);
        let mut headers = headers::of_path(path);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(RELEASE, HeaderValue::from(release));
        headers.insert(ETAG, tag(&hash, ""));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        if let Some(link) = markdown::link(kind, path, &bytes).or_else(|| feed::link(path, &bytes)) {
            headers.insert(LINK, link);
        }
        if let Some(vary) = vary(kind, is_compressible) {
            headers.insert(VARY, HeaderValue::from_static(vary));
        }
        Body {
            hash,
            plain: Form::new(headers, bytes),
            compressed: is_compressible.then(Default::default),
            compressor,
            is_at_hand: AtomicBool::new(false),
        }
    }

    /// The body in this encoding, or plain if it is not available. It is compressed once, even for concurrent requests.
    pub(super) async fn form(&self, encoding: Option<Encoding>) -> &Form {
        let (Some(compressed), Some(encoding)) = (&self.compressed, encoding) else { return &self.plain };
        let make = async || {
            let bytes = self.compressor.compress(&self.plain.bytes, encoding).await?;
            Ok::<_, Busy>(bytes.map(|bytes| self.encoded(bytes, encoding)))
        };
        match compressed[encoding as usize].get_or_try_init(make).await {
            Ok(Some(form)) => form,
            Ok(None) | Err(Busy) => &self.plain,
        }
    }

    /// The same, if it was made already.
    pub(super) fn made_form(&self, encoding: Option<Encoding>) -> Option<&Form> {
        let (Some(compressed), Some(encoding)) = (&self.compressed, encoding) else {
            return Some(&self.plain);
        };
        Some(compressed[encoding as usize].get()?.as_ref().unwrap_or(&self.plain))
    }

    fn encoded(&self, bytes: Bytes, encoding: Encoding) -> Form {
        let mut headers = self.plain.headers.clone();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
        headers.insert(ETAG, tag(&self.hash, encoding.name()));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        // Ranges are only served of the plain bytes.
        headers.remove(ACCEPT_RANGES);
        Form::new(headers, bytes)
    }

    fn inherit(&mut self, former: &Body) {
        let (Some(compressed), Some(made)) = (&self.compressed, &former.compressed) else { return };
        if self.hash != former.hash {
            return;
        }
        for encoding in Encoding::ALL {
            if let Some(form) = made[encoding as usize].get() {
                let form = form.as_ref().map(|form| self.encoded(form.bytes.clone(), encoding));
                let _ = compressed[encoding as usize].set(form);
            }
        }
    }
}

/// The request headers that a response depends on. A page has two forms, see `markdown`.
fn vary(kind: &str, is_compressible: bool) -> Option<&'static str> {
    let has_forms = kind.starts_with("text/html") || kind.starts_with("text/markdown");
    match (has_forms, is_compressible) {
        (true, true) => Some("accept, accept-encoding"),
        (true, false) => Some("accept"),
        (false, true) => Some("accept-encoding"),
        (false, false) => None,
    }
}

/// A strong tag, different for each encoding, because the bytes differ.
fn tag(hash: &[u8; 16], encoding: &str) -> HeaderValue {
    let hash = u128::from_be_bytes(*hash);
    let tag = match encoding {
        "" => format!("\"{hash:032x}\""),
        encoding => format!("\"{hash:032x}-{encoding}\""),
    };
    HeaderValue::try_from(tag).expect("digits and quotes are a valid header value")
}

fn is_text(content_type: &str) -> bool {
    ["text/", "application/", "image/svg"].iter().any(|kind| content_type.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(release: i64, bytes: &str, hash: u8, former: Option<&File>) -> File {
        let found = Found::Body { bytes: bytes.to_owned().into(), hash: [hash; 16] };
        File::new(release, "/blog/a", found, former, &Compressor::new())
    }

    fn body(file: &File) -> &Body {
        match &file.content {
            FileContent::Body(body) => body,
            FileContent::Redirect(target) => panic!("a redirect to {target}"),
        }
    }

    #[tokio::test]
    async fn compressed_forms_of_a_former_release_are_reused() {
        let text = "again and ".repeat(200);
        let first = file(1, &text, 1, None);
        let compressed = body(&first).form(Some(Encoding::Gzip)).await;
        let same = file(2, &text, 1, Some(&first));
        let again = body(&same).form(Some(Encoding::Gzip)).await;
        assert_eq!(again.bytes.as_ptr(), compressed.bytes.as_ptr());
        assert_eq!(
            (again.headers[RELEASE].as_bytes(), &again.headers[ETAG]),
            (&b"2"[..], &compressed.headers[ETAG])
        );
        let other = file(3, &text.to_uppercase(), 2, Some(&first));
        assert_ne!(body(&other).form(Some(Encoding::Gzip)).await.bytes, compressed.bytes);
    }

    #[tokio::test]
    async fn a_small_body_has_one_form() {
        let small = file(1, "small", 1, None);
        let form = body(&small).form(Some(Encoding::Brotli)).await;
        assert_eq!(form.bytes, "small");
        assert_eq!(form.headers[VARY], "accept");
    }
}
