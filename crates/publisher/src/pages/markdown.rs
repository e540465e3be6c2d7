//! A `POST /pages` body that is one Markdown file: its front matter becomes the fields of the page.

use front_matter::{Document, Fields};
use serde_json::{Value, json};

use super::draft::Draft;
use crate::Error;
use crate::limits::priority;

/// What the query of a request with a Markdown body may say. It takes precedence over the front matter.
#[derive(Debug, Default)]
pub struct MarkdownQuery {
    pub content_type: Option<String>,
    pub section: Option<String>,
    pub slug: Option<String>,
    pub draft: Option<bool>,
    pub build: Option<bool>,
    pub site: Option<String>,
}

impl Draft {
    /// The body is a single page in Markdown. Without a title, its first heading is the title.
    pub async fn markdown(&mut self, text: String, query: MarkdownQuery) -> Result<(), Error> {
        let turn = self.publisher.parsing.take(self.account).await;
        // Parsing would block the async threads.
        let parsed = priority::spawn_low(move || {
            let _turn = turn;
            let Document { mut fields, body, .. } = front_matter::read(&text)
                .map_err(|invalid| Error::Malformed(format!("front matter, {invalid}")))?;
            fields.title = fields.title.or_else(|| markdown::first_heading(body));
            Ok::<_, Error>((fields, body.to_owned()))
        });
        let (fields, body) =
            parsed.await.map_err(|error| Error::Internal(format!("read front matter: {error}")))??;
        for (name, value) in members(fields, body, query) {
            self.member(name, &value.to_string())?;
        }
        Ok(())
    }
}

/// The same page as members of a JSON body; null means omitted.
fn members(fields: Fields, body: String, query: MarkdownQuery) -> [(&'static str, Value); 14] {
    let params = Some(fields.params).filter(|params| !params.is_empty());
    [
        ("title", json!(fields.title)),
        ("slug", json!(query.slug.or(fields.slug))),
        ("contentType", json!(query.content_type.or(fields.content_type))),
        ("section", json!(query.section.or(fields.section))),
        ("description", json!(fields.description)),
        ("tags", json!(fields.tags)),
        ("draft", json!(query.draft.or(fields.draft))),
        ("publishedAt", json!(fields.published_at)),
        ("apiEndpoint", json!(fields.api_endpoint)),
        ("password", json!(fields.password)),
        ("params", json!(params)),
        ("content", json!(body)),
        ("build", json!(query.build)),
        ("siteId", json!(query.site)),
    ]
}
