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
    /// Settings of the site, as texts.
    pub settings: BTreeMap<String, String>,
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
    settings: BTreeMap<String, toml::Value>,
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
        let content_type = raw.content_type.as_deref().map(parse_type).transpose();
        Ok(Config {
            url: raw.url,
            site: raw.site,
            content_type: content_type.map_err(|message| Problem::of(CONFIG_FILE, message))?,
            prune: raw.prune,
            ignore: raw.ignore,
            settings: raw.settings.into_iter().map(|(key, value)| (key, shown(value))).collect(),
        })
    }
}

/// The types that a whole folder can have.
fn parse_type(text: &str) -> Result<ContentType, String> {
    let content_type = ContentType::parse(text).ok().filter(|found| *found != ContentType::Homepage);
    content_type.ok_or_else(|| format!("type must be docs, blog or standalone, not {text:?}"))
}

/// A setting as `recto site set` takes it.
fn shown(value: toml::Value) -> String {
    match value {
        toml::Value::String(text) => text,
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_read() {
        let text = "url = \"https://example.com\"\nsite = \"books\"\ntype = \"docs\"\nprune = true\nignore = [\"drafts/\"]\n\
            [settings]\ntitle = \"Books\"\nfooter = true\n";
        let expected = Config {
            url: Some("https://example.com".into()),
            site: Some("books".into()),
            content_type: Some(ContentType::Docs),
            prune: true,
            ignore: vec!["drafts/".into()],
            settings: [("title".into(), "Books".into()), ("footer".into(), "true".into())].into(),
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
