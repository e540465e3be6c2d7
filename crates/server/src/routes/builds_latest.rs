//! `GET /builds/latest`: the status of the newest build.

use std::time::Duration;

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

/// A proxy would not wait much longer.
const LONGEST_WAIT: u64 = 30;

/// The latest build
///
/// `status` goes from `queued` to `running` to `success` or `failed`; the last two are final. With `wait`, the response
/// comes as soon as the build has ended, or after that many seconds.
#[utoipa::path(
    get,
    path = "/builds/latest",
    tag = "Builds",
    operation_id = "latestBuild",
    params(
        ("siteId" = Option<Uuid>, Query, description = "Target site; the default site when omitted"),
        ("wait" = Option<u64>, Query, maximum = 30, description = "Seconds to wait for the end of the build"),
    ),
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
    let parameters = Parameters::of(&uri);
    let (site, wait) = (parameters.site()?, wait(&parameters)?);
    let latest = app.publisher.awaited_build(&caller, site, wait).await?;
    Ok(json_response(StatusCode::OK, json(&latest)))
}

fn wait(parameters: &Parameters) -> Result<Duration, ApiError> {
    let wrong = || ApiError::BadRequest(format!("wait must be a number of seconds from 0 to {LONGEST_WAIT}"));
    let seconds = parameters.get("wait")?.map(|text| text.parse::<u64>());
    match seconds.transpose() {
        Ok(seconds) if seconds <= Some(LONGEST_WAIT) => Ok(Duration::from_secs(seconds.unwrap_or(0))),
        _ => Err(wrong()),
    }
}
