//! `PATCH /sites/{siteId}/settings`: changes settings of a site.

use api::SiteSettings;
use axum::Extension;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use publisher::{Caller, Error, JsonFields};

use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::routes::settings_read::values;
use crate::routes::{BodyFailures, CommonFailures, MediaType, RefusedSettings, read_body, site_in_path};

/// More than all settings together, however they are escaped.
const MAX_BODY: u64 = 2 << 20;

/// Change settings of a site
///
/// The keys in the body are changed, the others stay; an empty text restores the default. If one value is wrong, none is
/// changed. A change appears with the next build. `head` may be forbidden by the operator of the server.
#[utoipa::path(
    patch,
    path = "/sites/{siteId}/settings",
    tag = "Sites",
    operation_id = "changeSettings",
    params(("siteId" = Uuid, Path, description = "The site; `GET /sites` lists the ids")),
    request_body(
        content = SiteSettings,
        content_type = "application/json",
        example = json!({"title": "My site", "accent": "#a3301a", "links": "Docs=/docs; Code=https://example.com/code"}),
    ),
    responses(
        (status = 200, description = "All settings after the change", body = SiteSettings),
        (status = 400, description = "A setting, a parameter or the body is missing or invalid", body = RefusedSettings),
        BodyFailures,
        CommonFailures,
    )
)]
pub(crate) async fn change(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    site: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let site = site_in_path(site)?;
    match MediaType::of(&headers) {
        MediaType::Json => {}
        _ => return Err(ApiError::MediaType("send the settings as application/json".into())),
    }
    let changes = parse(&read_body(&headers, body, MAX_BODY).await?)?;
    let settings = app.publisher.set_settings_of(&caller, site, changes).await?;
    Ok(json_response(StatusCode::OK, json(&values(&settings))))
}

/// Keys and values; every value that is no text is reported at once.
fn parse(body: &[u8]) -> Result<Vec<(String, String)>, ApiError> {
    let text =
        str::from_utf8(body).map_err(|_| ApiError::BadRequest("the body is not valid UTF-8".into()))?;
    let fields =
        JsonFields::parse(text).map_err(|message| ApiError::BadRequest(format!("the body: {message}")))?;
    let (changes, wrong): (Vec<_>, Vec<_>) = fields
        .iter()
        .map(|(key, json)| match serde_json::from_str::<String>(json) {
            Ok(value) => Ok((key.to_owned(), value)),
            Err(_) => {
                Err((key.to_owned(), format!("{key} must be a text; an empty one restores the default")))
            }
        })
        .partition(Result::is_ok);
    match wrong.is_empty() {
        true => Ok(changes.into_iter().flatten().collect()),
        false => Err(Error::InvalidSettings(wrong.into_iter().filter_map(Result::err).collect()).into()),
    }
}
