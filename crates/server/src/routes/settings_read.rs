//! `GET /sites/{siteId}/settings`: the settings of a site.

use api::{Failure, SiteSettings};
use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use publisher::Caller;

use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::routes::{CommonFailures, site_in_path};

/// Read the settings of a site
///
/// Title, language, colours, links and the rest, as `recto site set` takes them.
#[utoipa::path(
    get,
    path = "/sites/{siteId}/settings",
    tag = "Sites",
    operation_id = "readSettings",
    params(("siteId" = Uuid, Path, description = "The site; `GET /sites` lists the ids")),
    responses(
        (status = 200, description = "The settings", body = SiteSettings),
        (status = 400, description = "A parameter or the body is missing or invalid", body = Failure),
        CommonFailures,
    )
)]
pub(crate) async fn read(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    site: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    let settings = app.publisher.settings_of(&caller, site_in_path(site)?).await?;
    Ok(json_response(StatusCode::OK, json(&values(&settings))))
}

pub(super) fn values(settings: &publisher::SiteSettings) -> SiteSettings {
    let value = |(key, _): &(&'static str, _)| (*key, settings.get(key).unwrap_or_default());
    SiteSettings(publisher::SiteSettings::KEYS.iter().map(value).collect())
}
