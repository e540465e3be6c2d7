//! `recto page …`: pages that were deleted through the API.

use anyhow::{Result, anyhow, bail};
use clap::Subcommand;
use model::PageId;
use serde_json::{Value, json};
use store::trash::Deleted;

use super::{Access, with_publisher};
use crate::{Global, output};

#[derive(Subcommand)]
pub enum PageCommand {
    /// List a site's deleted pages
    Deleted {
        #[arg(long, value_name = "ID_OR_NAME")]
        site: String,
    },
    /// Restore a deleted page
    Restore {
        id: String,
        #[arg(long, value_name = "ID_OR_NAME")]
        site: String,
    },
    /// Permanently delete a deleted page, or all deleted pages of a site
    Purge {
        id: Option<String>,
        #[arg(long, value_name = "ID_OR_NAME")]
        site: String,
        /// All deleted pages of the site
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
}

impl PageCommand {
    pub fn run(self, global: &Global) -> Result<()> {
        let json = global.json;
        let access = if matches!(self, PageCommand::Deleted { .. }) { Access::Read } else { Access::Write };
        with_publisher(global, access, async |publisher| match self {
            PageCommand::Deleted { site } => {
                let pages = publisher.deleted_list(&publisher.site_find(&site).await?).await?;
                if json {
                    output::json(&pages.iter().map(describe).collect::<Vec<_>>());
                } else {
                    let rows: Vec<_> = pages.iter().map(row).collect();
                    output::table(["PAGE", "TYPE", "SECTION", "SLUG", "TITLE", "DELETED"], &rows);
                }
                Ok(())
            }
            PageCommand::Restore { id, site } => {
                let (site, page) = (publisher.site_find(&site).await?, parse_page(&id)?);
                publisher.deleted_restore(&site, page).await?;
                if json {
                    output::json(&json!({ "id": page }));
                } else {
                    output::line(format!(
                        "page {page} is restored; it appears on the site after the next build"
                    ));
                }
                Ok(())
            }
            PageCommand::Purge { id, site, all } => {
                let site = publisher.site_find(&site).await?;
                let page = id.map(|id| parse_page(&id)).transpose()?;
                if page.is_none() && !all {
                    bail!("give the id of a page, or --all for all deleted pages of the site");
                }
                let purged = publisher.deleted_purge(&site, page).await?;
                if json {
                    output::json(&json!({ "purged": purged }));
                } else {
                    output::line(format!("{purged} pages permanently deleted"));
                }
                Ok(())
            }
        })
    }
}

fn parse_page(text: &str) -> Result<PageId> {
    PageId::parse(text).ok_or_else(|| anyhow!("{text:?} is not a page id; `recto page deleted` shows them"))
}

fn describe(page: &Deleted) -> Value {
    json!({
        "id": page.id,
        "contentType": page.key.content_type.as_str(),
        "section": page.key.section.as_str(),
        "slug": page.key.slug.as_str(),
        "title": page.title,
        "deletedAt": page.deleted_at,
    })
}

fn row(page: &Deleted) -> [String; 6] {
    [
        page.id.to_string(),
        page.key.content_type.as_str().to_owned(),
        page.key.section.as_str().to_owned(),
        page.key.slug.as_str().to_owned(),
        page.title.clone(),
        page.deleted_at.to_string(),
    ]
}
