//! Sends what differs: in one request where the limits allow it, otherwise in batches in the order of the files. A batch
//! is stored whole or not at all, and the same push again goes on where the last one stopped.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::{Context, Result};
use client::{Published, Upload};
use folder::{Folder, Page};
use model::limits::{DELETES_PER_REQUEST, FILES_PER_REQUEST, PAGES_PER_REQUEST};
use model::{ApiEndpoint, PageKey, Timestamp};
use serde_json::{Value, json};

use super::cache::Cache;
use super::plan::{Change, Plan};
use super::report::Report;
use super::{CHANGES_FOUND, Push};

/// Text in one request, to keep its memory small.
const BATCH_BYTES: usize = 64 << 20;

/// What one request has.
#[derive(Default)]
struct Batch<'p> {
    changes: Vec<&'p Change<'p>>,
    files: BTreeSet<&'p str>,
    deletes: Vec<&'p PageKey>,
    bytes: usize,
}

impl Push {
    pub(super) async fn send(&self, folder: &Folder, plan: &Plan<'_>, cache: &mut Cache) -> Result<Report> {
        let mut report = Report::new(&self.site, plan);
        let batches = batches(plan);
        let bar = self.progress("{spinner} publishing {pos} pages");
        let (last, mut known) = (batches.len(), plan.known.clone());
        for (number, batch) in batches.iter().enumerate() {
            let build = number + 1 == last && !self.command.no_build && plan.is_certain();
            let sent = self.publish(folder, plan, batch, json!({ "build": build })).await;
            let sent = sent.with_context(|| match number {
                0 => "nothing was published".to_owned(),
                _ => "a part of the folder is stored, and nothing is live; push again to go on".to_owned(),
            })?;
            for item in &sent.media {
                known.add(&item.filename, item.url.clone());
            }
            report.add(batch.changes.iter().copied(), &known, &sent, batch.files.len());
            bar.inc(batch.changes.len() as u64);
        }
        bar.finish_and_clear();
        for page in &folder.pages {
            let published_at = page.published_at.or_else(|| report.published_at.get(&page.file).copied());
            if let (Some(content), Some(at)) = (known.content(page), published_at) {
                cache.add(page.hash(&page.key, at, &content).to_string(), known.files_of(page));
            }
        }
        Ok(report)
    }

    /// Lets the server check everything.
    pub(super) async fn dry_run(&self, folder: &Folder, plan: &Plan<'_>) -> Result<(Report, ExitCode)> {
        let mut report = Report::new(&self.site, plan);
        for batch in &batches(plan) {
            let sent = self.publish(folder, plan, batch, json!({ "dryRun": true })).await?;
            report.add_planned(batch.changes.iter().copied(), sent, batch.files.len());
        }
        report.is_planned();
        let code = if report.found_changes() { ExitCode::from(CHANGES_FOUND) } else { ExitCode::SUCCESS };
        Ok((report, code))
    }

    async fn publish(
        &self,
        folder: &Folder,
        plan: &Plan<'_>,
        batch: &Batch<'_>,
        mut payload: Value,
    ) -> Result<Published> {
        let pages: Vec<Value> = batch.changes.iter().map(|change| entry(change, plan)).collect();
        let deletes: Vec<Value> = batch.deletes.iter().map(|key| delete(key)).collect();
        payload["siteId"] = json!(self.site.id);
        payload["pages"] = json!(pages);
        if !deletes.is_empty() {
            payload["deleteSlugs"] = json!(deletes);
        }
        let upload = |name: &&str| {
            let file = folder.files.get(*name)?;
            Some(Upload { name: (*name).to_owned(), path: file.path.clone() })
        };
        let files: Vec<Upload> = batch.files.iter().filter_map(upload).collect();
        self.client.publish(&payload, &files).await.map_err(|error| explained(error, batch))
    }
}

/// Names the files whose pages the server refused.
fn explained(error: client::Error, batch: &Batch) -> anyhow::Error {
    let client::Error::Refused { body, .. } = &error else { return error.into() };
    let Some(pages) = body["pages"].as_object().filter(|pages| !pages.is_empty()) else {
        return error.into();
    };
    let lines = pages.iter().flat_map(|(index, fields)| {
        let change = index.parse().ok().and_then(|index: usize| batch.changes.get(index));
        let file = change.map_or("?", |change| change.page.file.as_str());
        let fields = fields.as_object().into_iter().flatten();
        fields
            .map(move |(field, message)| format!("{file}: {field}: {}", message.as_str().unwrap_or_default()))
    });
    anyhow::anyhow!("the server refused pages\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn batches<'p>(plan: &'p Plan<'p>) -> Vec<Batch<'p>> {
    let mut batches = vec![Batch::default()];
    for change in plan.changed_pages() {
        let unknown = plan.known.content(change.page).is_none();
        let files: BTreeSet<&str> = match unknown {
            true => change.page.text.files().filter(|file| plan.known.address(file).is_none()).collect(),
            false => BTreeSet::new(),
        };
        let bytes = change.page.text.len() + change.page.params.as_json().len();
        let last = batches.last_mut().expect("there is always one");
        let together = last.files.union(&files).count();
        let is_full = last.changes.len() == PAGES_PER_REQUEST
            || together > FILES_PER_REQUEST
            || last.bytes + bytes > BATCH_BYTES;
        if is_full && !last.changes.is_empty() {
            batches.push(Batch::default());
        }
        let last = batches.last_mut().expect("there is always one");
        last.changes.push(change);
        last.files.extend(files);
        last.bytes += bytes;
    }
    for deletes in plan.deletes.chunks(DELETES_PER_REQUEST) {
        if batches.last().is_some_and(|last| !last.deletes.is_empty()) {
            batches.push(Batch::default());
        }
        batches.last_mut().expect("there is always one").deletes = deletes.iter().collect();
    }
    batches.retain(|batch| !batch.changes.is_empty() || !batch.deletes.is_empty());
    batches
}

/// Every field: what front matter does not have is cleared on the site.
fn entry(change: &Change, plan: &Plan) -> Value {
    let Page { key, section, title, description, draft, tags, api_endpoint, params, text, .. } = change.page;
    let address = |file: &str| plan.known.address(file).map(str::to_owned);
    let params: Value = serde_json::from_str(params.as_json()).unwrap_or_default();
    let mut entry = json!({
        "slug": key.slug.as_str(), "contentType": key.content_type.as_str(), "section": section, "title": title,
        "description": description, "draft": draft, "tags": tags.as_slice(), "params": params,
        "apiEndpoint": api_endpoint.as_ref().map_or("", ApiEndpoint::as_str),
        "content": text.for_upload(address),
    });
    if let Some(id) = &change.id {
        entry["id"] = json!(id);
    }
    if let Some(time) = change.page.published_at {
        entry["publishedAt"] = json!(Timestamp::to_string(&time));
    }
    entry
}

fn delete(key: &PageKey) -> Value {
    json!({
        "slug": key.slug.as_str(), "contentType": key.content_type.as_str(), "section": key.section.as_str(),
    })
}
