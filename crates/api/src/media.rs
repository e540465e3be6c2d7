//! Uploaded files.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MediaItem {
    /// For a file sent with pages, the name it was attached under; for a file uploaded alone, the stored name.
    pub filename: String,
    /// Site-relative; can be used in page content as is.
    #[schema(example = "/media/0123456789abcdef0123456789abcdef/paper.pdf")]
    pub url: String,
}

/// The form of `POST /media`.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MediaForm {
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
    /// The account's default site when omitted.
    #[schema(nullable = false)]
    pub site_id: Option<Uuid>,
}

/// The form of `POST /pages` with files.
#[derive(ToSchema)]
pub struct PublishForm {
    /// The same JSON as without files; `file:<filename>` in a page's content refers to an attached file.
    pub payload: String,
    /// Every part with a file name is a file, regardless of its field name (except `payload`).
    #[schema(value_type = Option<Vec<String>>, format = Binary, nullable = false)]
    pub files: Option<Vec<Vec<u8>>>,
}
