//! Uploaded files.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MediaItem {
    /// Of a file that came with pages, the name it was attached under; of one that was uploaded alone, the stored name.
    pub filename: String,
    /// Site-relative; usable in page content as it stands.
    #[schema(example = "/media/0123456789abcdef0123456789abcdef/paper.pdf")]
    pub url: String,
}

/// The form of `POST /media`.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MediaForm {
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
    /// The account's first site if left out.
    #[schema(nullable = false)]
    pub site_id: Option<Uuid>,
}

/// The form of `POST /pages` with files.
#[derive(ToSchema)]
pub struct PublishForm {
    /// The same JSON as without files; `file:<filename>` in a page's content means an attached file.
    pub payload: String,
    /// Every part with a file name is a file, whatever its field is called (`payload` aside).
    #[schema(value_type = Option<Vec<String>>, format = Binary, nullable = false)]
    pub files: Option<Vec<Vec<u8>>>,
}
