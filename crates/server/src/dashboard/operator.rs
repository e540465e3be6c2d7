//! What operators see of all accounts: their plans and usage, the queue, the state of the server. For everyone else these
//! addresses do not exist.

mod accounts;
mod state;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;
use axum::response::Redirect;
use axum::routing::{get, post};
use publisher::{Publisher, Session};

use super::failure::Failure;
use super::session::{Client, SignedIn};
use super::view::Frame;
use crate::App;

/// To be nested at `/dashboard/operator`.
pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/", get(async |_: Operator| Redirect::to("/dashboard/operator/accounts")))
        .route("/accounts", get(accounts::list))
        .route("/accounts/{account}", get(accounts::show))
        .route("/accounts/{account}/plan", post(accounts::set_plan))
        .route("/accounts/{account}/suspend", get(accounts::ask_suspend).post(accounts::suspend))
        .route("/accounts/{account}/resume", post(accounts::resume))
        .route("/queue", get(state::queue))
        .route("/state", get(state::show))
}

/// A person with the operator's flag.
struct Operator {
    session: Session,
    client: Client,
    uri: Uri,
}

impl FromRequestParts<App> for Operator {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Operator, Failure> {
        let SignedIn(session) = SignedIn::from_request_parts(parts, app).await?;
        match session.operator {
            true => {
                let client = Client::from_request_parts(parts, app).await?;
                Ok(Operator { session, client, uri: parts.uri.clone() })
            }
            false => Err(Failure::Missing),
        }
    }
}

impl Operator {
    /// For what this operator does.
    fn publisher(&self, app: &App) -> Publisher {
        self.client.publisher(app, &self.session)
    }

    fn frame(&self, title: impl Into<String>) -> Frame {
        Frame::of(&self.session, title).after(&self.uri)
    }
}
