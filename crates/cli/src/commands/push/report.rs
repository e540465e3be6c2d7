//! What a push did.

use std::collections::{HashMap, HashSet};

use client::{Build, Published, Site};
use model::Timestamp;
use serde_json::{Value, json};

use super::cache::Known;
use super::plan::{Change, Plan};
use crate::output;

pub(super) struct Report {
    created: usize,
    updated: usize,
    unchanged: usize,
    deleted: usize,
    uploaded: usize,
    reused: usize,
    pub build: Option<Build>,
    pub is_queued: bool,
    url: String,
    /// The keys of settings that were changed.
    settings: Vec<String>,
    /// The plan of a dry run.
    plan: Option<Value>,
    /// The same for a person.
    pub overview: Vec<String>,
    /// The files of pages that the server found to be the same as before, in a dry run.
    same: HashSet<String>,
    /// When pages without a date in the folder were published, by file.
    pub published_at: HashMap<String, Timestamp>,
}

impl Report {
    pub fn new(site: &Site, plan: &Plan) -> Report {
        let published =
            plan.changed.iter().filter_map(|change| Some((change.page.file.clone(), change.published_at?)));
        Report {
            created: 0,
            updated: 0,
            unchanged: plan.unchanged.len(),
            deleted: 0,
            uploaded: 0,
            reused: plan.known.reused(),
            build: None,
            is_queued: false,
            url: site.deploy_url.clone(),
            settings: plan.settings.keys().cloned().collect(),
            plan: None,
            overview: Vec::new(),
            same: HashSet::new(),
            published_at: published.collect(),
        }
    }

