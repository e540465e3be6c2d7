//! `recto site openapi`: publishes an OpenAPI document as docs pages.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use openapi::{Names, Page};
use publisher::{Error, Publisher};
use serde_json::{Value, json};

use crate::output;

/// Larger than any known document; the pages made from it are bounded by themselves.
const MAX_BYTES: u64 = 32 << 20;
const NAMES: Names<'_> = Names { url: "API_URL", token: "API_TOKEN" };

#[derive(Args)]
pub struct OpenApi {
    /// The site's id or name
    site: String,
    /// An OpenAPI document (3.0 or 3.1) in JSON
    file: PathBuf,
    /// Only show which pages would be published
    #[arg(long)]
    dry_run: bool,
    /// Publish without a build
    #[arg(long)]
    no_build: bool,
}

impl OpenApi {
    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let site = publisher.site_find(&self.site).await?;
        let pages = self.pages()?;
        if self.dry_run {
            show(&pages, json);
            return Ok(());
        }
        let entries: Vec<Value> = pages.iter().map(entry).collect();
        let published =
            publisher.site_publish(&site, &entries).await.map_err(|error| refused(error, &pages))?;
        if !self.no_build {
            publisher.site_build(&site).await?;
        }
        let address = super::main_url(publisher, &site).await?;
        if json {
            output::json(&json!({ "siteId": site.id, "pages": published.pages, "url": address }));
        } else {
            let next = match self.no_build {
                true => "`recto site build` builds the site",
                false => "a running server builds the site within seconds",
            };
            output::line(format!("{} pages published; {next}", published.pages.len()));
            output::line(format!("open {address}/docs"));
        }
        Ok(())
    }

    fn pages(&self) -> Result<Vec<Page>> {
        let name = self.file.display();
        let size = std::fs::metadata(&self.file).with_context(|| format!("read {name}"))?.len();
        ensure!(size <= MAX_BYTES, "{name} has more than {} MB", MAX_BYTES >> 20);
        let text = std::fs::read_to_string(&self.file).with_context(|| format!("read {name}"))?;
        let document: Value = match serde_json::from_str(&text) {
            Ok(document) => document,
            Err(_) if !text.trim_start().starts_with('{') => {
                bail!("{name} is not JSON; convert it first, for example with `yq -o json`")
            }
            Err(error) => bail!("{name}: {error}"),
        };
        openapi::pages(&document, NAMES).with_context(|| name.to_string())
    }
}

fn entry(page: &Page) -> Value {
    json!({
        "contentType": "docs",
        "section": page.section,
        "slug": page.slug.as_str(),
        "title": page.title,
        "content": page.content,
        "apiEndpoint": page.endpoint.as_ref().map_or("", |endpoint| endpoint.as_str()),
        "params": { "weight": page.weight },
    })
}

/// Field errors are reported by number; the reader knows pages by their titles.
fn refused(error: Error, pages: &[Page]) -> anyhow::Error {
    let Error::Invalid(by_page) = &error else { return error.into() };
    let lines = by_page.iter().flat_map(|(number, fields)| {
        let title = pages.get(*number).map_or("", |page| &page.title);
        fields.iter().map(move |(field, message)| format!("\n  {title}: {field}: {message}"))
    });
    anyhow::anyhow!("these pages cannot be published, so none was:{}", lines.collect::<String>())
}

fn show(pages: &[Page], json: bool) {
    let endpoint = |page: &Page| page.endpoint.as_ref().map_or("", |endpoint| endpoint.as_str()).to_owned();
    if json {
        let pages: Vec<Value> = pages.iter().map(entry).collect();
        output::json(&json!({ "dryRun": true, "pages": pages }));
        return;
    }
    let rows: Vec<[String; 4]> = pages
        .iter()
        .map(|page| [page.section.clone(), page.slug.as_str().to_owned(), page.title.clone(), endpoint(page)])
        .collect();
    output::table(["SECTION", "SLUG", "TITLE", "ENDPOINT"], &rows);
}
