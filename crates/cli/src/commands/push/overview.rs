//! What a push would do, for a person: at most a screen, with colours on a terminal.

use client::{Account, Usage};
use console::Style;
use indicatif::HumanCount;
use model::{ByteSize, PageKey};

use super::Push;
use super::plan::{Change, Plan};
use super::report::{BrokenLink, Report};

/// How many pages, and how many links, are named.
const SHOWN: usize = 8;

pub(super) struct Overview {
    groups: Vec<Group>,
    unchanged: usize,
    settings: Vec<String>,
    files: Files,
    broken: Vec<BrokenLink>,
    quota: Vec<Limit>,
}

struct Group {
    sign: &'static str,
    what: &'static str,
    style: Style,
    paths: Vec<String>,
}

struct Files {
    new: u64,
    bytes: u64,
    reused: usize,
}

/// A limit of the account, before and after.
struct Limit {
    what: &'static str,
    before: u64,
    after: u64,
    most: Option<u64>,
    shown: fn(u64) -> String,
}

/// Where it is printed: that decides about colours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Stdout,
    Stderr,
}

impl Push {
    /// `checked` is what the server said of the plan.
    pub(super) async fn overview(&self, plan: &Plan<'_>, checked: &Report) -> Overview {
        let (new, bytes) = checked.media();
        let files = Files { new, bytes, reused: plan.known.reused() };
        // An older server does not say.
        let account = self.client.account().await.ok();
        let quota = account.map(|account| limits(&account, plan, &files, !self.command.no_build));
        let paths = |changes: &[Change]| changes.iter().map(|change| change.page.key.path()).collect();
        let changed = plan.changed.iter().filter(|change| !checked.is_same(change));
        let moved = plan.moved.iter().map(|change| match &change.from {
            Some(from) => format!("{} → {}", from.path(), change.page.key.path()),
            None => change.page.key.path(),
        });
        let group = |sign, what, style, paths| Group { sign, what, style, paths };
        let groups = vec![
            group("+", "created", Style::new().green(), paths(&plan.created)),
            group(
                "~",
                "changed",
                Style::new().yellow(),
                changed.map(|change| change.page.key.path()).collect(),
            ),
            group(">", "moved", Style::new().cyan(), moved.collect()),
            group("-", "deleted", Style::new().red(), plan.deletes.iter().map(PageKey::path).collect()),
        ];
        Overview {
            groups,
            unchanged: checked.unchanged(),
            settings: plan.settings.iter().map(|(key, value)| shown_setting(key, value)).collect(),
            files,
            broken: checked.broken_links(),
            quota: quota.unwrap_or_default(),
        }
    }
}

impl Overview {
    pub fn lines(&self, target: Target) -> Vec<String> {
        let paint = |style: &Style, text: &str| {
            let style = if target == Target::Stderr { style.clone().for_stderr() } else { style.clone() };
            style.apply_to(text).to_string()
        };
        let mut lines = Vec::new();
        for Group { sign, what, style, paths } in self.groups.iter().filter(|group| !group.paths.is_empty()) {
            lines.push(paint(style, &format!("{} {what}", HumanCount(paths.len() as u64))));
            lines.extend(paths.iter().take(SHOWN).map(|path| format!("  {} {path}", paint(style, sign))));
            lines.extend(more(paths.len()));
        }
        lines.push(format!("{} unchanged", HumanCount(self.unchanged as u64)));
        if !self.settings.is_empty() {
            lines.push(paint(&Style::new().yellow(), &format!("settings changed: {}", self.settings.len())));
            lines.extend(self.settings.iter().map(|setting| format!("  {setting}")));
        }
        if self.files.new > 0 || self.files.reused > 0 {
            let Files { new, bytes, reused } = self.files;
            lines.push(format!("files: {new} to upload ({}), {reused} already there", ByteSize(bytes)));
        }
        if !self.broken.is_empty() {
            let count = format!("broken links: {}", HumanCount(self.broken.len() as u64));
            lines.push(paint(&Style::new().red(), &count));
            let shown = self.broken.iter().take(SHOWN);
            lines.extend(shown.map(|BrokenLink { page, link }| format!("  {link} on {page}")));
            lines.extend(more(self.broken.len()));
        }
        if !self.quota.is_empty() {
            lines.push("quota:".to_owned());
        }
        for limit in &self.quota {
            let style = if limit.is_exceeded() { Style::new().red() } else { Style::new() };
            lines.push(format!("  {}", paint(&style, &limit.text())));
        }
        lines
    }
}

impl Limit {
    fn is_exceeded(&self) -> bool {
        self.most.is_some_and(|most| self.after > most)
    }

    /// `pages 3 → 5 of 250,000`
    fn text(&self) -> String {
        let Limit { what, before, after, most, shown } = self;
        let used = match before == after {
            true => shown(*before),
            false => format!("{} → {}", shown(*before), shown(*after)),
        };
        format!("{what} {used} of {}", most.map_or("?".to_owned(), shown))
    }
}

/// Of files, as many bytes as are sent: images usually need less. Changed texts count as if they kept their size.
fn limits(account: &Account, plan: &Plan, files: &Files, builds: bool) -> Vec<Limit> {
    let limit = |what, usage: &Usage, added: i64, shown| Limit {
        what,
        before: usage.used,
        after: usage.used.saturating_add_signed(added),
        most: usage.limit,
        shown,
    };
    let (number, size) = (|number| HumanCount(number).to_string(), |bytes| ByteSize(bytes).to_string());
    let new_text: usize = plan.created.iter().map(|change| change.page.len()).sum();
    vec![
        limit("pages", &account.pages, plan.created.len() as i64 - plan.deletes.len() as i64, number),
        limit("text", &account.text, new_text as i64, size),
        limit("files", &account.storage, files.bytes as i64, size),
        limit("builds this month", &account.builds, i64::from(builds), number),
    ]
}

fn more(count: usize) -> Option<String> {
    (count > SHOWN).then(|| format!("  … and {} more", HumanCount((count - SHOWN) as u64)))
}

fn shown_setting(key: &str, value: &str) -> String {
    const CHARS: usize = 60;
    let line = value.lines().next().unwrap_or_default();
    let start: String = line.chars().take(CHARS).collect();
    match value.is_empty() {
        true => format!("{key}: the default"),
        false if start == value => format!("{key}: {value}"),
        false => format!("{key}: {start}…"),
    }
}
