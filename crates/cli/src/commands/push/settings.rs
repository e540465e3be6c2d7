//! The `[settings]` of a folder's `recto.toml`, which a push applies to the site.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use folder::{CONFIG_FILE, Config, Problem};
use publisher::SiteSettings;

use super::{Push, Wanted};

/// The settings as a site returns them, by key; or what is wrong with them. The rules are those of `recto site set`.
pub(super) fn wanted(config: &Config) -> Result<BTreeMap<String, String>, Vec<Problem>> {
    let (mut wanted, mut problems) = (BTreeMap::new(), Vec::new());
    for setting in &config.settings {
        let mut settings = SiteSettings::default();
        match settings.set(&setting.key, &setting.value) {
            Ok(()) => {
                drop(wanted.insert(setting.key.clone(), settings.get(&setting.key).unwrap_or_default()))
            }
            Err(message) => {
                problems.push(Problem { file: CONFIG_FILE.to_owned(), line: Some(setting.line), message })
            }
        }
    }
    if problems.is_empty() { Ok(wanted) } else { Err(problems) }
}

/// Those that differ from the site's.
pub(super) fn changed(wanted: &Wanted, on_site: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let differs = |(key, value): &(&String, &String)| on_site.get(*key) != Some(value);
    wanted.settings.iter().filter(differs).map(|(key, value)| (key.clone(), value.clone())).collect()
}

impl Push {
    /// They appear with the next build.
    pub(super) async fn apply(&mut self, changes: &BTreeMap<String, String>) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        self.set_build_due(true);
        self.client.set_settings(&self.site.id, changes).await.map_err(explained)
    }
}

fn explained(error: client::Error) -> anyhow::Error {
    let client::Error::Refused { body, .. } = &error else { return error.into() };
    let Some(refused) = body["settings"].as_object() else { return error.into() };
    let lines =
        refused.values().map(|message| format!("{CONFIG_FILE}: {}", message.as_str().unwrap_or_default()));
    anyhow!("the server refused settings\n{}", lines.collect::<Vec<_>>().join("\n"))
}
