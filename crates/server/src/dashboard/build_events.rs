//! Follows the builds of a site with server-sent events. The rows are read once a second, so that it does not matter
//! which server runs the build.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, stream};
use model::SessionId;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::builds::Lists;
use super::session::AtSite;
use crate::App;
use crate::permits::{Permit, Permits};

const EVERY: Duration = Duration::from_secs(1);
/// Then the browser connects again, and the session is checked again. A server that stops waits for open responses.
const LIFETIME: Duration = Duration::from_secs(10);
const RECONNECT_AFTER: Duration = Duration::from_millis(200);

/// Each has a connection, and reads the database once a second.
const MAX_STREAMS: usize = 512;
/// More than a person has windows with builds.
const MAX_STREAMS_OF_SESSION: usize = 8;

/// The open streams.
pub(crate) type Streams = Permits<SessionId>;

pub(crate) fn streams() -> Arc<Streams> {
    Permits::new(MAX_STREAMS, MAX_STREAMS_OF_SESSION)
}

pub(super) async fn follow(State(app): State<App>, at: AtSite) -> Response {
    match app.streams.take(at.session.id) {
        Some(permit) => Sse::new(events(app, at, permit)).into_response(),
        // A browser does not connect again after this.
        None => StatusCode::TOO_MANY_REQUESTS.into_response(),
    }
}

fn events(app: App, at: AtSite, permit: Permit<SessionId>) -> impl Stream<Item = Result<Event, Infallible>> {
    let follower =
        Follower { app, at, sent: String::new(), until: Instant::now() + LIFETIME, _permit: permit };
    stream::unfold(Some(follower), |follower| async move {
        let (event, rest) = follower?.next().await?;
        Some((Ok(event), rest))
    })
}

struct Follower {
    app: App,
    at: AtSite,
    sent: String,
    until: Instant,
    _permit: Permit<SessionId>,
}

impl Follower {
    /// The next event, and the follower, unless it was the last one. `None`: the stream ends without another event.
    async fn next(mut self) -> Option<(Event, Option<Follower>)> {
        loop {
            let lists = Lists::of(&self.app, &self.at, &self.at.uri).await.ok()?;
            let is_open = lists.is_open();
            let data =
                json!({"state": lists.state(), "lists": lists.to_string(), "open": is_open}).to_string();
            if data != self.sent || !is_open {
                self.sent = data;
                let event = Event::default().retry(RECONNECT_AFTER).data(&self.sent);
                return Some((event, is_open.then_some(self)));
            }
            if Instant::now() > self.until {
                return None;
            }
            sleep(EVERY).await;
        }
    }
}
