//! `GET /builds/latest`: the status of the newest build.

use api::{Failure, LatestBuild};
use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use publisher::Caller;

use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::query::Parameters;
use crate::routes::CommonFailures;

/// The latest build
///
/// `status` goes from `queued` to `running` to `success` or `failed`; the last two are final.
#[utoipa::path(
    get,
    path = "/builds/latest",
    tag = "Builds",
    operation_id = "latestBuild",
    params(("siteId" = Option<Uuid>, Query, description = "Target site; the default site when omitted")),
    responses(
        (status = 200, description = "The newest build", body = LatestBuild),
        (status = 400, description = "A parameter or the body is missing or invalid", body = Failure),
        (status = 404, description = "There is no such page, or no build yet", body = Failure),
        CommonFailures,
    )
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
