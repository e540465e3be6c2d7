//! What a release has at a path, made ready to be sent.

use axum::http::header::{ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY};
use axum::http::{HeaderMap, HeaderValue};
use bytes::Bytes;
use publisher::{Found, content_type};
use tokio::sync::OnceCell;

use super::compress::{self, Busy, Compressor};
use super::headers::{self, RELEASE};
use crate::encoding::Encoding;

pub(super) struct File {
    pub(super) release: i64,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Body(Body),
    Redirect(String),
}

/// The bytes as they are, and each encoding of them once somebody has asked for it.
pub(super) struct Body {
    hash: [u8; 16],
    pub(super) plain: Form,
    /// `None`: not worth it.
    packed: Option<Box<[OnceCell<Option<Form>>; 3]>>,
    compressor: Compressor,
}

/// One encoding of a body, and the headers of a whole answer with it.
pub(super) struct Form {
    pub(super) headers: HeaderMap,
    pub(super) bytes: Bytes,
}

impl File {
    /// `former` is what another release had there: what was compressed for it serves again if it is the same.
    pub(super) fn new(
        release: i64,
        path: &str,
        found: Found,
        former: Option<&File>,
        compressor: &Compressor,
    ) -> File {
        let kind = match found {
            Found::Redirect(target) => Kind::Redirect(target),
            Found::Body { bytes, hash } => {
                let mut body = Body::new(release, path, bytes, hash, compressor.clone());
                if let Some(File { kind: Kind::Body(former), .. }) = former {
                    body.inherit(former);
                }
                Kind::Body(body)
            }
        };
        File { release, kind }
    }

    /// What it takes of the memory, about. The encodings together are smaller than the bytes themselves.
    pub(super) fn weight(&self) -> u64 {
        const HEADERS: usize = 2048;
        match &self.kind {
            Kind::Body(body) => (2 * body.plain.bytes.len() + HEADERS) as u64,
            Kind::Redirect(target) => (target.len() + 64) as u64,
        }
    }
}

impl Body {
    fn new(release: i64, path: &str, bytes: Bytes, hash: [u8; 16], compressor: Compressor) -> Body {
        let kind = content_type(path);
        let packs = bytes.len() >= compress::LEAST && is_text(kind);
        let mut headers = headers::of_path(path);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(RELEASE, HeaderValue::from(release));
        headers.insert(ETAG, tag(&hash, ""));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        if packs {
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        Body { hash, plain: Form { headers, bytes }, packed: packs.then(Default::default), compressor }
    }

    /// In the encoding that was asked for, if there is one, or can be now; made at the first request, however many come
    /// at once.
    pub(super) async fn form(&self, encoding: Option<Encoding>) -> &Form {
        let (Some(packed), Some(encoding)) = (&self.packed, encoding) else { return &self.plain };
        let make = async || {
            let bytes = self.compressor.compress(&self.plain.bytes, encoding).await?;
            Ok::<_, Busy>(bytes.map(|bytes| self.encoded(bytes, encoding)))
        };
        match packed[encoding as usize].get_or_try_init(make).await {
            Ok(Some(form)) => form,
            Ok(None) | Err(Busy) => &self.plain,
        }
    }

    fn encoded(&self, bytes: Bytes, encoding: Encoding) -> Form {
        let mut headers = self.plain.headers.clone();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
        headers.insert(ETAG, tag(&self.hash, encoding.name()));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        // Parts are only ever given of the plain bytes.
        headers.remove(ACCEPT_RANGES);
        Form { headers, bytes }
    }

    fn inherit(&mut self, former: &Body) {
        let (Some(packed), Some(made)) = (&self.packed, &former.packed) else { return };
        if self.hash != former.hash {
            return;
        }
        for encoding in Encoding::ALL {
            if let Some(form) = made[encoding as usize].get() {
                let form = form.as_ref().map(|form| self.encoded(form.bytes.clone(), encoding));
                let _ = packed[encoding as usize].set(form);
            }
        }
    }
}

/// Strong, and another one for each encoding: they are different bytes.
fn tag(hash: &[u8; 16], encoding: &str) -> HeaderValue {
    let hash = u128::from_be_bytes(*hash);
    let tag = match encoding {
        "" => format!("\"{hash:032x}\""),
        encoding => format!("\"{hash:032x}-{encoding}\""),
    };
    HeaderValue::try_from(tag).expect("digits and quotes are a header")
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
        match &file.kind {
            Kind::Body(body) => body,
            Kind::Redirect(target) => panic!("a redirect to {target}"),
        }
    }

    #[tokio::test]
    async fn what_was_compressed_for_a_former_release_serves_again() {
        let text = "again and ".repeat(200);
        let first = file(1, &text, 1, None);
        let packed = body(&first).form(Some(Encoding::Gzip)).await;
        let same = file(2, &text, 1, Some(&first));
        let again = body(&same).form(Some(Encoding::Gzip)).await;
        assert_eq!(again.bytes.as_ptr(), packed.bytes.as_ptr());
        assert_eq!(
            (again.headers[RELEASE].as_bytes(), &again.headers[ETAG]),
            (&b"2"[..], &packed.headers[ETAG])
        );
        let other = file(3, &text.to_uppercase(), 2, Some(&first));
        assert_ne!(body(&other).form(Some(Encoding::Gzip)).await.bytes, packed.bytes);
    }

    #[tokio::test]
    async fn a_small_body_has_one_form() {
        let small = file(1, "small", 1, None);
        let form = body(&small).form(Some(Encoding::Brotli)).await;
        assert_eq!(form.bytes, "small");
        assert!(!form.headers.contains_key(VARY));
    }
}
