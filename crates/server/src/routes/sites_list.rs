//! `GET /sites`: the sites of the account.

use api::SiteList;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use publisher::Caller;

use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::routes::CommonFailures;

/// List sites
///
/// The sites that the token may publish to: a client that knows a site by its name finds its id here.
#[utoipa::path(
    get,
    path = "/sites",
    tag = "Sites",
    operation_id = "listSites",
    responses((status = 200, description = "The sites", body = SiteList), CommonFailures)
)]
pub(crate) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, ApiError> {
    Ok(json_response(StatusCode::OK, json(&app.publisher.sites_of(&caller).await?)))
}
