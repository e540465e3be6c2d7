//! `recto site set` and `recto site settings`.

use anyhow::{Context, Result, anyhow};
use clap::Args;
use publisher::{Publisher, SiteSettings};
use serde_json::{Map, Value, json};

use crate::output;

/// Longer values are shortened.
const SHOWN_CHARS: usize = 80;

#[derive(Args)]
pub struct Set {
    /// The site's id or name
    site: String,
    /// One or more settings. An empty value restores the default; @FILE reads the value from a file (@@ is a literal @)
    #[arg(required = true, value_name = "KEY=VALUE")]
    changes: Vec<String>,
    /// Do not queue a build: the change appears with the next build
    #[arg(long)]
    no_build: bool,
}

impl Set {
    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let changes = self.changes.iter().map(|change| read(change)).collect::<Result<Vec<_>>>()?;
        let site = publisher.site_find(&self.site).await?;
        let settings = publisher.site_set(&site, changes).await?;
        let build = if self.no_build { None } else { Some(publisher.site_build(&site).await?) };
        if json {
            let settings = describe(&settings);
            output::json(&json!({ "siteId": site.id, "settings": settings, "buildId": build }));
            return Ok(());
        }
        show(&settings, false);
        output::line("");
        match build {
            None => output::line(format!("to publish the change: recto site build {}", site.name.as_str())),
            Some(_) => {
                output::line("build queued; a running server starts it within a second");
                output::line(format!("open {}", super::main_url(publisher, &site).await?));
            }
        }
        Ok(())
    }
}

/// `title=My site`, or `css=@custom.css`.
fn read(change: &str) -> Result<(String, String)> {
    let (key, value) = change
        .split_once('=')
        .ok_or_else(|| anyhow!("{change:?} is not KEY=VALUE, such as title=\"My site\""))?;
    let value = match value.strip_prefix('@') {
        None => value.to_owned(),
        Some(rest) if rest.starts_with('@') => rest.to_owned(),
        Some(path) => std::fs::read_to_string(path).with_context(|| format!("read {key} from {path:?}"))?,
    };
    Ok((key.trim().to_owned(), value))
}

/// For `--help`: each key and its purpose.
pub fn keys() -> String {
    let width = SiteSettings::KEYS.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    let lines = SiteSettings::KEYS.iter().map(|(key, purpose)| format!("  {key:<width$}  {purpose}"));
    let lines: Vec<String> = lines.collect();
    let example = "recto site set my-site title=\"My site\" accent=\"#a3301a\" css=@custom.css";
    format!("Settings:\n{}\n\nExample:\n  {example}", lines.join("\n"))
}

pub fn show(settings: &SiteSettings, json: bool) {
    if json {
        output::json(&describe(settings));
        return;
    }
    let facts: Vec<_> = values(settings).map(|(key, value)| (key, value.map_or("-".into(), short))).collect();
    output::facts(&facts);
}

fn describe(settings: &SiteSettings) -> Value {
    let entries = values(settings).map(|(key, value)| (key.to_owned(), json!(value)));
    Value::Object(entries.collect::<Map<_, _>>())
}

/// Every key; `None` for settings that are not set.
fn values(settings: &SiteSettings) -> impl Iterator<Item = (&'static str, Option<String>)> {
    SiteSettings::KEYS.iter().map(|(key, _)| (*key, settings.get(key).filter(|value| !value.is_empty())))
}

fn short(value: String) -> String {
    let count = value.chars().count();
    if count <= SHOWN_CHARS && !value.contains('\n') {
        return value;
    }
    let line = value.lines().next().unwrap_or_default();
    let begin: String = line.chars().take(SHOWN_CHARS).collect();
    format!("{begin}… ({count} characters; --json shows all)")
}
