//! `DELETE /pages/{slug}`: deletes one page.

use api::ContentType;
use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use model::{PageKey, Section, Slug};
use publisher::Caller;

use crate::App;
use crate::error::ApiError;
use crate::query::Parameters;

/// Delete a page
///
/// The page is kept for a while, so that the operator can restore it; its slug is free at once.
#[utoipa::path(
    delete,
    path = "/pages/{slug}",
    tag = "Pages",
    operation_id = "deletePage",
    params(
        ("slug" = String, Path, description = "The page's slug"),
        ("contentType" = ContentType, Query, description = "The page's content type"),
        ("section" = Option<String>, Query, description = "Required when the page belongs to a section"),
        ("siteId" = Option<Uuid>, Query, description = "Target site; the default site when omitted"),
    ),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn delete(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    slug: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<StatusCode, ApiError> {
    let parameters = Parameters::of(&uri)?;
    let site = parameters.site()?;
    let content_type = parameters.content_type()?;
    let content_type = content_type.ok_or_else(|| ApiError::Query("contentType is required".into()))?;
    let section = Section::parse_typed(parameters.get("section")?.unwrap_or_default());
    // What cannot be a slug or section simply matches no page.
    let slug = slug.ok().and_then(|Path(slug)| Slug::parse(&slug).ok());
    let key = slug.zip(section.ok()).map(|(slug, (section, _))| PageKey { content_type, section, slug });
    app.publisher.delete(&caller, site, key).await?;
    Ok(StatusCode::NO_CONTENT)
}
