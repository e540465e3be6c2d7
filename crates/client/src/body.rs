//! Bodies of requests. They can be sent several times, and files are read while they are sent.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use serde_json::Value;
use tokio::fs::File;
use tokio::io::AsyncReadExt;
use uuid::Uuid;

/// What is sent.
pub(crate) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// Called while files are sent, with their bytes so far. They begin at zero again when a request is repeated.
pub type OnSent = Arc<dyn Fn(u64) + Send + Sync>;

/// Bytes of a file that are read at once.
const PIECE: usize = 64 << 10;

/// A file that is attached to a request.
#[derive(Debug, Clone)]
pub struct Upload {
    /// The name that `file:` references have.
    pub name: String,
    pub path: PathBuf,
}

pub(crate) enum Content {
    None,
    Json(Bytes),
    Form { boundary: String, parts: Vec<Part>, on_sent: OnSent },
}

#[derive(Clone)]
pub(crate) enum Part {
    Bytes(Bytes),
    File(PathBuf),
}

impl Content {
    /// The payload comes first: the server reports its errors before it has read the files.
    pub(crate) fn form(payload: &Value, files: &[Upload], on_sent: OnSent) -> Content {
        let boundary = Uuid::new_v4().simple().to_string();
        let head = |disposition: String| {
            Part::Bytes(
                format!("--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n").into(),
            )
        };
        let end = || Part::Bytes(Bytes::from_static(b"\r\n"));
        let mut parts = vec![head("name=\"payload\"".into()), Part::Bytes(payload.to_string().into()), end()];
        for file in files {
            parts.push(head(format!("name=\"files\"; filename=\"{}\"", quoted(&file.name))));
            parts.extend([Part::File(file.path.clone()), end()]);
        }
        parts.push(Part::Bytes(format!("--{boundary}--\r\n").into()));
        Content::Form { boundary, parts, on_sent }
    }

    pub(crate) fn content_type(&self) -> Option<String> {
        match self {
            Content::None => None,
            Content::Json(_) => Some("application/json".to_owned()),
            Content::Form { boundary, .. } => Some(format!("multipart/form-data; boundary={boundary}")),
        }
    }

    pub(crate) fn body(&self) -> Body {
        match self {
            Content::None => Full::default().map_err(|never| match never {}).boxed_unsync(),
            Content::Json(bytes) => Full::new(bytes.clone()).map_err(|never| match never {}).boxed_unsync(),
            Content::Form { parts, on_sent, .. } => {
                let (sent, on_sent) = (Arc::new(AtomicU64::new(0)), on_sent.clone());
                let count = move |piece: &io::Result<Bytes>| {
                    let bytes = piece.as_ref().map_or(0, Bytes::len) as u64;
                    on_sent(sent.fetch_add(bytes, Ordering::Relaxed) + bytes);
                };
                let pieces = stream::iter(parts.clone()).flat_map(move |part| match part {
                    Part::Bytes(bytes) => stream::iter([Ok(bytes)]).left_stream(),
                    Part::File(path) => pieces_of(path).inspect(count.clone()).right_stream(),
                });
                let pieces = pieces.map(|piece| piece.map(Frame::data));
                BodyExt::boxed_unsync(StreamBody::new(pieces))
            }
        }
    }
}

/// As browsers write names in forms.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

fn pieces_of(path: PathBuf) -> impl futures_util::Stream<Item = io::Result<Bytes>> {
    stream::try_unfold((path, None), async |(path, file): (PathBuf, Option<File>)| {
        let mut file = match file {
            Some(file) => file,
            None => File::open(&path).await?,
        };
        let mut piece = Vec::with_capacity(PIECE);
        match (&mut file).take(PIECE as u64).read_to_end(&mut piece).await? {
            0 => Ok(None),
            _ => Ok(Some((Bytes::from(piece), (path, Some(file))))),
        }
    })
}
