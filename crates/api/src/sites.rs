//! `GET /sites`, `GET` and `PATCH /sites/{siteId}/settings`.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Debug, Serialize, ToSchema)]
pub struct SiteList {
    /// The default site first, if there is one; the others by name.
    pub sites: Vec<SiteSummary>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteSummary {
    pub id: Uuid,
    #[schema(example = "my-site")]
    pub name: String,
    /// The site's public URL.
    pub deploy_url: String,
    /// Whether requests without `siteId` mean this site.
    pub is_default: bool,
}

/// The settings of a site: every key that `recto site set` has, with its value as text; empty if it is not set.
#[derive(Debug, Serialize, ToSchema)]
pub struct SiteSettings(pub BTreeMap<&'static str, String>);
