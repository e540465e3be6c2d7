//! `recto site openapi`: publishes an OpenAPI document as docs pages.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use model::ContentType;
use openapi::{Names, Page};
use publisher::{Error, ListedPage, PageFilter, Publisher};
use serde_json::{Value, json};
use store::sites::Site;

use crate::output;

/// Larger than any known document; the pages made from it are bounded by themselves.
const MAX_BYTES: u64 = 32 << 20;
/// The param of a page that this command made: the title of its document.
const MARK: &str = "openapi";
/// Pages that are looked at together.
const LISTED: usize = 500;
const NAMES: Names<'_> = Names { url: "API_URL", token: "API_TOKEN" };

#[derive(Args)]
pub struct OpenApi {
    /// The site's id or name
    site: String,
    /// An OpenAPI document (3.0 or 3.1) in JSON or YAML
    file: PathBuf,
    /// Delete the pages that an earlier document with the same title had, and this one has not
    #[arg(long)]
    prune: bool,
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
        let (title, pages) = self.read()?;
        let entries: Vec<Value> = pages.iter().map(|page| entry(page, &title)).collect();
        let gone = gone(publisher, &site, &title, &pages).await?;
        if self.dry_run {
            show(&pages, &entries, &gone, json);
            return Ok(());
        }
        let published =
            publisher.site_publish(&site, &entries).await.map_err(|error| refused(error, &pages))?;
        let deleted = if self.prune { gone.len() } else { 0 };
        if self.prune {
            publisher.site_delete_pages(&site, gone.iter().map(|page| page.id).collect()).await?;
        }
        if !self.no_build {
            publisher.site_build(&site).await?;
        }
        let address = super::main_url(publisher, &site).await?;
        if json {
            output::json(&json!({
                "siteId": site.id,
                "pages": published.pages,
                "deleted": deleted,
                "url": address,
            }));
        } else {
            let next = match self.no_build {
                true => "`recto site build` builds the site",
                false => "a running server builds the site within seconds",
            };
            output::line(format!("{} pages published, {deleted} deleted; {next}", published.pages.len()));
            if !self.prune && !gone.is_empty() {
                output::line(format!(
                    "{} pages are no longer in the document; --prune deletes them:",
                    gone.len()
                ));
                gone.iter().for_each(|page| output::line(format!("  {}", address_of(page))));
            }
            output::line(format!("open {address}/docs"));
        }
        Ok(())
    }

    /// The title of the document, and its pages.
    fn read(&self) -> Result<(String, Vec<Page>)> {
        let name = self.file.display();
        let size = std::fs::metadata(&self.file).with_context(|| format!("read {name}"))?.len();
        ensure!(size <= MAX_BYTES, "{name} has more than {} MB", MAX_BYTES >> 20);
        let text = std::fs::read_to_string(&self.file).with_context(|| format!("read {name}"))?;
        let document = openapi::parse(&text).with_context(|| name.to_string())?;
        let pages = openapi::pages(&document, NAMES).with_context(|| name.to_string())?;
        Ok((document["info"]["title"].as_str().unwrap_or_default().to_owned(), pages))
    }
}

/// The pages of the site that this command made of a document with the same title, and that it would not make now.
async fn gone(publisher: &Publisher, site: &Site, title: &str, pages: &[Page]) -> Result<Vec<ListedPage>> {
    let made: HashSet<(String, &str)> =
        pages.iter().map(|page| (page.section.to_lowercase(), page.slug.as_str())).collect();
    let (mut gone, mut after) = (Vec::new(), None);
    loop {
        let filter = PageFilter { content_type: Some(ContentType::Docs), after, ..PageFilter::default() };
        let listed = publisher.page_list(site, filter, LISTED).await?;
        for page in listed.pages {
            if !made.contains(&(page.section.clone(), page.slug.as_str())) {
                let params = publisher.page_read(site, page.id).await?.params;
                let params: Value = serde_json::from_str(&params).unwrap_or_default();
                if params[MARK] == title {
                    gone.push(page);
                }
            }
        }
        match listed.next {
            Some(next) => after = Some(next),
            None => return Ok(gone),
        }
    }
}

fn address_of(page: &ListedPage) -> String {
    match page.section.as_str() {
        "" => format!("/docs/{}", page.slug),
        section => format!("/docs/{section}/{}", page.slug),
    }
}

fn entry(page: &Page, title: &str) -> Value {
    json!({
        "contentType": "docs",
        "section": page.section,
        "slug": page.slug.as_str(),
        "title": page.title,
        "content": page.content,
        "apiEndpoint": page.endpoint.as_ref().map_or("", |endpoint| endpoint.as_str()),
        "params": { "weight": page.weight, MARK: title },
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

fn show(pages: &[Page], entries: &[Value], gone: &[ListedPage], json: bool) {
    let endpoint = |page: &Page| page.endpoint.as_ref().map_or("", |endpoint| endpoint.as_str()).to_owned();
    if json {
        let gone: Vec<String> = gone.iter().map(address_of).collect();
        output::json(&json!({ "dryRun": true, "pages": entries, "gone": gone }));
        return;
    }
    let rows: Vec<[String; 4]> = pages
        .iter()
        .map(|page| [page.section.clone(), page.slug.as_str().to_owned(), page.title.clone(), endpoint(page)])
        .collect();
    output::table(["SECTION", "SLUG", "TITLE", "ENDPOINT"], &rows);
    gone.iter().for_each(|page| output::line(format!("no longer in the document: {}", address_of(page))));
}
