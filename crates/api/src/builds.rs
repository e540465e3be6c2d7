//! `POST /builds`, `GET /builds/latest`, and the build in the response of `POST /pages`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The optional body of `POST /builds`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TriggerBuild {
    /// Target site; the account's default site when omitted.
    pub site_id: Option<Uuid>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BuildQueued {
    #[schema(example = "queued")]
    pub status: &'static str,
    /// The site's public URL.
    pub deploy_url: String,
    #[schema(example = "build queued successfully")]
    pub message: &'static str,
}

/// The build that `POST /pages` requested: queued, or why it was not. The pages are saved either way.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum BuildOutcome {
    #[serde(rename_all = "camelCase")]
    Queued {
        #[schema(example = "queued")]
        status: &'static str,
        /// The site's public URL.
        deploy_url: String,
    },
    Refused(BuildRefused),
}

/// The same error as for `POST /builds`.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildRefused {
    pub error: String,
    pub message: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LatestBuild {
    pub id: Uuid,
    /// `queued`, `running`, `success` or `failed`; the last two are final.
    #[schema(example = "success")]
    pub status: &'static str,
    /// `api`, `publish`, `dashboard` or `cli`.
    #[schema(example = "api")]
    pub triggered_by: &'static str,
    #[schema(required)]
    pub duration_ms: Option<u64>,
    #[schema(required, format = DateTime)]
    pub started_at: Option<String>,
    #[schema(required, format = DateTime)]
    pub completed_at: Option<String>,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Why it failed; only present if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<String>,
    /// Pages that could not be shown as intended; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub warnings: Option<Vec<BuildWarning>>,
}

/// A page that could not be rendered within its limits, and is shown as its source text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildWarning {
    /// The page's path on the site.
    #[schema(example = "/blog/hello-world")]
    pub url: String,
    pub message: String,
}
