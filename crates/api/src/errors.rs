//! Error responses: always an `error`, usually a `message`.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub struct Failure {
    pub error: String,
    /// What is wrong, and how to fix it.
    pub message: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Unauthorized {
    #[schema(example = "invalid or revoked token")]
    pub error: &'static str,
}

/// Every field error of every page, by the page's index in the request and the field's name.
#[derive(Debug, Serialize, ToSchema)]
pub struct ValidationFailed {
    #[schema(example = "validation failed")]
    pub error: &'static str,
    #[schema(value_type = BTreeMap<String, BTreeMap<String, String>>)]
    pub pages: BTreeMap<usize, BTreeMap<&'static str, String>>,
}

/// Every setting that is wrong, by its key. None was changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvalidSettings {
    #[schema(example = "invalid settings")]
    pub error: &'static str,
    pub message: String,
    pub settings: BTreeMap<String, String>,
}

/// Pairs of entries that identify the same page or have the same key: the first, and the later one.
#[derive(Debug, Serialize, ToSchema)]
pub struct DuplicateSlugs {
    #[schema(example = "duplicate slugs in batch")]
    pub error: &'static str,
    pub conflicts: Vec<[usize; 2]>,
}

/// Entries of `pages` that are also in `deleteSlugs`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlugConflict {
    #[schema(example = "slug conflict")]
    pub error: &'static str,
    pub message: String,
    pub page_indexes: Vec<usize>,
}

/// By the page's index in the request.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnresolvedFiles {
    #[schema(example = "unresolved file references")]
    pub error: &'static str,
    /// Which files are missing.
    pub message: String,
    #[schema(value_type = BTreeMap<String, Unresolved>)]
    pub details: BTreeMap<usize, Unresolved>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unresolved {
    /// The number of references, not of distinct names.
    pub unresolved_count: usize,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InternalError {
    #[schema(example = "internal error")]
    pub error: &'static str,
    pub message: &'static str,
    /// Identifies the details in the server's log.
    pub request_id: String,
}
