//! `recto site search`: what a visitor's search finds.

use anyhow::{Error, Result};
use clap::Args;
use publisher::{Publisher, SearchQuery};
use serde_json::json;

use crate::output;

#[derive(Args)]
pub struct Search {
    /// The site's id or name
    site: String,
    /// All of them must occur
    #[arg(required = true)]
    words: Vec<String>,
    /// The most results to show
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=50))]
    limit: u16,
}

impl Search {
    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let site = publisher.site_find(&self.site).await?;
        let words = self.words.join(" ");
        let query =
            SearchQuery::parse(&words).map_err(|_| Error::msg("search for at most 200 characters"))?;
        let found = publisher.search_live(&site, query, self.limit.into()).await?;
        if json {
            output::json(&json!({"query": words, "total": found.total, "results": found.hits}));
            return Ok(());
        }
        if found.hits.is_empty() {
            output::line("nothing found".to_owned());
        }
        for hit in &found.hits {
            output::line(format!("{}  {}\n  {}", hit.url, hit.title, hit.excerpt));
        }
        if found.total > found.hits.len() {
            output::line(format!("{} of {} results; --limit shows more", found.hits.len(), found.total));
        }
        Ok(())
    }
}
