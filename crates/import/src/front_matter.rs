//! Front matter: YAML, TOML and JSON to read; YAML to write.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_saphyr::{Options, budget, options};

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
    serde_saphyr::from_str_with_options(text, yaml_options()).map_err(|error| {
        let line = error.location().map_or(1, |location| (location.line() as usize).max(1));
        fault(file, line + before, error.without_snippet().to_string())
    })
}

/// Bounds that no file of a person reaches, so that a few bytes cannot become many.
fn yaml_options() -> Options {
    options! {
        budget: budget! {
            max_depth: 64,
            max_nodes: 100_000,
            max_events: 500_000,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_merge_keys: 1_000,
            max_documents: 1,
        },
        strict_booleans: true,
    }
}

/// A whole file of TOML.
pub(crate) fn toml_file(file: &str, text: &str) -> Result<Map<String, Value>, Fault> {
    toml_fields(file, text, 0)
}

fn toml_fields(file: &str, text: &str, before: usize) -> Result<Map<String, Value>, Fault> {
    let table: toml::Table = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        fault(file, text[..at].matches('\n').count() + 1 + before, error.message().to_owned())
    })?;
    Ok(table.into_iter().map(|(key, value)| (key, from_toml(value))).collect())
}

/// Dates become texts, as in YAML.
fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => items.into_iter().map(from_toml).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, value)| (key, from_toml(value))).collect(),
    }
}

fn json_fields(file: &str, text: &str) -> Result<Map<String, Value>, Fault> {
    serde_json::from_str(text).map_err(|error| fault(file, error.line(), error.to_string()))
}

fn fault(file: &str, line: usize, message: String) -> Fault {
    Fault { file: file.to_owned(), line, message }
}

/// The text of a page's file.
pub(crate) fn write(page: &Page) -> String {
    let mut out = "---\n".to_owned();
    let mut key = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            out += &format!("{name}: {}\n", scalar(value));
        }
    };
    key("title", page.title.as_deref());
    key("slug", page.slug.as_deref());
    key("date", page.date.as_deref());
    key("description", page.description.as_deref());
    if page.draft {
        out += "draft: true\n";
    }
    if !page.tags.is_empty() {
        let tags: Vec<String> = page.tags.iter().map(|tag| scalar(tag)).collect();
        out += &format!("tags: [{}]\n", tags.join(", "));
    }
    if !page.params.is_empty() || !page.aliases.is_empty() {
        out += "params:\n";
    }
    for (name, value) in &page.params {
        out += &format!("  {}: {}\n", scalar(name), flow(value));
    }
    if !page.aliases.is_empty() {
        out += "  aliases:\n";
        out.extend(page.aliases.iter().map(|alias| format!("    - {}\n", scalar(alias))));
    }
    let body = page.body.trim_end();
    // Without fields, only a text that itself begins like front matter needs an empty one.
    if out == "---\n" && !["---", "+++"].iter().any(|mark| body.starts_with(mark)) && !body.is_empty() {
        return format!("{body}\n");
    }
    format!("{out}---\n\n{body}{}", if body.is_empty() { "" } else { "\n" })
}

/// JSON is YAML, except that YAML wants some characters escaped.
fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{}: {}", quoted(key), flow(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// Plain where no reader of YAML can mistake it for something else, otherwise in quotes.
fn scalar(text: &str) -> String {
    let starts = text.starts_with(|char: char| char.is_alphabetic() || char == '/');
    let is_plain = |char: char| char.is_alphanumeric() || " /._-+()".contains(char);
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = words.contains(&text.to_lowercase().as_str());
    let is_date = crate::dates::parse(text).is_some();
    if is_date || (starts && text.chars().all(is_plain) && !text.ends_with(' ') && !is_word) {
        return text.to_owned();
    }
    quoted(text)
}

fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    let mut out = String::with_capacity(json.len());
    for char in json.chars() {
        match char {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out += &format!("\\u{:04X}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out
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

    #[test]
    fn a_page_is_written_as_people_write_it() {
        let page = Page {
            title: Some("A: \"title\"".into()),
            slug: Some("a".into()),
            date: Some("2026-01-02".into()),
            tags: vec!["One two".into(), "no".into()],
            params: json!({"weight": 3, "authors": ["Ada"]}).as_object().unwrap().clone(),
            aliases: vec!["/old/a.html".into()],
            body: "Text\n\n".into(),
            ..Page::default()
        };
        let expected = "---\ntitle: \"A: \\\"title\\\"\"\nslug: a\ndate: 2026-01-02\ntags: [One two, \"no\"]\nparams:\n  \
            authors: [Ada]\n  weight: 3\n  aliases:\n    - /old/a.html\n---\n\nText\n";
        assert_eq!(write(&page), expected);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(title in any::<String>(), tag in "\\PC{1,8}", value in "[ -~\u{80}-\u{ff}]{0,9}") {
            let page = Page {
                title: Some(title.clone()),
                tags: vec![tag.clone()],
                params: json!({"a b": {"c": [value, 1.5, null]}}).as_object().unwrap().clone(),
                aliases: vec!["/x".into()],
                ..Page::default()
            };
            let text = write(&page);
            let fields = read("a.md", &text).unwrap().fields;
            let params = json!({"a b": {"c": [value, 1.5, null]}, "aliases": ["/x"]});
            prop_assert_eq!(Value::Object(fields), json!({"title": title, "tags": [tag], "params": params}));
        }

        #[test]
        fn no_text_panics(text in "(---|\\+\\+\\+|\\{)\n([a-z\"'\\[\\]{}:=,&*!|>#%@ \t\n-]{0,80})\n(---|\\+\\+\\+|\\})\n.{0,10}") {
            let _ = read("a.md", &text);
        }
    }
}
