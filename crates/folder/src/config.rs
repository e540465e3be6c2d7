//! `recto.toml` in a folder: where it is published, and how.

use std::collections::BTreeMap;
use std::path::Path;

use model::ContentType;
use serde::Deserialize;

use crate::Problem;

pub const CONFIG_FILE: &str = "recto.toml";

#[derive(Debug, Default, PartialEq)]
pub struct Config {
    /// The address of the server.
    pub url: Option<String>,
    /// A name or an id.
    pub site: Option<String>,
    pub content_type: Option<ContentType>,
    pub prune: bool,
    /// Patterns, as in `.gitignore`.
    pub ignore: Vec<String>,
    /// Settings of the site, in the order of the file.
    pub settings: Vec<Setting>,
}

/// A setting of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub key: String,
    /// As `recto site set` takes it.
    pub value: String,
    /// Its line in the file.
    pub line: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    url: Option<String>,
    site: Option<String>,
    #[serde(rename = "type")]
    content_type: Option<String>,
    #[serde(default)]
    prune: bool,
    #[serde(default)]
    ignore: Vec<String>,
    #[serde(default)]
    settings: BTreeMap<toml::Spanned<String>, toml::Value>,
    token: Option<toml::Value>,
}

impl Config {
    /// The defaults, if the folder has no such file.
    pub fn read(folder: &Path) -> Result<Config, Problem> {
        match std::fs::read_to_string(folder.join(CONFIG_FILE)) {
            Ok(text) => Config::parse(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Config::default()),
            Err(error) => Err(Problem::of(CONFIG_FILE, format!("cannot be read: {error}"))),
        }
    }

    fn parse(text: &str) -> Result<Config, Problem> {
        let line = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
        let raw: Raw = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line(span.start));
            Problem::at(CONFIG_FILE, line, error.message())
        })?;
        if raw.token.is_some() {
            let message = "a token must not be in a file that is shared; remove it, revoke it (recto token revoke), and set \
                 RECTO_TOKEN instead";
            return Err(Problem::of(CONFIG_FILE, message));
        }
        let setting = |(key, value): (toml::Spanned<String>, toml::Value)| {
            let line = line(key.span().start);
            Setting { key: key.into_inner(), value: shown(value), line }
        };
        let mut settings: Vec<Setting> = raw.settings.into_iter().map(setting).collect();
        settings.sort_by_key(|setting| setting.line);
        let content_type = raw.content_type.as_deref().map(parse_type).transpose();
        Ok(Config {
            url: raw.url,
            site: raw.site,
            content_type: content_type.map_err(|message| Problem::of(CONFIG_FILE, message))?,
            prune: raw.prune,
            ignore: raw.ignore,
            settings,
        })
    }
}

/// The types that a whole folder can have.
fn parse_type(text: &str) -> Result<ContentType, String> {
    let content_type = ContentType::parse(text).ok().filter(|found| *found != ContentType::Homepage);
    content_type.ok_or_else(|| format!("type must be docs, blog or standalone, not {text:?}"))
}

/// A setting as `recto site set` takes it. Lists are separated by semicolons.
fn shown(value: toml::Value) -> String {
    match value {
        toml::Value::String(text) => text,
        toml::Value::Array(items) => items.into_iter().map(shown).collect::<Vec<_>>().join("; "),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_read() {
        let text = "url = \"https://example.com\"\nsite = \"books\"\ntype = \"docs\"\nprune = true\nignore = [\"drafts/\"]\n\
            [settings]\ntitle = \"Books\"\nnoindex = true\nlinks = [\"Docs=/docs\", \"Blog=/blog\"]\n";
        let setting = |key: &str, value: &str, line| Setting { key: key.into(), value: value.into(), line };
        let expected = Config {
            url: Some("https://example.com".into()),
            site: Some("books".into()),
            content_type: Some(ContentType::Docs),
            prune: true,
            ignore: vec!["drafts/".into()],
            settings: vec![
                setting("title", "Books", 7),
                setting("noindex", "true", 8),
                setting("links", "Docs=/docs; Blog=/blog", 9),
            ],
        };
        assert_eq!(Config::parse(text), Ok(expected));
        assert_eq!(Config::parse(""), Ok(Config::default()));
    }

    #[test]
    fn anything_else_is_a_mistake() {
        let check = |text: &str, line: Option<usize>, part: &str| {
            let problem = Config::parse(text).expect_err(text);
            assert_eq!(problem.line, line, "{problem}");
            assert!(problem.message.contains(part), "{problem}");
        };
        check("url = 1\n", Some(1), "string");
        check("site = \"a\"\nprunes = true\n", Some(2), "prunes");
        check("type = \"homepage\"", None, "docs, blog or standalone");
        check("token = \"rec_secret\"", None, "RECTO_TOKEN");
    }
}