    /// What a request did. A page that was sent only because of its files may be the same as before.
    pub fn add<'p>(
        &mut self,
        changes: impl Iterator<Item = &'p Change<'p>>,
        known: &Known,
        sent: &Published,
        files: usize,
    ) {
        for (change, page) in changes.zip(&sent.pages) {
            match (page.status.as_str(), is_same(change, known)) {
                ("created", _) => {
                    self.created += 1;
                    // A page without a date is published when it is created.
                    let at = Timestamp::parse_iso(&page.created_at).ok();
                    self.published_at.extend(at.map(|at| (change.page.file.clone(), at)));
                }
                (_, true) => self.unchanged += 1,
                (_, false) => self.updated += 1,
            }
        }
        self.deleted += sent.deleted.len();
        self.uploaded += files;
        self.is_queued |= sent.build.as_ref().is_some_and(|build| build.get("status").is_some());
    }

    pub fn add_planned<'p>(
        &mut self,
        changes: impl Iterator<Item = &'p Change<'p>>,
        sent: Published,
        files: usize,
    ) {
        for (change, page) in changes.zip(&sent.pages) {
            match page.status.as_str() {
                "created" => self.created += 1,
                "unchanged" => {
                    self.unchanged += 1;
                    self.same.insert(change.page.file.clone());
                }
                _ => self.updated += 1,
            }
        }
        self.deleted += sent.deleted.len();
        self.uploaded += files;
        let next = sent.plan.unwrap_or_default();
        let plan = self.planned();
        for list in ["moved", "brokenLinks"] {
            let more = next[list].as_array().cloned().unwrap_or_default();
            if let Some(all) = plan[list].as_array_mut() {
                all.extend(more);
            }
        }
        for count in ["files", "bytes"] {
            let sum = plan["media"][count].as_u64().unwrap_or(0) + next["media"][count].as_u64().unwrap_or(0);
            plan["media"][count] = json!(sum);
        }
    }

    /// The plan: a dry run has one, even if nothing was sent.
    pub fn planned(&mut self) -> &mut Value {
        let settings = &self.settings;
        self.plan.get_or_insert_with(|| {
            let mut plan = json!({"moved": [], "media": {"files": 0, "bytes": 0}, "brokenLinks": []});
            if !settings.is_empty() {
                plan["settings"] = json!(settings);
            }
            plan
        })
    }

    /// How many pages were sent so far and are new or different.
    pub fn sent_pages(&self) -> u64 {
        (self.created + self.updated) as u64
    }

    pub fn unchanged(&self) -> usize {
        self.unchanged
    }

    /// Whether the server found that a page is the same as before.
    pub fn is_same(&self, change: &Change) -> bool {
        self.same.contains(&change.page.file)
    }

    /// Of the plan: how many files are new, and their bytes.
    pub fn media(&self) -> (u64, u64) {
        let count = |name| self.plan.as_ref().and_then(|plan| plan["media"][name].as_u64());
        (count("files").unwrap_or(0), count("bytes").unwrap_or(0))
    }

    /// Of the plan.
    pub fn broken_links(&self) -> Vec<BrokenLink> {
        let links = self.plan.as_ref().and_then(|plan| plan["brokenLinks"].as_array());
        let broken = |link: &Value| BrokenLink {
            page: text(link, "page").to_owned(),
            link: text(link, "link").to_owned(),
        };
        links.into_iter().flatten().map(broken).collect()
    }

    /// Drops the broken links that lead somewhere.
    pub fn forget_broken(&mut self, is_good: impl Fn(&str) -> bool) {
        if let Some(links) = self.planned()["brokenLinks"].as_array_mut() {
            links.retain(|link| !is_good(text(link, "link")));
        }
    }

    pub fn found_changes(&self) -> bool {
        self.created + self.updated + self.deleted + self.settings.len() > 0
    }

    pub fn is_nothing(&self) -> bool {
        !self.found_changes() && self.build.is_none()
    }

    pub fn show(&self, json: bool) {
        if json {
            return output::json(&self.json());
        }
        if self.plan.is_some() {
            self.overview.iter().for_each(output::line);
            return output::line(match self.found_changes() {
                true => "dry run: nothing was changed; the same command without --dry-run publishes",
                false => "dry run: nothing to do",
            });
        }
        let counts = [
            (self.created, "created"),
            (self.updated, "updated"),
            (self.deleted, "deleted"),
            (self.unchanged, "unchanged"),
        ];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        output::line(if counts.is_empty() { "no pages".to_owned() } else { counts.join(", ") });
        if self.uploaded > 0 {
            output::line(format!("files: {} sent, {} already there", self.uploaded, self.reused));
        }
        if !self.settings.is_empty() {
            output::line(format!("settings changed: {}", self.settings.join(", ")));
        }
        self.show_build();
    }

    fn show_build(&self) {
        match &self.build {
            Some(build) if build.status == "failed" => {
                let why = build.others.get("error").and_then(Value::as_str).unwrap_or("no reason given");
                output::line(format!("the build failed, the site is as before: {why}"));
            }
            Some(build) => {
                let warnings = build.others.get("warnings").and_then(Value::as_array).into_iter().flatten();
                warnings.for_each(|warning| {
                    output::line(format!("warning: {} {}", text(warning, "url"), text(warning, "message")))
                });
                output::line(format!("live at {}", self.url));
            }
            None if self.found_changes() => output::line("stored; it appears with the next build"),
            None => output::line(format!("nothing to do; the site is at {}", self.url)),
        }
    }

    fn json(&self) -> Value {
        let mut json = json!({
            "created": self.created, "updated": self.updated, "unchanged": self.unchanged, "deleted": self.deleted,
            "media": {"uploaded": self.uploaded, "reused": self.reused}, "build": self.build, "url": self.url,
        });
        if let Some(plan) = &self.plan {
            json["dryRun"] = json!(true);
            json["plan"] = plan.clone();
        }
        json
    }
}

/// A link that leads nowhere.
pub(super) struct BrokenLink {
    pub page: String,
    pub link: String,
}

/// Whether the stored page has the same hash as before, now that the addresses of its files are known.
fn is_same(change: &Change, known: &Known) -> bool {
    let (Some(before), Some(at)) = (&change.before, change.published_at) else { return false };
    known.hash(change.page, &change.page.key, at).as_ref() == Some(before)
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}
