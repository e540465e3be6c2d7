//! Writes a Markdown file, with front matter as people write it.

use serde_json::{Map, Value};

use crate::Fields;

/// The text of a file: [`crate::read`] returns the same fields and the same body, unless that begins with an empty line.
pub fn write(fields: &Fields, body: &str) -> String {
    let matter = front_matter(fields);
    // Without fields, only a text that itself begins like front matter needs an empty one.
    if matter.is_empty() && !["---", "+++"].iter().any(|mark| body.starts_with(mark)) && !body.is_empty() {
        return body.to_owned();
    }
    format!("---\n{matter}---\n\n{body}")
}

fn front_matter(fields: &Fields) -> String {
    let Fields { title, slug, content_type, section, description, tags, draft, .. } = fields;
    let mut out = String::new();
    let mut key = |name: &str, value: &Option<String>| {
        if let Some(value) = value {
            out += &format!("{name}: {}\n", scalar(value));
        }
    };
    key("title", title);
    key("slug", slug);
    key("type", content_type);
    key("section", section);
    key("date", &fields.published_at);
    key("description", description);
    key("apiEndpoint", &fields.api_endpoint);
    if *draft == Some(true) {
        out += "draft: true\n";
    }
    if let Some(tags) = tags.as_deref().filter(|tags| !tags.is_empty()) {
        let tags: Vec<String> = tags.iter().map(|tag| scalar(tag)).collect();
        out += &format!("tags: [{}]\n", tags.join(", "));
    }
    out + &params(&fields.params)
}

/// Former URLs are last, one on each line: there may be many.
fn params(params: &Map<String, Value>) -> String {
    if params.is_empty() {
        return String::new();
    }
    let mut out = "params:\n".to_owned();
    let aliases = params.get("aliases").and_then(Value::as_array).filter(|aliases| !aliases.is_empty());
    for (name, value) in params.iter().filter(|(name, _)| aliases.is_none() || *name != "aliases") {
        out += &format!("  {}: {}\n", scalar(name), flow(value));
    }
    if let Some(aliases) = aliases {
        out += "  aliases:\n";
        out.extend(aliases.iter().map(|alias| format!("    - {}\n", flow(alias))));
    }
    out
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
    if is_date(text) || (starts && text.chars().all(is_plain) && !text.ends_with(' ') && !is_word) {
        return text.to_owned();
    }
    quoted(text)
}

/// `2026-01-02`, perhaps with a time.
fn is_date(text: &str) -> bool {
    let is_part = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        0..10 => byte.is_ascii_digit(),
        10 => byte == b'T',
        _ => byte.is_ascii_digit() || b":.Z+-".contains(&byte),
    };
    text.len() >= 10 && text.bytes().enumerate().all(is_part) && !text.ends_with(':')
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
    use crate::read;

    #[test]
    fn a_page_is_written_as_people_write_it() {
        let fields = Fields {
            title: Some("A: \"title\"".into()),
            slug: Some("a".into()),
            published_at: Some("2026-01-02".into()),
            tags: Some(vec!["One two".into(), "no".into()]),
            params: json!({"weight": 3, "authors": ["Ada"], "aliases": ["/old/a.html"]})
                .as_object()
                .unwrap()
                .clone(),
            ..Fields::default()
        };
        let expected = "---\ntitle: \"A: \\\"title\\\"\"\nslug: a\ndate: 2026-01-02\ntags: [One two, \"no\"]\nparams:\n  \
            authors: [Ada]\n  weight: 3\n  aliases:\n    - /old/a.html\n---\n\nText\n";
        assert_eq!(write(&fields, "Text\n"), expected);
    }

    #[test]
    fn a_file_without_fields_needs_front_matter_only_to_hide_what_looks_like_it() {
        assert_eq!(write(&Fields::default(), "# A\n"), "# A\n");
        assert_eq!(write(&Fields::default(), "---\na: b\n---\n"), "---\n---\n\n---\na: b\n---\n");
        assert_eq!(write(&Fields::default(), ""), "---\n---\n\n");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            title in any::<String>(),
            tag in "\\PC{1,8}",
            value in "[ -~\u{80}-\u{ff}]{0,9}",
            body in "([a-z#-][ -~\n]{0,40})?",
        ) {
            let params = json!({"a b": {"c": [value, 1.5, null]}, "aliases": ["/x"], "title": value});
            let fields = Fields {
                title: Some(title.clone()),
                section: Some(value.clone()),
                api_endpoint: Some(tag.clone()),
                tags: Some(vec![tag]),
                draft: Some(true),
                params: params.as_object().unwrap().clone(),
                ..Fields::default()
            };
            let text = write(&fields, &body);
            let document = read(&text).unwrap();
            prop_assert_eq!(&document.fields, &fields);
            prop_assert_eq!(document.body, body);
        }
    }
}
