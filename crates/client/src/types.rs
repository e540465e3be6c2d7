//! The answers of the API, as far as the client uses them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Site {
    pub id: String,
    pub name: String,
    pub deploy_url: String,
}

/// What an account uses of its limits.
#[derive(Debug, Clone, Deserialize)]
pub struct Account {
    pub plan: String,
    pub pages: Usage,
    /// In bytes.
    pub text: Usage,
    /// In bytes.
    pub storage: Usage,
    pub builds: Usage,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Usage {
    pub used: u64,
    pub limit: Option<u64>,
}

/// A page of a listing.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub id: String,
    pub slug: String,
    pub title: String,
    pub content_type: String,
    #[serde(default)]
    pub section: String,
    pub published_at: String,
    pub updated_at: String,
    pub hash: String,
}

/// The answer of `POST /pages`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Published {
    pub pages: Vec<PublishedPage>,
    #[serde(default)]
    pub deleted: Vec<String>,
    #[serde(default)]
    pub media: Vec<MediaItem>,
    pub build: Option<Value>,
    pub plan: Option<Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishedPage {
    pub id: String,
    pub status: String,
    pub created_at: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct MediaItem {
    pub filename: String,
    pub url: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Build {
    pub id: String,
    pub status: String,
    pub created_at: String,
    /// The rest of the answer.
    #[serde(flatten)]
    pub others: serde_json::Map<String, Value>,
}

impl Build {
    pub fn is_over(&self) -> bool {
        matches!(self.status.as_str(), "success" | "failed")
    }
}
