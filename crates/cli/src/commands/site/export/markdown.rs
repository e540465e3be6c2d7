//! The pages of a site as a folder of Markdown: `recto push` of it finds nothing to do.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use folder::{CONFIG_FILE, Exporter, StoredPage};
use model::PageId;
use publisher::{PageFilter, Publisher, SiteSettings};
use serde_json::json;
use store::sites::Site;

use crate::output;

/// Pages that are listed at once.
const LISTED: usize = 1000;

pub async fn export(publisher: &Publisher, site: &Site, directory: &Path, json: bool) -> Result<()> {
    let progress = output::progress("{spinner} {pos} pages ({per_sec})", json);
    let (mut exporter, mut media) = (Exporter::default(), BTreeSet::new());
    let pages = all_pages(publisher, site).await?;
    for id in &pages {
        let page = read(publisher, site, *id).await?;
        let mut local = BTreeSet::new();
        for address in page.media() {
            if media.contains(&address) || publisher.export_file(site, &address, directory).await? {
                local.insert(address);
            }
        }
        media.extend(local.iter().cloned());
        let (path, text) = exporter.file(page, &local);
        write(&directory.join(path), &text)?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    let settings = publisher.site_settings(site).await?;
    write(&directory.join(CONFIG_FILE), &config(site, &settings)?)?;
    let (shown, pages, media) = (directory.to_string_lossy(), pages.len(), media.len());
    if json {
        output::json(&json!({ "directory": shown, "pages": pages, "media": media }));
        return Ok(());
    }
    output::line(format!("{pages} pages and {media} uploads written to {shown}"));
    output::line(format!("to publish them again: recto push {shown}"));
    Ok(())
}

/// Drafts and pages dated in the future, too; the oldest change first.
async fn all_pages(publisher: &Publisher, site: &Site) -> Result<Vec<PageId>> {
    let (mut ids, mut filter) = (Vec::new(), PageFilter::default());
    loop {
        let list = publisher.page_list(site, filter.clone(), LISTED).await?;
        ids.extend(list.pages.iter().map(|page| page.id));
        match list.next {
            Some(next) => filter.after = Some(next),
            None => break,
        }
    }
    ids.reverse();
    Ok(ids)
}

async fn read(publisher: &Publisher, site: &Site, id: PageId) -> Result<StoredPage> {
    let stored = publisher.page_read(site, id).await?;
    let (page, text) =
        (stored.page, |text: &str| if text.is_empty() { "{}".to_owned() } else { text.to_owned() });
    Ok(StoredPage {
        tags: serde_json::from_str(&page.tags).context("the tags of a stored page")?,
        params: serde_json::from_str(&text(&stored.params)).context("the params of a stored page")?,
        key: page.key,
        title: page.title,
        description: page.description.unwrap_or_default(),
        draft: page.draft,
        published_at: page.published_at.to_string(),
        api_endpoint: page.api_endpoint.unwrap_or_default(),
        content: stored.content,
    })
}

fn config(site: &Site, settings: &SiteSettings) -> Result<String> {
    let values = SiteSettings::KEYS.iter().filter_map(|(key, _)| Some((*key, settings.get(key)?)));
    let settings: toml::Table = values
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| (key.to_owned(), value.into()))
        .collect();
    let mut config = toml::Table::new();
    config.insert("site".to_owned(), site.name.as_str().into());
    if !settings.is_empty() {
        config.insert("settings".to_owned(), settings.into());
    }
    toml::to_string(&config).context("write the configuration")
}

fn write(path: &Path, text: &str) -> Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).with_context(|| format!("create {}", parent.display()))?;
    std::fs::write(path, text).with_context(|| format!("write {}", path.display()))
}
