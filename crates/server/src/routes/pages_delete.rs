//! `DELETE /pages/{slug}`: deletes one page.

use api::Failure;
use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use publisher::Caller;

use crate::App;
use crate::error::ApiError;
use crate::query::Parameters;
use crate::routes::{CommonFailures, PageQuery};

/// Delete a page
///
/// The page is kept for a while, so that the operator can restore it; its slug is free at once.
#[utoipa::path(
    delete,
    path = "/pages/{slug}",
    tag = "Pages",
    operation_id = "deletePage",
    params(("slug" = String, Path, description = "The page's slug"), PageQuery),
    responses(
        (status = 204, description = "Deleted"),
        (status = 400, description = "A parameter or the body is missing or invalid", body = Failure),
        (status = 404, description = "There is no such page, or no build yet", body = Failure),
        CommonFailures,
    )
)]
pub(crate) async fn delete(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    slug: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<StatusCode, ApiError> {
    let parameters = Parameters::of(&uri);
    let (site, key) = (parameters.site()?, parameters.page_key(slug.ok().as_deref().map(String::as_str))?);
    app.publisher.delete(&caller, site, key).await?;
    Ok(StatusCode::NO_CONTENT)
}
