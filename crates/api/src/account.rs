//! `GET /account`.

use serde::Serialize;
use utoipa::ToSchema;

/// What the account uses of the limits of its plan, on all its sites.
#[derive(Debug, Serialize, ToSchema)]
pub struct Account {
    #[schema(example = "Acme")]
    pub name: String,
    #[schema(example = "pro")]
    pub plan: String,
    /// Live pages.
    pub pages: Usage,
    /// Bytes of content and params, of deleted pages too until they are purged.
    pub text: Usage,
    /// Bytes of stored files.
    pub storage: Usage,
    /// Builds in this calendar month, UTC.
    pub builds: Usage,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Usage {
    pub used: u64,
    /// Null if the plan is no longer configured.
    #[schema(required)]
    pub limit: Option<u64>,
}
