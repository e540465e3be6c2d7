//! Sends what differs: in one request where the limits allow it, otherwise in batches in the order of the files. A batch
//! is stored whole or not at all, and the same push again goes on where the last one stopped.

use std::collections::{BTreeSet, HashSet};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use client::{OnSent, Published, Upload};
use folder::{Folder, Page};
use indicatif::ProgressBar;
use model::limits::{DELETES_PER_REQUEST, FILES_PER_REQUEST, PAGES_PER_REQUEST};
use model::{ApiEndpoint, PageKey, Timestamp};
use serde_json::{Value, json};

use super::cache::Known;
use super::overview::Target;
use super::plan::{Change, Plan};
use super::report::Report;
use super::{CHANGES_FOUND, Push};

/// Text in one request, to keep its memory small.
const BATCH_BYTES: usize = 64 << 20;

/// Stands for the address of a file that is not uploaded yet.
const UNKNOWN_FILE: &str = "/media/pending";

/// What one request has.
#[derive(Default, Clone)]
struct Batch<'p> {
    changes: Vec<&'p Change<'p>>,
    files: BTreeSet<&'p str>,
    deletes: Vec<&'p PageKey>,
    bytes: usize,
}

impl Batch<'_> {
    fn file_bytes(&self, folder: &Folder) -> u64 {
        self.files.iter().filter_map(|name| folder.files.get(*name)).map(|file| file.bytes).sum()
    }
}

impl Push {
    /// Pages and files, then settings: a build is queued with the last request, or after the settings.
    pub(super) async fn send(&mut self, folder: &Folder, plan: &Plan<'_>) -> Result<Report> {
        let mut report = Report::new(&self.site, plan);
        let batches = batches(plan);
        let bar = self.sending(folder, &batches);
        let (last, mut known, mut sent_bytes) = (batches.len(), plan.known.clone(), 0);
        for (number, batch) in batches.iter().enumerate() {
            let builds = number + 1 == last && plan.is_certain() && plan.settings.is_empty();
            let payload = self.payload(batch, plan, json!({ "build": builds && !self.command.no_build }));
            let on_sent: OnSent = match sends_files(&batches) {
                true => Arc::new({
                    let bar = bar.clone();
                    move |sent| bar.set_position(sent_bytes + sent)
                }),
                false => Arc::new(|_| ()),
            };
            let sent = self.publish(folder, batch, &payload, on_sent).await;
            let sent = sent.with_context(|| match number {
                0 => "nothing was published".to_owned(),
                _ => "a part of the folder is stored, and nothing is live; push again to go on".to_owned(),
            })?;
            for item in &sent.media {
                known.add(&item.filename, item.url.clone());
            }
            report.add(batch.changes.iter().copied(), &known, &sent, batch.files.len());
            self.remember(folder, &known, &report);
            sent_bytes += batch.file_bytes(folder);
            bar.set_position(if sends_files(&batches) { sent_bytes } else { report.sent_pages() });
        }
        bar.finish_and_clear();
        self.apply(&plan.settings).await.context(match last {
            0 => "nothing was published",
            _ => "the pages are stored, and nothing is live; push again to go on",
        })?;
        Ok(report)
    }

    /// Bytes of files take longest, if there are any.
    fn sending(&self, folder: &Folder, batches: &[Batch]) -> ProgressBar {
        let (template, length) = match sends_files(batches) {
            true => (
                "{spinner} uploading {bytes} of {total_bytes} {wide_bar} {bytes_per_sec}",
                batches.iter().map(|batch| batch.file_bytes(folder)).sum(),
            ),
            false => (
                "{spinner} publishing {pos} of {len} pages",
                batches.iter().map(|batch| batch.changes.len() as u64).sum(),
            ),
        };
        let bar = self.progress(template);
        bar.set_length(length);
        bar
    }

    /// The addresses of the files that the pages of the site show now.
    fn remember(&mut self, folder: &Folder, known: &Known, report: &Report) {
        for page in &folder.pages {
            let files = known.files_of(page);
            let published_at = page.published_at.or_else(|| report.published_at.get(&page.file).copied());
            let hash =
                published_at.filter(|_| !files.is_empty()).and_then(|at| known.hash(page, &page.key, at));
            if let Some(hash) = hash {
                self.cache.add(hash, files);
            }
        }
        self.save_cache();
    }

