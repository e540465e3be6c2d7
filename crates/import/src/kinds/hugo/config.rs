//! What Hugo's configuration says about URLs and menus.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::token;
use crate::dates::When;
use crate::error::Error;
use crate::front_matter;
use crate::meta::text_of;
use crate::paths::{extension, join, parent, stem, url_path};
use crate::permalink;
use crate::site::Site;
use crate::source::Source;

pub(super) struct Config {
    /// The folder of the content.
    pub content: String,
    /// The path of the base URL, without a slash at the end.
    pub base: String,
    pub menu: Vec<MenuEntry>,
    /// Whether there are lists of categories.
    pub has_categories: bool,
    languages: Vec<String>,
    main_language: String,
    permalinks: HashMap<String, String>,
    ugly: Value,
}

pub(super) struct MenuEntry {
    pub url: String,
    pub weight: Option<usize>,
}

/// What the URL of a page depends on.
pub(super) struct UrlParts<'p> {
    /// Its path below the content folder.
    pub below: &'p str,
    pub slug: Option<&'p str>,
    pub title: &'p str,
    pub when: Option<&'p When>,
}

const FILES: [&str; 8] = [
    "hugo.toml",
    "hugo.yaml",
    "hugo.yml",
    "hugo.json",
    "config.toml",
    "config.yaml",
    "config.yml",
    "config.json",
];

impl Config {
    pub fn read(source: &Source, site: &mut Site) -> Result<Config, Error> {
        let fields = fields(source)?;
        let text = |key: &str| fields.get(key).and_then(text_of);
        let languages: Vec<String> = fields
            .get("languages")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|all| all.keys().cloned())
            .collect();
        let main_language = text("defaultcontentlanguage").unwrap_or_else(|| "en".to_owned());
        let content = content(&fields, &main_language);
        for language in languages.iter().filter(|language| **language != main_language) {
            if content_of(&fields, language).is_some() {
                let message = format!("the content of {language} is in another folder: import it separately");
                site.note("languages", 0, message);
            }
        }
        let disabled = fields.get("disablekinds").and_then(Value::as_array).cloned().unwrap_or_default();
        let taxonomies = fields.get("taxonomies").and_then(Value::as_object);
        let has_categories = taxonomies.is_none_or(|all| all.values().any(|value| value == "categories"));
        Ok(Config {
            content,
            base: base(&text("baseurl").unwrap_or_default()),
            menu: menu(&fields),
            has_categories: has_categories && !disabled.iter().any(|kind| kind == "taxonomy"),
            main_language,
            languages,
            permalinks: permalinks(&fields),
            ugly: fields.get("uglyurls").cloned().unwrap_or_default(),
        })
    }

    /// `a.fr.md` is the French `a.md`; the main language has no prefix.
    pub fn without_language(&self, below: &str) -> (String, Option<String>) {
        let Some((name, language)) = stem(below).rsplit_once('.') else { return (below.to_owned(), None) };
        if !self.languages.iter().any(|known| known == language) {
            return (below.to_owned(), None);
        }
        let path = join(parent(below), &format!("{name}.{}", extension(below)));
        (path, (language != self.main_language).then(|| language.to_owned()))
    }

    /// Without the base.
    pub fn url(&self, parts: &UrlParts<'_>) -> String {
        let folder = url_name(parent(parts.below));
        let stem = stem(parts.below);
        let section = folder.split('/').next().unwrap_or_default().to_owned();
        if stem == "_index" {
            return if folder.is_empty() { "/".to_owned() } else { format!("/{folder}/") };
        }
        let is_bundle = stem == "index";
        let url = match self.permalinks.get(&section) {
            Some(pattern) => permalink::fill(pattern, |name| token(name, parts, &section)),
            None => {
                let (folder, own) = if is_bundle {
                    (parent(&folder), crate::paths::name(&folder))
                } else {
                    (folder.as_str(), stem)
                };
                format!("/{}/", join(folder, &url_name(parts.slug.unwrap_or(own))))
            }
        };
        let url = url.replace("//", "/");
        let is_ugly = self.ugly == true || self.ugly.get(&section).is_some_and(|ugly| ugly == true);
        match is_ugly && url != "/" && extension(&url).is_empty() {
            true => format!("{}.html", url.trim_end_matches('/')),
            false => url,
        }
    }
}

/// The folder of the main language, of a mount, or of all content.
fn content(fields: &Map<String, Value>, language: &str) -> String {
    let mounts = fields.get("module").and_then(|module| module.get("mounts")).and_then(Value::as_array);
    let mount =
        mounts.into_iter().flatten().find(|mount| mount.get("target").is_some_and(|to| to == "content"));
    let mounted = mount.and_then(|mount| mount.get("source")?.as_str());
    let own = fields.get("contentdir").and_then(Value::as_str);
    let folder = content_of(fields, language).or(mounted).or(own).unwrap_or("content");
    folder.trim_matches('/').to_owned()
}

fn content_of<'f>(fields: &'f Map<String, Value>, language: &str) -> Option<&'f str> {
    let settings = fields.get("languages")?.get(language)?.as_object()?;
    settings.iter().find(|(key, _)| key.eq_ignore_ascii_case("contentdir"))?.1.as_str()
}

/// All files of the configuration, with keys in lower case: Hugo does not distinguish them.
fn fields(source: &Source) -> Result<Map<String, Value>, Error> {
    let mut fields = Map::new();
    if let Some(file) = source.first(&FILES) {
        fields.extend(lower(read_file(source, file)?));
    }
    for (path, below) in source.below("config/_default") {
        if !matches!(extension(below).as_str(), "toml" | "yaml" | "yml" | "json") || below.contains('/') {
            continue;
        }
        let part = read_file(source, path)?;
        match stem(below).split('.').next().unwrap_or_default() {
            "hugo" | "config" => fields.extend(lower(part)),
            name => drop(fields.insert(name.to_lowercase(), Value::Object(part))),
        }
    }
    Ok(fields)
}

