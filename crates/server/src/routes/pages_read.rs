//! `GET /pages/{slug}`: one page with its content.

use api::{Failure, PageDetail};
use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use publisher::Caller;

use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::query::Parameters;
use crate::routes::{CommonFailures, PageQuery};

/// Read a page
///
/// `hash` says whether a client's copy of the page differs. It is the SHA-256, in hexadecimal digits, of these texts in UTF-8,
/// each followed by U+0000:
///
/// 1. `page 1`
/// 2. `contentType`, `section`, `slug`, `title`, `description`; empty if there is none
/// 3. `draft`: `true` or `false`
/// 4. `publishedAt` as returned here, in UTC with three decimals
/// 5. `apiEndpoint`, or empty
/// 6. the SHA-256 of `content` in hexadecimal digits; empty for empty content
/// 7. the SHA-256 of the canonical `params` in hexadecimal digits; empty for `{}`
/// 8. each of the `tags`, in their order
///
/// Canonical params are JSON without white space, in which the members of each object are sorted by the bytes of their keys,
/// every member and item is followed by a comma (`{"a":[1,2,],}`), strings escape only `"`, `\` and control characters
/// (`\b \f \n \r \t`, otherwise `\u00xx`), and a number of at most 15 digits is the shortest decimal notation of its double
/// without an exponent (`1.0` and `1e0` are `1`); longer numbers stay as sent.
#[utoipa::path(
    get,
    path = "/pages/{slug}",
    tag = "Pages",
    operation_id = "readPage",
    params(("slug" = String, Path, description = "The page's slug"), PageQuery),
    responses(
        (status = 200, description = "The page", body = PageDetail),
        (status = 400, description = "A parameter or the body is missing or invalid", body = Failure),
        (status = 404, description = "There is no such page, or no build yet", body = Failure),
        CommonFailures,
    )
)]
pub(crate) async fn read(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    slug: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let parameters = Parameters::of(&uri);
    let (site, key) = (parameters.site()?, parameters.page_key(slug.ok().as_deref().map(String::as_str))?);
    Ok(json_response(StatusCode::OK, json(&app.publisher.page(&caller, site, key).await?)))
}