    /// Lets the server check everything.
    pub(super) async fn dry_run(&self, folder: &Folder, plan: &Plan<'_>) -> Result<(Report, ExitCode)> {
        let mut report = Report::new(&self.site, plan);
        for batch in &batches(plan) {
            let payload = self.payload(batch, plan, json!({ "dryRun": true }));
            let sent = self.publish(folder, batch, &payload, Arc::new(|_| ())).await?;
            report.add_planned(batch.changes.iter().copied(), sent, batch.files.len());
        }
        forget_good_links(&mut report, folder);
        if !self.json {
            report.overview = self.overview(plan, &report).await.lines(Target::Stdout);
        }
        let code = if report.found_changes() { ExitCode::from(CHANGES_FOUND) } else { ExitCode::SUCCESS };
        Ok((report, code))
    }

    /// The same without sending files, which takes long.
    pub(super) async fn check(&self, folder: &Folder, plan: &Plan<'_>) -> Result<Report> {
        let mut report = Report::new(&self.site, plan);
        let (mut files, mut bytes) = (0, 0);
        for batch in &batches(plan) {
            let without_files = Batch { files: BTreeSet::new(), ..batch.clone() };
            let payload = self.payload_with(&without_files, json!({ "dryRun": true }), |file| {
                Some(plan.known.address(file).unwrap_or(UNKNOWN_FILE).to_owned())
            });
            let sent = self.publish(folder, &without_files, &payload, Arc::new(|_| ())).await?;
            report.add_planned(batch.changes.iter().copied(), sent, 0);
            (files, bytes) = (files + batch.files.len(), bytes + batch.file_bytes(folder));
        }
        forget_good_links(&mut report, folder);
        report.planned()["media"] = json!({ "files": files, "bytes": bytes });
        Ok(report)
    }

    /// The body of a request, with `file:` references to the files that have no address.
    fn payload(&self, batch: &Batch, plan: &Plan, others: Value) -> Value {
        self.payload_with(batch, others, |file| plan.known.address(file).map(str::to_owned))
    }

    fn payload_with(
        &self,
        batch: &Batch,
        others: Value,
        address: impl Fn(&str) -> Option<String> + Copy,
    ) -> Value {
        let mut payload = others;
        let pages: Vec<Value> = batch.changes.iter().map(|change| entry(change, address)).collect();
        let deletes: Vec<Value> = batch.deletes.iter().map(|key| delete(key)).collect();
        payload["siteId"] = json!(self.site.id);
        // Not by `json!`, which copies: a folder has megabytes of text.
        payload["pages"] = Value::Array(pages);
        if !deletes.is_empty() {
            payload["deleteSlugs"] = json!(deletes);
        }
        payload
    }

    async fn publish(
        &self,
        folder: &Folder,
        batch: &Batch<'_>,
        payload: &Value,
        on_sent: OnSent,
    ) -> Result<Published> {
        let upload = |name: &&str| {
            let file = folder.files.get(*name)?;
            Some(Upload { name: (*name).to_owned(), path: file.path.clone() })
        };
        let files: Vec<Upload> = batch.files.iter().filter_map(upload).collect();
        self.client.publish(payload, &files, on_sent).await.map_err(|error| explained(error, batch))
    }
}

fn sends_files(batches: &[Batch]) -> bool {
    batches.iter().any(|batch| !batch.files.is_empty())
}

/// A batch does not know the pages of the next one, and a file that is not sent has no address yet.
fn forget_good_links(report: &mut Report, folder: &Folder) {
    let pages: HashSet<String> = folder.pages.iter().map(|page| page.key.path()).collect();
    report.forget_broken(|link| {
        let path = &link[..link.find(['?', '#']).unwrap_or(link.len())];
        path == UNKNOWN_FILE || pages.contains(path)
    });
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
        let files: BTreeSet<&str> =
            change.page.files().filter(|file| plan.known.address(file).is_none()).collect();
        let bytes = change.page.len();
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
fn entry(change: &Change, address: impl Fn(&str) -> Option<String> + Copy) -> Value {
    let Page { key, section, title, description, draft, tags, api_endpoint, text, .. } = change.page;
    let params = change.page.params_for_upload(address);
    let mut entry = json!({
        "slug": key.slug.as_str(), "contentType": key.content_type.as_str(), "section": section, "title": title,
        "description": description, "draft": draft, "tags": tags.as_slice(), "params": params,
        "apiEndpoint": api_endpoint.as_ref().map_or("", ApiEndpoint::as_str),
    });
    entry["content"] = Value::String(text.for_upload(address));
    if let Some(id) = &change.id {
        entry["id"] = json!(id);
    }
    if let Some(time) = change.page.published_at.filter(|_| !change.keeps_date) {
        entry["publishedAt"] = json!(Timestamp::to_string(&time));
    }
    entry
}

fn delete(key: &PageKey) -> Value {
    json!({
        "slug": key.slug.as_str(), "contentType": key.content_type.as_str(), "section": key.section.as_str(),
    })
}
