//! The fields of front matter, taken one by one; what is left goes into the params.

use serde_json::{Map, Value};

use crate::dates::{self, When};
use crate::site::Page;

pub(crate) struct Meta(pub Map<String, Value>);

impl Meta {
    /// A text, also one that looks like a number.
    pub fn text(&mut self, key: &str) -> Option<String> {
        let value = self.0.get(key)?;
        let text = text_of(value)?;
        self.0.remove(key);
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// Numbers and texts in a list, or in a text that is split at these characters.
    pub fn list(&mut self, key: &str, separators: &[char]) -> Vec<String> {
        let list = match self.0.get(key) {
            Some(Value::Array(items)) => items.iter().filter_map(text_of).collect(),
            Some(value) => {
                let text = text_of(value).unwrap_or_default();
                text.split(separators).map(|part| part.trim().to_owned()).collect::<Vec<_>>()
            }
            None => return vec![],
        };
        self.0.remove(key);
        list.into_iter().filter(|item| !item.is_empty()).collect()
    }

    pub fn flag(&mut self, key: &str) -> Option<bool> {
        let flag = match self.0.get(key)? {
            Value::Bool(flag) => *flag,
            Value::String(text) => matches!(text.as_str(), "true" | "yes" | "on"),
            _ => return None,
        };
        self.0.remove(key);
        Some(flag)
    }

    /// A date; one that cannot be read stays in the params.
    pub fn date(&mut self, key: &str) -> Option<When> {
        let when = dates::parse(self.0.get(key)?.as_str()?)?;
        self.0.remove(key);
        Some(when)
    }

    /// The position among the pages of a section, under this name.
    pub fn weight(&mut self, key: &str) -> Option<i64> {
        let weight = match self.0.get(key)? {
            Value::String(text) => text.trim().parse().ok()?,
            value => value.as_f64()? as i64,
        };
        self.0.remove(key);
        Some(weight)
    }

    /// Title, description, tags and draft, as most programs name them; the rest become params. A key of a page with
    /// another type is a param, too.
    pub fn fill(mut self, page: &mut Page) {
        page.title = self.text("title").or(page.title.take());
        page.description = self.text("description").or(page.description.take());
        let tags = self.list("tags", &[',']);
        page.add_tags(tags);
        page.draft |= self.flag("draft").unwrap_or(false);
        if let Some(weight) = self.weight("weight") {
            page.params.insert("weight".to_owned(), weight.into());
        }
        self.0.remove("aliases");
        for (key, value) in self.0 {
            page.params.entry(key).or_insert(value);
        }
    }
}

pub(crate) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_keys_become_params() {
        let fields = json!({"title": 2026, "tags": "a, b", "draft": "yes", "weight": "3", "author": "Ada", "date": "soon"});
        let mut meta = Meta(fields.as_object().unwrap().clone());
        assert_eq!(meta.date("date"), None);
        let mut page = Page::default();
        meta.fill(&mut page);
        assert_eq!((page.title.as_deref(), page.draft), (Some("2026"), true));
        assert_eq!(page.tags, ["a", "b"]);
        assert_eq!(Value::Object(page.params), json!({"weight": 3, "author": "Ada", "date": "soon"}));
    }
}
