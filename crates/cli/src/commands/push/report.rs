//! What a push did.

use std::collections::HashMap;

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
    /// The plan of a dry run.
    plan: Option<Value>,
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
            plan: None,
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
        for (_, page) in changes.zip(&sent.pages) {
            match page.status.as_str() {
                "created" => self.created += 1,
                "unchanged" => self.unchanged += 1,
                _ => self.updated += 1,
            }
        }
        self.deleted += sent.deleted.len();
        self.uploaded += files;
        let next = sent.plan.unwrap_or_default();
        let plan = self.plan.get_or_insert_with(no_plan);
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

    /// A dry run has a plan, even if nothing was sent.
    pub fn is_planned(&mut self) {
        self.plan.get_or_insert_with(no_plan);
    }

    pub fn found_changes(&self) -> bool {
        self.created + self.updated + self.deleted > 0
    }

    pub fn is_nothing(&self) -> bool {
        !self.found_changes() && self.build.is_none()
    }

    pub fn show(&self, json: bool) {
        if json {
            return output::json(&self.json());
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
        if let Some(plan) = &self.plan {
            show_plan(plan);
            return output::line(match self.found_changes() {
                true => "dry run: nothing was changed; the same command without --dry-run publishes",
                false => "dry run: nothing to do",
            });
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

/// Whether the stored page has the same hash as before, now that the addresses of its files are known.
fn is_same(change: &Change, known: &Known) -> bool {
    let (Some(before), Some(at), Some(content)) =
        (&change.before, change.published_at, known.content(change.page))
    else {
        return false;
    };
    change.page.hash(&change.page.key, at, &content).to_string() == *before
}

fn no_plan() -> Value {
    json!({"moved": [], "media": {"files": 0, "bytes": 0}, "brokenLinks": []})
}

fn show_plan(plan: &Value) {
    let list = |name: &str| plan[name].as_array().cloned().unwrap_or_default();
    for moved in list("moved") {
        output::line(format!("moved: {} to {}", text(&moved, "from"), text(&moved, "to")));
    }
    for broken in list("brokenLinks") {
        output::line(format!("broken link: {} on {}", text(&broken, "link"), text(&broken, "page")));
    }
    if plan["media"]["files"] != 0 {
        output::line(format!("new files: {}, {} bytes", plan["media"]["files"], plan["media"]["bytes"]));
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}
