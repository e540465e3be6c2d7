//! `GET /builds/latest`: how the newest build is doing.

use api::LatestBuild;
use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use publisher::Caller;

use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::query::Parameters;

/// The latest build
///
/// `status` goes from `queued` to `running` to `success` or `failed`; the last two are final.
#[utoipa::path(
    get,
    path = "/builds/latest",
    tag = "Builds",
    operation_id = "latestBuild",
    params(("siteId" = Option<Uuid>, Query, description = "Target site; the default site when omitted")),
    responses((status = 200, description = "The newest build", body = LatestBuild))
)]
pub(crate) async fn latest(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let site = Parameters::of(&uri)?.site()?;
    let latest = app.publisher.latest_build(&caller, site).await?;
    Ok(json_response(StatusCode::OK, json(&latest)))
}
