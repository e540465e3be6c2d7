//! The raw configuration: every key, its default and its environment variable.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($key:ident: $kind:ty = $default:expr),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[cfg_attr(test, derive(serde::Serialize))]
        #[serde(deny_unknown_fields, default)]
        pub(super) struct $name { $(pub(super) $key: $kind),+ }
        impl Default for $name {
            fn default() -> $name {
                $name { $($key: $default),+ }
            }
        }
    };
}

section!(Api {
    listen: String = "127.0.0.1:8080".into(),
    url: String = String::new(),
    trusted_proxies: Vec<String> = Vec::new(),
    max_body: String = "2 GB".into(),
    max_connections: u64 = 4096,
    max_connections_per_address: u64 = 256,
});
section!(Sites {
    listen: String = "127.0.0.1:8081".into(),
    url: String = "http://{site}.localhost:8081".into(),
    cache: String = "64 MB".into(),
    disk_cache: String = "1 GB".into(),
    custom_head: bool = true,
    private_hubs: bool = false,
});
section!(Admin { listen: String = String::new() });
section!(Store {
    url: String = "sqlite:recto.db".into(),
    connections: u64 = 16,
    group_commit: u64 = 256,
    min_free: String = String::new(),
    upgrade: String = "auto".into(),
});
section!(Objects { url: String = "file:objects".into() });
section!(Backup { url: String = String::new(), every: String = "24h".into(), keep: u64 = 7 });
section!(Limits { url: String = "memory:".into() });
section!(Builds {
    cooldown_seconds: u64 = 30,
    postpone: bool = false,
    workers: u64 = 2,
    keep_releases: u64 = 10,
    time_limit_minutes: u64 = 30,
});
section!(Uploads { large: u64 = 8, workers: u64 = 2, sandbox: String = "on".into() });
section!(Pages { purge_after_days: u64 = 30 });
section!(Log { format: String = "text".into(), filter: String = "info".into() });

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(deny_unknown_fields)]
pub(super) struct RawPlan {
    pub(super) file_size: Option<String>,
    pub(super) storage: Option<String>,
    pub(super) builds_per_month: Option<u64>,
    pub(super) pages: Option<u64>,
    pub(super) text: Option<String>,
    pub(super) sites: Option<u64>,
}

/// Tests write it, too: what serde writes is every key there is.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
#[serde(deny_unknown_fields, default)]
pub(super) struct Raw {
    pub(super) api: Api,
    pub(super) sites: Sites,
    pub(super) admin: Admin,
    pub(super) store: Store,
    pub(super) objects: Objects,
    pub(super) backup: Backup,
    pub(super) limits: Limits,
    pub(super) builds: Builds,
    pub(super) uploads: Uploads,
    pub(super) pages: Pages,
    pub(super) log: Log,
    pub(super) plans: BTreeMap<String, RawPlan>,
}

#[derive(Clone, Copy)]
enum ValueKind {
    Text,
    Number,
    Switch,
    /// Separated by commas.
    List,
}

const KEYS: &[(&str, &str, ValueKind)] = &[
    ("api", "listen", ValueKind::Text),
    ("api", "url", ValueKind::Text),
    ("api", "trusted_proxies", ValueKind::List),
    ("api", "max_body", ValueKind::Text),
    ("api", "max_connections", ValueKind::Number),
    ("api", "max_connections_per_address", ValueKind::Number),
    ("sites", "listen", ValueKind::Text),
    ("sites", "url", ValueKind::Text),
    ("sites", "cache", ValueKind::Text),
    ("sites", "disk_cache", ValueKind::Text),
    ("sites", "custom_head", ValueKind::Switch),
    ("sites", "private_hubs", ValueKind::Switch),
    ("admin", "listen", ValueKind::Text),
    ("store", "url", ValueKind::Text),
    ("store", "connections", ValueKind::Number),
    ("store", "group_commit", ValueKind::Number),
    ("store", "min_free", ValueKind::Text),
    ("store", "upgrade", ValueKind::Text),
    ("objects", "url", ValueKind::Text),
    ("backup", "url", ValueKind::Text),
    ("backup", "every", ValueKind::Text),
    ("backup", "keep", ValueKind::Number),
    ("limits", "url", ValueKind::Text),
    ("builds", "cooldown_seconds", ValueKind::Number),
    ("builds", "postpone", ValueKind::Switch),
    ("builds", "workers", ValueKind::Number),
    ("builds", "keep_releases", ValueKind::Number),
    ("builds", "time_limit_minutes", ValueKind::Number),
    ("uploads", "large", ValueKind::Number),
    ("uploads", "workers", ValueKind::Number),
    ("uploads", "sandbox", ValueKind::Text),
    ("pages", "purge_after_days", ValueKind::Number),
    ("log", "format", ValueKind::Text),
    ("log", "filter", ValueKind::Text),
];
const PLAN_KEYS: &[(&str, ValueKind)] = &[
    ("file_size", ValueKind::Text),
    ("storage", ValueKind::Text),
    ("builds_per_month", ValueKind::Number),
    ("pages", ValueKind::Number),
    ("text", ValueKind::Text),
    ("sites", ValueKind::Number),
];
/// A variable that begins with one of these but is not a setting is probably a typo. (`RECTO_API_…` is not included:
/// clients use it for their token and URL.)
const SECTIONS: [&str; 11] = [
    "RECTO_SITES_",
    "RECTO_ADMIN_",
    "RECTO_STORE_",
    "RECTO_OBJECTS_",
    "RECTO_BACKUP_",
    "RECTO_LIMITS_",
    "RECTO_BUILDS_",
    "RECTO_UPLOADS_",
    "RECTO_PAGES_",
    "RECTO_LOG_",
    "RECTO_PLANS_",
];