fn read_file(source: &Source, file: &str) -> Result<Map<String, Value>, Error> {
    let text = source.text(file)?;
    Ok(match extension(file).as_str() {
        "toml" => front_matter::toml_file(file, &text)?,
        _ => front_matter::yaml_file::<Option<Map<String, Value>>>(file, &text)?.unwrap_or_default(),
    })
}

fn lower(fields: Map<String, Value>) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_lowercase(), value)).collect()
}

fn base(url: &str) -> String {
    if url.contains("://") { url_path(url).trim_end_matches('/').to_owned() } else { String::new() }
}

/// `permalinks.posts`, or in newer versions `permalinks.page.posts`.
fn permalinks(fields: &Map<String, Value>) -> HashMap<String, String> {
    let all = fields.get("permalinks").and_then(Value::as_object);
    let direct = all.into_iter().flatten();
    let nested = all.and_then(|all| all.get("page")).and_then(Value::as_object).into_iter().flatten();
    direct
        .chain(nested)
        .filter_map(|(section, pattern)| Some((section.clone(), pattern.as_str()?.to_owned())))
        .collect()
}

/// The entries of all menus, in their order.
fn menu(fields: &Map<String, Value>) -> Vec<MenuEntry> {
    let menus = fields.get("menus").or_else(|| fields.get("menu")).and_then(Value::as_object);
    let entries = menus.into_iter().flat_map(|menus| menus.values()).filter_map(Value::as_array).flatten();
    let entry = |entry: &Value| {
        let url =
            ["pageRef", "pageref", "url", "URL"].into_iter().find_map(|key| entry.get(key)?.as_str())?;
        let weight =
            entry.get("weight").and_then(Value::as_u64).and_then(|weight| usize::try_from(weight).ok());
        Some(MenuEntry { url: format!("/{}", url.trim_start_matches('/')), weight })
    };
    entries.filter_map(entry).collect()
}

/// A text as Hugo writes it in a URL: lower case, hyphens for spaces, letters of all scripts.
pub(super) fn url_name(text: &str) -> String {
    let mut out = String::new();
    for char in text.trim().chars().flat_map(char::to_lowercase) {
        if char.is_alphanumeric() || "./_-#+~@".contains(char) {
            out.push(char);
        } else if char.is_whitespace() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config(fields: Value) -> Config {
        let Value::Object(fields) = fields else { panic!() };
        Config {
            content: "content".into(),
            base: String::new(),
            menu: vec![],
            has_categories: true,
            languages: vec!["en".into(), "fr".into()],
            main_language: "en".into(),
            permalinks: permalinks(&fields),
            ugly: fields.get("uglyurls").cloned().unwrap_or_default(),
        }
    }

    fn url(config: &Config, below: &str, slug: Option<&str>) -> String {
        let when = crate::dates::parse("2026-03-05");
        config.url(&UrlParts { below, slug, title: "My Title!", when: when.as_ref() })
    }

    #[test]
    fn urls_follow_the_folders() {
        let config = config(json!({}));
        let check =
            |below: &str, slug: Option<&str>, expected: &str| assert_eq!(url(&config, below, slug), expected);
        check("_index.md", None, "/");
        check("posts/_index.md", None, "/posts/");
        check("posts/A b.md", None, "/posts/a-b/");
        check("posts/a.md", Some("Other"), "/posts/other/");
        check("posts/a/index.md", None, "/posts/a/");
        check("posts/a/index.md", Some("b"), "/posts/b/");
        check("über.md", None, "/über/");
    }

    #[test]
    fn urls_follow_the_configuration() {
        let dated = config(json!({"permalinks": {"posts": "/:year/:month/:slug/"}}));
        assert_eq!(url(&dated, "posts/a.md", None), "/2026/03/my-title/");
        let dated = config(json!({"permalinks": {"page": {"posts": "/:year/:contentbasename"}}}));
        assert_eq!(url(&dated, "posts/a/index.md", Some("s")), "/2026/a");
        assert_eq!(url(&config(json!({"uglyurls": true})), "posts/a.md", None), "/posts/a.html");
        assert_eq!(url(&config(json!({"uglyurls": {"docs": true}})), "posts/a.md", None), "/posts/a/");
        assert_eq!(base("https://example.com/a/"), "/a");
        assert_eq!(base("https://example.com/"), "");
    }

    #[test]
    fn the_content_may_be_elsewhere() {
        let check =
            |fields: Value, expected: &str| assert_eq!(content(fields.as_object().unwrap(), "en"), expected);
        check(json!({}), "content");
        check(json!({"contentdir": "text/"}), "text");
        check(json!({"languages": {"en": {"contentDir": "content/en"}}}), "content/en");
        check(json!({"module": {"mounts": [{"source": "content/en", "target": "content"}]}}), "content/en");
    }

    #[test]
    fn a_language_is_part_of_the_name() {
        let config = config(json!({}));
        let check = |below: &str, expected: (&str, Option<&str>)| {
            let (path, language) = config.without_language(below);
            assert_eq!((path.as_str(), language.as_deref()), expected);
        };
        check("posts/a.fr.md", ("posts/a.md", Some("fr")));
        check("posts/a.en.md", ("posts/a.md", None));
        check("posts/v1.0.md", ("posts/v1.0.md", None));
    }
}
