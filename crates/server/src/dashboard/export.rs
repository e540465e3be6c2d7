//! The site as an archive of plain files: the live release and all uploads.

use std::io::{self, Write};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{Stream, stream};
use model::AccountId;
use publisher::Error;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};

use super::failure::Failure;
use super::more;
use super::session::Owner;
use crate::App;
use crate::permits::Permits;

/// All together: each reads as fast as its client, and has some megabytes in memory.
const AT_ONCE: usize = 4;
/// Pieces that wait for the client.
const PIECES: usize = 4;

/// The exports that run.
pub(crate) type Exports = Permits<AccountId>;

/// One of each account, so that no account takes all permits.
pub(crate) fn exports() -> Arc<Exports> {
    Permits::new(AT_ONCE, 1)
}

pub(super) async fn download(State(app): State<App>, Owner(at): Owner) -> Result<Response, Failure> {
    let site = at.access.site.clone();
    // An archive of nothing would look like a success.
    if app.publisher.release_list(&site).await?.is_empty() {
        let why = "The site was never built: there is nothing to export.";
        return Ok(more::refused(&at, why, StatusCode::CONFLICT));
    }
    let Some(permit) = app.exports.take(site.account) else {
        let why = "Another export of this account is running, or several of others. Please try again in some minutes.";
        return Ok(more::refused(&at, why, StatusCode::SERVICE_UNAVAILABLE));
    };
    let (out, pieces) = mpsc::channel(PIECES);
    let (publisher, name) = (app.publisher.clone(), site.name.as_str().to_owned());
    let export = tokio::spawn(async move {
        let done = publisher.export_archive(&site, out).await;
        drop(permit);
        done.map(drop)
    });
    let archive = Archive { pieces, export, gzip: Some(GzEncoder::new(Vec::new(), Compression::fast())) };
    let headers = [
        (CONTENT_TYPE, "application/gzip".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.tar.gz\"")),
    ];
    Ok((headers, Body::from_stream(archive.compressed())).into_response())
}

struct Archive {
    pieces: mpsc::Receiver<Bytes>,
    export: JoinHandle<Result<(), Error>>,
    /// `None` at the end.
    gzip: Option<GzEncoder<Vec<u8>>>,
}

impl Archive {
    /// An export that fails ends the response with an error, so that the browser does not take a part for the whole.
    fn compressed(self) -> impl Stream<Item = io::Result<Bytes>> {
        stream::try_unfold(self, |mut archive| async move {
            loop {
                let Some(mut gzip) = archive.gzip.take() else { return Ok(None) };
                let Some(piece) = archive.pieces.recv().await else {
                    ended((&mut archive.export).await)?;
                    return Ok(Some((gzip.finish()?.into(), archive)));
                };
                // Compression would block the async threads.
                let work = spawn_blocking(move || gzip.write_all(&piece).map(|()| gzip));
                let mut gzip = work.await.map_err(io::Error::other)??;
                let ready = std::mem::take(gzip.get_mut());
                archive.gzip = Some(gzip);
                if !ready.is_empty() {
                    return Ok(Some((ready.into(), archive)));
                }
            }
        })
    }
}

fn ended(export: Result<Result<(), Error>, tokio::task::JoinError>) -> io::Result<()> {
    let failed = match export {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    tracing::error!(error = failed, "export of a site failed");
    Err(io::Error::other(failed))
}
