//! Front matter: YAML, TOML and JSON to read; YAML to write.

use ::front_matter::{self as common, Fields, Invalid};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::Fault;
use crate::site::Page;

/// More than people write.
const MAX_BYTES: usize = 256 << 10;

/// A text without its front matter.
pub(crate) struct Document<'t> {
    pub fields: Map<String, Value>,
    pub has_front_matter: bool,
    pub body: &'t str,
    /// The line on which the body begins, from 1.
    pub line: usize,
}

/// `---` begins YAML, `+++` TOML, and `{` JSON that ends at a line `}`.
pub(crate) fn read<'t>(file: &str, text: &'t str) -> Result<Document<'t>, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let plain = || Document { fields: Map::new(), has_front_matter: false, body: text, line: 1 };
    let first = text.lines().next().unwrap_or_default().trim_end();
    let Some((inside, body)) = split(text, first) else { return Ok(plain()) };
    if inside.len() > MAX_BYTES {
        return Err(fault(file, 1, format!("the front matter has more than {} KB", MAX_BYTES >> 10)));
    }
    let fields = match first {
        "+++" => toml_fields(file, inside, 1)?,
        "{" => json_fields(file, inside)?,
        _ => match yaml(file, inside, 1)? {
            Value::Object(fields) => fields,
            Value::Null => Map::new(),
            // A text between two thematic breaks.
            _ => return Ok(plain()),
        },
    };
    let body = body.trim_start_matches(['\n', '\r']);
    let line = text[..text.len() - body.len()].matches('\n').count() + 1;
    Ok(Document { fields, has_front_matter: true, body, line })
}

fn split<'t>(text: &'t str, first: &str) -> Option<(&'t str, &'t str)> {
    let ends: &[&str] = match first {
        "---" => &["---", "..."],
        "+++" => &["+++"],
        "{" => &["}"],
        _ => return None,
    };
    let is_json = first == "{";
    let start = if is_json { 0 } else { text.find('\n')? + 1 };
    let mut end = text.find('\n')? + 1;
    for line in text[end..].split_inclusive('\n') {
        let after = end + line.len();
        if ends.contains(&line.trim_end()) {
            return Some((&text[start..if is_json { after } else { end }], &text[after..]));
        }
        end = after;
    }
    None
}

/// A whole file of YAML.
pub(crate) fn yaml_file<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, Fault> {
    yaml(file, text, 0)
}

/// `before` is how many lines of the file are above the text.
fn yaml<T: DeserializeOwned>(file: &str, text: &str, before: usize) -> Result<T, Fault> {
    common::yaml(text).map_err(|Invalid { line, message }| fault(file, line + before, message))
}

/// A whole file of TOML.
pub(crate) fn toml_file(file: &str, text: &str) -> Result<Map<String, Value>, Fault> {
    toml_fields(file, text, 0)
}

fn toml_fields(file: &str, text: &str, before: usize) -> Result<Map<String, Value>, Fault> {
    common::toml(text).map_err(|Invalid { line, message }| fault(file, line + before, message))
}

fn json_fields(file: &str, text: &str) -> Result<Map<String, Value>, Fault> {
    serde_json::from_str(text).map_err(|error| fault(file, error.line(), error.to_string()))
}

fn fault(file: &str, line: usize, message: String) -> Fault {
    Fault { file: file.to_owned(), line, message }
}

/// The text of a page's file.
pub(crate) fn write(page: &Page) -> String {
    let mut params = page.params.clone();
    if !page.aliases.is_empty() {
        params.insert("aliases".to_owned(), page.aliases.clone().into());
    }
    let fields = Fields {
        title: page.title.clone(),
        slug: page.slug.clone(),
        published_at: page.date.clone(),
        description: page.description.clone(),
        draft: Some(page.draft),
        tags: Some(page.tags.clone()),
        params,
        ..Fields::default()
    };
    let body = page.body.trim_end();
    common::write(&fields, &if body.is_empty() { String::new() } else { format!("{body}\n") })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn each_form_gives_the_same_fields() {
        let expected = json!({"title": "A", "tags": ["x"], "date": "2026-01-02"});
        for text in [
            "---\ntitle: A\ntags: [x]\ndate: 2026-01-02\n---\n\nText\n",
            "+++\ntitle = 'A'\ntags = ['x']\ndate = 2026-01-02\n+++\n\nText\n",
            "{\n\"title\": \"A\",\n\"tags\": [\"x\"], \"date\": \"2026-01-02\"\n}\nText\n",
        ] {
            let document = read("a.md", text).unwrap();
            assert_eq!(Value::Object(document.fields), expected, "{text}");
            assert_eq!(document.body, "Text\n");
            assert_eq!(text.lines().nth(document.line - 1), Some("Text"));
        }
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let check = |text: &str, line: usize| {
            let fault = read("a.md", text).err().expect(text);
            assert_eq!((fault.file.as_str(), fault.line), ("a.md", line), "{text}: {fault}");
        };
        check("---\ntitle: A\nslug: [\n---\n", 3);
        check("+++\ntitle = 'A'\nslug =\n+++\n", 3);
        check("{\n\"title\": 5,\n\"slug\":\n}\n", 4);
        check(&format!("---\na: {}\n---\n", "b".repeat(300_000)), 1);
    }

    #[test]
    fn tags_of_other_programs_are_values() {
        let text = "a: !!python/name:material.extensions.emoji.twemoji\nb: !ENV [X, 1]\nc: !!python/object/apply:x.y\n  kwds:\n    d: e\n";
        let fields: Map<String, Value> = yaml_file("mkdocs.yml", text).unwrap();
        assert_eq!(fields["b"], json!(["X", 1]));
        assert_eq!(fields["c"], json!({"kwds": {"d": "e"}}));
    }

    #[test]
    fn a_text_may_begin_with_a_thematic_break() {
        for text in ["---\n\nText\n", "---\nA text.\n---\nMore\n", "Text", "", "{ a"] {
            assert_eq!(read("a.md", text).unwrap().body, text);
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(---|\\+\\+\\+|\\{)\n([a-z\"'\\[\\]{}:=,&*!|>#%@ \t\n-]{0,80})\n(---|\\+\\+\\+|\\})\n.{0,10}") {
            let _ = read("a.md", &text);
        }
    }
}
