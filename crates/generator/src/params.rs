//! The page params that the theme supports.

use model::Alias;
use model::limits::{ALIASES_PER_PAGE, TITLE_CHARS};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::settings::is_link;
use crate::text;

/// Read from a page's `params`; values of the wrong type are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageParams {
    /// `weight`: the position among the pages of a section, lowest first; 0 by default.
    #[serde(skip_serializing_if = "is_default")]
    pub weight: i64,
    /// `toc`: whether there is a table of contents; the theme decides by default.
    #[serde(skip_serializing_if = "is_default")]
    pub toc: Option<bool>,
    /// `cover`: an image at the top of the page and in previews.
    #[serde(skip_serializing_if = "is_default")]
    pub cover: Option<String>,
    /// `coverAlt`: the alternative text of the cover.
    #[serde(skip_serializing_if = "is_default")]
    pub cover_alt: Option<String>,
    /// `author` or `authors`: one name or several.
    #[serde(skip_serializing_if = "is_default")]
    pub authors: Vec<String>,
    /// `nav`: link this standalone page in the masthead.
    #[serde(skip_serializing_if = "is_default")]
    pub nav: bool,
    /// `noindex`: ask search engines not to index the page.
    #[serde(skip_serializing_if = "is_default")]
    pub noindex: bool,
    /// `list`: whether a section page shows the list of its section; the theme decides by default.
    #[serde(skip_serializing_if = "is_default")]
    pub list: Option<bool>,
    /// `linkTitle`: a short title for navigation.
    #[serde(skip_serializing_if = "is_default")]
    pub link_title: Option<String>,
    /// `canonical`: the URL of the original, for a page that was first published elsewhere.
    #[serde(skip_serializing_if = "is_default")]
    pub canonical: Option<String>,
    /// `lang`: the page's language, if it differs from the site's.
    #[serde(skip_serializing_if = "is_default")]
    pub lang: Option<String>,
    /// `aliases`: further former paths of the page.
    #[serde(skip_serializing_if = "is_default")]
    pub aliases: Vec<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Maximum number of names in a byline; more are a mistake.
const MAX_AUTHORS: usize = 10;

impl PageParams {
    /// `json` is an object; anything else has no params.
    pub fn read(json: Option<&str>) -> PageParams {
        let params = json.and_then(|json| serde_json::from_str::<Map<String, Value>>(json).ok());
        params.filter(|params| !params.is_empty()).map_or_else(PageParams::default, |params| known(&params))
    }

    pub(crate) fn is_default(&self) -> bool {
        is_default(self)
    }
}

fn known(params: &Map<String, Value>) -> PageParams {
    let text = |name| params.get(name).and_then(Value::as_str).and_then(|text| text::tidied(text.to_owned()));
    let flag = |name| params.get(name).and_then(Value::as_bool);
    let address = |name| text(name).filter(|url| is_link(url));
    PageParams {
        weight: params.get("weight").and_then(whole).unwrap_or(0),
        toc: flag("toc"),
        cover: address("cover").or_else(|| address("image")),
        cover_alt: text("coverAlt"),
        authors: params.get("author").or_else(|| params.get("authors")).map(names).unwrap_or_default(),
        nav: flag("nav").unwrap_or(false),
        noindex: flag("noindex").unwrap_or(false),
        list: flag("list"),
        link_title: text("linkTitle").map(|title| title.chars().take(TITLE_CHARS).collect()),
        canonical: address("canonical").filter(|url| url.starts_with("http")),
        lang: text("lang").filter(|lang| crate::settings::is_language(lang)),
        aliases: params.get("aliases").map(aliases).unwrap_or_default(),
    }
}

/// An integer, also one written as `10.0` or `"10"`.
fn whole(value: &Value) -> Option<i64> {
    let number = || value.as_f64().filter(|number| number.is_finite()).map(|number| number as i64);
    value.as_i64().or_else(number).or_else(|| value.as_str()?.trim().parse().ok())
}

/// A name, an object with a `name`, or a list of these.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::String(name) => text::tidied(name.clone()).into_iter().collect(),
        Value::Object(author) => {
            author.get("name").filter(|name| name.is_string()).map(names).unwrap_or_default()
        }
        Value::Array(list) => {
            list.iter().filter(|author| !author.is_array()).flat_map(names).take(MAX_AUTHORS).collect()
        }
        _ => vec![],
    }
}

fn aliases(value: &Value) -> Vec<String> {
    let paths = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    paths.filter_map(|path| Some(Alias::parse(path).ok()?.into_string())).take(ALIASES_PER_PAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_params_are_read() {
        let params = PageParams::read(Some(
            r#"{"weight": 3, "toc": false, "cover": "/media/a/b.webp", "coverAlt": "A lamp", "author": "Ada",
                "nav": true, "noindex": true, "list": false, "linkTitle": "Short", "lang": "pt-BR",
                "canonical": "https://example.com/a", "aliases": ["/old/", "no path"], "other": [1]}"#,
        ));
        let expected = PageParams {
            weight: 3,
            toc: Some(false),
            cover: Some("/media/a/b.webp".into()),
            cover_alt: Some("A lamp".into()),
            authors: vec!["Ada".into()],
            nav: true,
            noindex: true,
            list: Some(false),
            link_title: Some("Short".into()),
            canonical: Some("https://example.com/a".into()),
            lang: Some("pt-BR".into()),
            aliases: vec!["/old".into()],
        };
        assert_eq!(params, expected);
        let json = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<PageParams>(&json).unwrap(), expected);
    }

    #[test]
    fn values_of_the_wrong_type_are_ignored() {
        for json in [
            "",
            "[]",
            "null",
            "{}",
            r#"{"weight": [], "toc": "no", "cover": 5, "author": 7, "nav": "true", "noindex": 1, "lang": {}}"#,
            r#"{"weight": null, "cover": "javascript:alert(1)", "canonical": "/relative", "lang": "no such \" one"}"#,
            r#"{"author": {"name": 5}, "authors": "ignored next to author", "linkTitle": " \n "}"#,
        ] {
            assert_eq!(PageParams::read(Some(json)), PageParams::default(), "{json}");
        }
        assert_eq!(PageParams::read(None), PageParams::default());
    }

    #[test]
    fn a_weight_is_a_number_in_any_form() {
        let check =
            |json: &str, expected| assert_eq!(PageParams::read(Some(json)).weight, expected, "{json}");
        check(r#"{"weight": -5}"#, -5);
        check(r#"{"weight": 10.0}"#, 10);
        check(r#"{"weight": "7"}"#, 7);
        check(r#"{"weight": 1e300}"#, i64::MAX);
    }

    #[test]
    fn authors_come_in_many_shapes() {
        let check =
            |json: &str, expected: &[&str]| assert_eq!(PageParams::read(Some(json)).authors, expected);
        check(r#"{"authors": ["Ada", "Grace"]}"#, &["Ada", "Grace"]);
        check(r#"{"author": {"name": "Ada", "url": "https://example.com"}}"#, &["Ada"]);
        check(r#"{"authors": [{"name": "Ada"}, 5, ["deep"], " "]}"#, &["Ada"]);
    }
}