impl Raw {
    /// The file with the variables applied; also returns unknown variables that look like settings.
    pub(super) fn parse(
        text: &str,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<(Raw, Vec<String>)> {
        // First without variables, so that an error has a line number.
        read::<Raw>(text)?;
        let mut table: Table = read(text)?;
        let mut unknown = Vec::new();
        for (name, value) in variables {
            match key_of(&name) {
                Some((path, kind)) => put(&mut table, &path, typed(&name, &value, kind)?),
                None if SECTIONS.iter().any(|section| name.starts_with(section)) => unknown.push(name),
                None => {}
            }
        }
        let raw = table.try_into().context("the configuration")?;
        Ok((raw, unknown))
    }

    /// Whether a variable is a setting.
    pub(super) fn is_setting(variable: &str) -> bool {
        key_of(variable).is_some()
    }
}

/// An error shows the line that is wrong, but no password in it.
fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    let read = toml::from_str(text).map_err(|mut error: toml::de::Error| {
        error.set_input(Some(&without_passwords(text)));
        error
    });
    read.context("the configuration file")
}

/// A text of the same length: the rest of each line after `://` is hidden if it may contain a password.
fn without_passwords(text: &str) -> String {
    let hide = |line: &str| match line.find("://") {
        Some(scheme) if line.contains('@') || line.contains("password") => {
            let (shown, hidden) = line.split_at(scheme + "://".len());
            let end = hidden.trim_end_matches('\n');
            format!("{shown}{}{}", "*".repeat(end.len()), &hidden[end.len()..])
        }
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').map(hide).collect()
}

/// The variables of all settings, including those of the built-in plans.
pub(super) fn variables() -> impl Iterator<Item = String> {
    let plans = ["free", "simple", "pro"];
    let of_plans = plans
        .into_iter()
        .flat_map(|plan| PLAN_KEYS.iter().map(move |(key, _)| format!("plans_{plan}_{key}")));
    let keys = KEYS.iter().map(|(section, key, _)| format!("{section}_{key}"));
    keys.chain(of_plans).map(|name| format!("RECTO_{}", name.to_uppercase()))
}

/// `RECTO_STORE_URL` is `store.url`; `RECTO_PLANS_PRO_STORAGE` is `plans.pro.storage`.
fn key_of(variable: &str) -> Option<(Vec<String>, ValueKind)> {
    let name = variable.strip_prefix("RECTO_")?.to_lowercase();
    if let Some((section, key, kind)) =
        KEYS.iter().find(|(section, key, _)| name == format!("{section}_{key}"))
    {
        return Some((vec![(*section).into(), (*key).into()], *kind));
    }
    let rest = name.strip_prefix("plans_")?;
    let (key, kind) = PLAN_KEYS.iter().find(|(key, _)| rest.ends_with(&format!("_{key}")))?;
    let plan = rest.strip_suffix(&format!("_{key}"))?;
    Some((vec!["plans".into(), plan.into(), (*key).into()], *kind))
}

fn typed(name: &str, value: &str, kind: ValueKind) -> Result<Value> {
    match kind {
        ValueKind::Text => Ok(Value::String(value.to_owned())),
        ValueKind::Number => {
            let number = value.trim().parse().map(Value::Integer);
            number.map_err(|_| anyhow!("{name}: {value:?} is not a whole number"))
        }
        ValueKind::Switch => {
            let switch = value.trim().parse().map(Value::Boolean);
            switch.map_err(|_| anyhow!("{name}: {value:?} is neither true nor false"))
        }
        ValueKind::List => {
            let items = value.split(',').map(str::trim).filter(|item| !item.is_empty());
            Ok(Value::Array(items.map(|item| Value::String(item.to_owned())).collect()))
        }
    }
}

fn put(table: &mut Table, path: &[String], value: Value) {
    match path {
        [] => {}
        [key] => {
            table.insert(key.clone(), value);
        }
        [section, rest @ ..] => {
            let entry = table.entry(section.clone()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(table) = entry {
                put(table, rest, value);
            }
        }
    }
}
