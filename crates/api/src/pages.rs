//! `POST /pages` and `GET /pages`.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::MediaItem;

use crate::BuildOutcome;

/// The body of `POST /pages`: a batch, or a single page (the original format).
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PublishBody {
    Batch(PublishRequest),
    Page(Box<PageInput>),
}

/// Creates or updates pages, deletes pages and queues a build, all in one request.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishRequest {
    /// Target site; the account's default site when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_id: Option<Uuid>,
    /// Pages to create or update.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 5000)]
    pub pages: Vec<PageInput>,
    /// Pages to delete in the same transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 5000)]
    pub delete_slugs: Option<Vec<DeleteEntry>>,
    /// Queue a build once everything is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<bool>,
    /// Check everything and report what would change, but store nothing and queue no build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// A page as sent by a client. Omitted (or null) fields keep their stored values.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageInput {
    /// Identifies an existing page; every field, including the slug, may then change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Uuid>,
    /// Identifies the page if there is no `id`; derived from the title if both are omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100, pattern = "^([a-z0-9]([a-z0-9-]*[a-z0-9])?)?$", example = "hello-world")]
    pub slug: Option<String>,
    /// Required for a new page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200, example = "Hello, world")]
    pub title: Option<String>,
    /// Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100_000, example = "# Hello\n\nMy first page.")]
    pub content: Option<String>,
    /// Defaults to `blog` for a new page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<ContentType>,
    /// Groups pages within a content type; an empty string removes the page from its section. Stored in lower case.
    // Each hyphen except the first ends a group, so that a backtracking engine has only one way to match a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100, pattern = "^-?([A-Za-z0-9]+-)*[A-Za-z0-9]*$", example = "guides")]
    pub section: Option<String>,
    /// Meta description; an empty string clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 500)]
    pub description: Option<String>,
    /// `true` hides the page from the published site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<bool>,
    /// Replaces all tags; an empty array removes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 20)]
    pub tags: Option<Vec<String>>,
    /// ISO 8601 date or date-time, UTC if it has no zone; defaults to now for a new page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-01-02T03:04:05Z")]
    pub published_at: Option<String>,
    /// Front-matter params of the generated site; replaces the stored ones. `aliases`, a list of at most 100 paths such as
    /// `/old/page`, redirects from these paths to the page, unless another page is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub params: Option<Box<RawValue>>,
    /// Marks an endpoint reference page: a method, optionally followed by a path. An empty string clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200, example = "GET /users/{id}")]
    pub api_endpoint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContentType {
    Blog,
    Docs,
    Homepage,
    Standalone,
}

/// Identifies a page to delete. Entries that match no page are ignored.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteEntry {
    pub slug: String,
    pub content_type: ContentType,
    /// Only if the page has a section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
}

#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishResponse {
    /// In the order of the request.
    pub pages: Vec<PublishedPage>,
    /// Slugs of the deleted pages; only if deletions were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deleted: Option<Vec<String>>,
    /// The files sent with the request, in its order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub media: Option<Vec<MediaItem>>,
    /// Only if a build was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub build: Option<BuildOutcome>,
    /// `true`, only in a dry run: nothing was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub dry_run: Option<bool>,
    /// Only in a dry run: what else the request would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub plan: Option<Plan>,
    /// The page's fields again, if the request was a single page.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub page: Option<PublishedPage>,
}

/// What a dry run found, besides the pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Pages whose URL would change; the former one would redirect.
    pub moved: Vec<MovedPage>,
    pub media: MediaPlan,
    /// Links of the sent pages that would lead to no page of the site; at most 1000.
    pub broken_links: Vec<BrokenLink>,
}

/// Paths on the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MovedPage {
    #[schema(example = "/docs/old")]
    pub from: String,
    #[schema(example = "/docs/new")]
    pub to: String,
}

/// Of the attached files, those that the site does not have: their number, and their bytes as they would be stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MediaPlan {
    pub files: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct BrokenLink {
    /// The path of the page that has the link.
    #[schema(example = "/blog/hello-world")]
    pub page: String,
    /// The link as written.
    #[schema(example = "../missing")]
    pub link: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishedPage {
    /// Of a page that a dry run would create: not kept.
    pub id: Uuid,
    pub slug: String,
    pub title: String,
    #[schema(value_type = ContentType)]
    pub content_type: &'static str,
    /// Only if the page has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub section: Option<String>,
    pub draft: bool,
    pub status: WriteStatus,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WriteStatus {
    Created,
    Updated,
    /// Only in a dry run.
    Unchanged,
}

/// A page as listed by `GET /pages`. Borrowed: a listing is written directly from the database's rows.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageSummary<'a> {
    #[schema(value_type = Uuid)]
    pub id: &'a str,
    pub slug: &'a str,
    pub title: &'a str,
    #[schema(value_type = ContentType)]
    pub content_type: &'a str,
    /// Only if the page has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub section: Option<&'a str>,
    #[schema(required)]
    pub description: Option<&'a str>,
    pub draft: bool,
    #[schema(value_type = Vec<String>)]
    pub tags: &'a RawValue,
    #[schema(format = DateTime)]
    pub published_at: &'a str,
    #[schema(format = DateTime)]
    pub updated_at: &'a str,
    /// Only with `hashes=true`; see `GET /pages/{slug}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub hash: Option<&'a str>,
}

/// A page with its content, as returned by `GET /pages/{slug}`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageDetail {
    pub id: Uuid,
    pub slug: String,
    pub title: String,
    #[schema(value_type = ContentType)]
    pub content_type: &'static str,
    /// Only if the page has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub section: Option<String>,
    #[schema(required)]
    pub description: Option<String>,
    /// Markdown, with the URLs of uploaded files in place of `file:` references.
    pub content: String,
    pub draft: bool,
    pub tags: Vec<String>,
    #[schema(required)]
    pub api_endpoint: Option<String>,
    #[schema(value_type = Object)]
    pub params: Box<RawValue>,
    #[schema(format = DateTime)]
    pub published_at: String,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// The page's path on the site.
    #[schema(example = "/blog/hello-world")]
    pub url: String,
    /// SHA-256 of the page's fields, in hexadecimal digits.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub hash: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageList<'a> {
    pub pages: Vec<PageSummary<'a>>,
    /// Only with `limit` or `cursor`: the cursor of the next part, null on the last one.
    pub next_cursor: Option<String>,
}
