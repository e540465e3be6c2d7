//! The URLs that Jekyll gives to pages.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{Role, base_name};
use crate::dates::When;
use crate::paths::{join, parent, stem};
use crate::permalink;

pub(super) struct Urls {
    style: String,
    /// The permalinks of collections, if their pages are written at all.
    collections: HashMap<String, Option<String>>,
}

pub(super) struct Item<'i> {
    pub path: &'i str,
    pub role: &'i Role,
    pub when: Option<&'i When>,
    pub categories: &'i [String],
    pub slug: Option<&'i str>,
}

impl Urls {
    pub fn of(config: &Map<String, Value>) -> Urls {
        let style = config.get("permalink").and_then(Value::as_str).unwrap_or("date").to_owned();
        let mut collections = HashMap::new();
        match config.get("collections") {
            Some(Value::Object(all)) => {
                for (name, settings) in all {
                    let is_output = settings.get("output").is_some_and(|output| output == true);
                    let pattern = settings
                        .get("permalink")
                        .and_then(Value::as_str)
                        .unwrap_or("/:collection/:path:output_ext");
                    collections.insert(name.clone(), is_output.then(|| pattern.to_owned()));
                }
            }
            Some(Value::Array(all)) => {
                collections.extend(all.iter().filter_map(Value::as_str).map(|name| (name.to_owned(), None)));
            }
            _ => {}
        }
        Urls { style, collections }
    }

    pub fn has_collection(&self, name: &str) -> bool {
        name != "posts" && self.collections.contains_key(name)
    }

    /// `None` for what Jekyll does not write.
    pub fn url(&self, item: &Item<'_>, permalink: Option<&str>) -> Option<String> {
        let pattern = match (permalink, item.role) {
            (_, Role::Draft) => return None,
            (Some(own), _) => pattern(own).to_owned(),
            (None, Role::Post) => pattern(&self.style).to_owned(),
            (None, Role::Collection(name)) => self.collections.get(name)?.clone()?,
            (None, Role::Page) => self.page_pattern(item.path),
        };
        let url = permalink::fill(&pattern, |name| token(name, item));
        Some(format!("/{}", url.trim_start_matches('/')))
    }

    /// Pages follow the style only in its end.
    fn page_pattern(&self, path: &str) -> String {
        let is_pretty = self.style == "pretty" || self.style.ends_with('/');
        let has_extension =
            !is_pretty && (pattern(&self.style).ends_with(":output_ext") || self.style.ends_with(".html"));
        match (stem(path), is_pretty, has_extension) {
            ("index", _, _) => "/:path/".to_owned(),
            (_, true, _) => "/:path/:basename/".to_owned(),
            (_, _, true) => "/:path/:basename.html".to_owned(),
            // A style without an end: `/about`, which the web server finds as `about.html`.
            _ => "/:path/:basename".to_owned(),
        }
    }
}

fn pattern(style: &str) -> &str {
    match style {
        "date" => "/:categories/:year/:month/:day/:title:output_ext",
        "pretty" => "/:categories/:year/:month/:day/:title/",
        "ordinal" => "/:categories/:year/:y_day/:title:output_ext",
        "weekdate" => "/:categories/:year/W:week/:short_day/:title:output_ext",
        "none" => "/:categories/:title:output_ext",
        own => own,
    }
}

fn token(name: &str, item: &Item<'_>) -> Option<String> {
    Some(match name {
        "title" | "slug" if item.slug.is_some() => slugify(item.slug?),
        "title" => slugify(base_name(item.path)),
        "slug" => slugify(base_name(item.path)).to_lowercase(),
        "categories" | "slugified_categories" => {
            let mut seen: Vec<String> = vec![];
            for category in item.categories.iter().map(|category| category.to_lowercase()) {
                if !seen.contains(&category) {
                    seen.push(category);
                }
            }
            seen.join("/")
        }
        "output_ext" => ".html".to_owned(),
        "collection" => match item.role {
            Role::Collection(name) => name.clone(),
            _ => "posts".to_owned(),
        },
        "name" | "basename" => stem(item.path).to_owned(),
        "path" => match item.role {
            Role::Collection(_) => {
                let below = parent(item.path).split_once('/').map_or("", |(_, rest)| rest);
                join(below, stem(item.path))
            }
            _ => parent(item.path).to_owned(),
        },
        name => return permalink::of_date(name, item.when?),
    })
}

/// Jekyll's slug for URLs: other characters than these become hyphens.
fn slugify(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        if char.is_alphanumeric() || "._~!$&'()+,;=@".contains(char) {
            out.push(char);
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    out.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn url(config: Value, path: &str, role: Role, permalink: Option<&str>) -> Option<String> {
        let when = crate::dates::parse("2026-03-05");
        let categories = ["News".to_owned()];
        let categories = if role == Role::Post { &categories[..] } else { &[] };
        let item = Item { path, role: &role, when: when.as_ref(), categories, slug: None };
        Urls::of(config.as_object().unwrap()).url(&item, permalink)
    }

    #[test]
    fn posts_follow_the_style() {
        let check = |style: &str, expected: &str| {
            let url = url(json!({"permalink": style}), "_posts/2026-03-05-A-b.md", Role::Post, None);
            assert_eq!(url.as_deref(), Some(expected));
        };
        check("date", "/news/2026/03/05/A-b.html");
        check("pretty", "/news/2026/03/05/A-b/");
        check("none", "/news/A-b.html");
        check("ordinal", "/news/2026/064/A-b.html");
        check("/p/:year/:slug", "/p/2026/a-b");
    }

    #[test]
    fn pages_follow_their_folders() {
        let check = |style: &str, path: &str, expected: &str| {
            assert_eq!(url(json!({"permalink": style}), path, Role::Page, None).as_deref(), Some(expected));
        };
        check("date", "about.md", "/about.html");
        check("pretty", "a/about.md", "/a/about/");
        check("/:title/", "about.md", "/about/");
        check("date", "a/index.html", "/a/");
        check("date", "index.md", "/");
        let own = url(json!({}), "x.md", Role::Page, Some("/y/"));
        assert_eq!(own.as_deref(), Some("/y/"));
    }

    #[test]
    fn collections_have_urls_if_they_are_written() {
        let config = json!({"collections": {"recipes": {"output": true}, "notes": {}}});
        let of = |name: &str| Role::Collection(name.into());
        assert_eq!(
            url(config.clone(), "_recipes/a/x.md", of("recipes"), None).as_deref(),
            Some("/recipes/a/x.html")
        );
        assert_eq!(url(config, "_notes/x.md", of("notes"), None), None);
    }
}
