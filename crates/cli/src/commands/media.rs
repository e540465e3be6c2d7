//! `recto media`: lists a site's uploads, with their sizes and the pages that use them, and deletes them.

use anyhow::{Result, bail};
use clap::Subcommand;
use model::ByteSize;
use publisher::{MediumInfo, Publisher, TranscodeStatus};
use serde_json::{Value, json};
use store::sites::Site;

use super::{Access, with_publisher};
use crate::{Global, output};

#[derive(Subcommand)]
pub enum MediaCommand {
    /// List the uploads of a site, newest first, with their sizes and the pages that use them
    List {
        /// The site's id or name
        site: String,
        /// Only unused uploads
        #[arg(long)]
        orphans: bool,
    },
    /// Delete uploads; their storage is free at once
    Delete {
        /// The site's id or name
        site: String,
        /// URLs, as shown by `recto media list`
        urls: Vec<String>,
        /// All unused uploads
        #[arg(long, conflicts_with = "urls")]
        orphans: bool,
        /// Also uploads that are used by a page, which will then be missing there
        #[arg(long)]
        force: bool,
    },
}

impl MediaCommand {
    pub fn run(self, global: &Global) -> Result<()> {
        let json = global.json;
        let access = if matches!(self, MediaCommand::List { .. }) { Access::Read } else { Access::Write };
        with_publisher(global, access, async |publisher| match self {
            MediaCommand::List { site, orphans } => {
                let site = publisher.site_find(&site).await?;
                let mut media = publisher.media(site.id).await?;
                media.retain(|medium| !orphans || medium.used_by.is_empty());
                list(&site, &media, json);
                Ok(())
            }
            MediaCommand::Delete { site, urls, orphans, force } => {
                let site = publisher.site_find(&site).await?;
                if urls.is_empty() && !orphans {
                    bail!("give the URLs to delete, or --orphans for all unused uploads");
                }
                let urls = urls_to_delete(&publisher, &site, urls, force).await?;
                delete(&publisher, &site, &urls, json).await
            }
        })
    }
}

/// The URLs to delete: those given, or all unused ones.
async fn urls_to_delete(
    publisher: &Publisher,
    site: &Site,
    urls: Vec<String>,
    force: bool,
) -> Result<Vec<String>> {
    let media = publisher.media(site.id).await?;
    if urls.is_empty() {
        let orphans = media.into_iter().filter(|medium| medium.used_by.is_empty());
        return Ok(orphans.flat_map(|medium| medium.urls).collect());
    }
    for url in &urls {
        let medium = media.iter().find(|medium| medium.urls.contains(url));
        if let Some(page) = medium.and_then(|medium| medium.used_by.first()).filter(|_| !force) {
            bail!("{url} is used by {}; delete it anyway with --force", publisher::page_url(page));
        }
    }
    Ok(urls)
}

async fn delete(publisher: &Publisher, site: &Site, urls: &[String], json: bool) -> Result<()> {
    let mut freed = 0;
    for url in urls {
        freed += publisher.delete_medium(site.id, url).await?;
    }
    if json {
        output::json(&json!({ "deleted": urls, "freedBytes": freed }));
    } else {
        output::line(format!("{} deleted, {} freed", urls.len(), ByteSize(freed)));
    }
    Ok(())
}

fn list(site: &Site, media: &[MediumInfo], json: bool) {
    if json {
        output::json(&media.iter().map(describe).collect::<Vec<_>>());
    } else if media.is_empty() {
        output::line("none");
    } else {
        let rows: Vec<_> = media.iter().flat_map(rows).collect();
        output::table(["URL", "SIZE", "UPLOADED", "USED BY", ""], &rows);
        let total = media.iter().map(|medium| medium.size).sum();
        let orphans: u64 =
            media.iter().filter(|medium| medium.used_by.is_empty()).map(|medium| medium.size).sum();
        output::line("");
        output::line(format!("{} in total, {} of it unused", ByteSize(total), ByteSize(orphans)));
        output::line(format!(
            "to delete unused uploads: recto media delete {} --orphans",
            site.name.as_str()
        ));
    }
}

fn describe(medium: &MediumInfo) -> Value {
    json!({
        "urls": medium.urls,
        "size": medium.size,
        "createdAt": medium.created_at,
        "usedBy": medium.used_by.iter().map(publisher::page_url).collect::<Vec<_>>(),
        "transcode": medium.transcode.as_ref().map(|transcode| json!({
            "status": transcode.status.as_str(),
            "percent": transcode.percent,
            "error": transcode.error,
        })),
    })
}

/// One row per URL.
fn rows(medium: &MediumInfo) -> Vec<[String; 5]> {
    let used = match medium.used_by.as_slice() {
        [] => "-".to_owned(),
        [page] => publisher::page_url(page),
        [page, rest @ ..] => format!("{} and {} more", publisher::page_url(page), rest.len()),
    };
    let note = match &medium.transcode {
        Some(transcode) if transcode.status == TranscodeStatus::Running => {
            format!("MP4: {} %", transcode.percent)
        }
        Some(transcode) => format!("MP4: {}", transcode.status.as_str()),
        None => String::new(),
    };
    let row = |url: &String| {
        let size = ByteSize(medium.size).to_string();
        [url.clone(), size, medium.created_at.to_string(), used.clone(), note.clone()]
    };
    medium.urls.iter().map(row).collect()
}
