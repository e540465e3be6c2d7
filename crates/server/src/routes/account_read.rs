//! `GET /account`: what the account uses of its limits.

use api::{Account, Usage};
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use publisher::Caller;

use crate::App;
use crate::error::{ApiError, json, json_response};
use crate::routes::CommonFailures;

/// Read the usage of the account
///
/// Pages, texts, files and builds against the limits of the plan, so that a client knows what it may still send.
#[utoipa::path(
    get,
    path = "/account",
    tag = "Account",
    operation_id = "readAccount",
    responses((status = 200, description = "The account", body = Account), CommonFailures)
)]
pub(crate) async fn read(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, ApiError> {
    let shown = app.publisher.account_show(caller.account).await?;
    let account = Account {
        name: shown.name.as_str().to_owned(),
        plan: shown.plan,
        pages: Usage { used: shown.pages, limit: shown.pages_limit },
        text: Usage { used: shown.text_used_bytes, limit: shown.text_limit_bytes },
        storage: Usage { used: shown.storage_used_bytes, limit: shown.storage_limit_bytes },
        builds: Usage { used: shown.builds_this_month.max(0) as u64, limit: shown.builds_per_month },
    };
    Ok(json_response(StatusCode::OK, json(&account)))
}
