//! Params as fields of a form: those that the theme supports, and the others as JSON.

use std::collections::BTreeMap;

use publisher::FieldErrors;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::fields::Fields;

/// Before the names of the fields.
pub(super) const PREFIX: &str = "param.";

/// What a person can enter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    Text,
    Number,
    /// Names, separated by commas.
    Names,
    /// One in a line.
    Lines,
    Flag,
    /// Yes, no, or as the theme decides.
    Choice,
}

pub(super) struct Known {
    /// The key in the params.
    pub(super) name: &'static str,
    /// The name of the field.
    pub(super) field: &'static str,
    pub(super) label: &'static str,
    pub(super) input: Input,
    pub(super) hint: &'static str,
}

/// The params that `generator::PageParams` reads. No label contains the label of another field.
pub(super) const KNOWN: [Known; 12] = [
    known("cover", "param.cover", "Cover image", Input::Text, "/media/… or https://…"),
    known("coverAlt", "param.coverAlt", "Alternative text of the image", Input::Text, ""),
    known("author", "param.author", "Author", Input::Names, "several names separated by commas"),
    known("linkTitle", "param.linkTitle", "Short name in navigation", Input::Text, ""),
    known("weight", "param.weight", "Order", Input::Number, "lowest first"),
    known("lang", "param.lang", "Language", Input::Text, "en, pt-BR, …"),
    known("canonical", "param.canonical", "First published at", Input::Text, "https://…"),
    known("aliases", "param.aliases", "Former addresses", Input::Lines, "one in a line: /old/path"),
    known("toc", "param.toc", "Outline", Input::Choice, ""),
    known("list", "param.list", "List of pages below", Input::Choice, ""),
    known("nav", "param.nav", "Link in the masthead", Input::Flag, ""),
    known("noindex", "param.noindex", "Hide from search engines", Input::Flag, ""),
];

const fn known(
    name: &'static str,
    field: &'static str,
    label: &'static str,
    input: Input,
    hint: &'static str,
) -> Known {
    Known { name, field, label, input, hint }
}

/// As they are shown: texts of the known params by their names, and JSON with the others.
pub(super) fn split(json: &str) -> (BTreeMap<String, String>, String) {
    let Ok(mut params) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(json) else {
        return (BTreeMap::new(), json.to_owned());
    };
    let mut shown = BTreeMap::new();
    for known in &KNOWN {
        // A value that the field cannot show stays in the JSON.
        let text = params.get(known.name).and_then(|value| as_text(known.input, value.get()));
        if let Some(text) = text {
            params.remove(known.name);
            shown.insert(known.name.to_owned(), text);
        }
    }
    let others = match (shown.is_empty(), params.is_empty()) {
        // Exactly as it was stored.
        (true, _) => json.to_owned(),
        (false, true) => String::new(),
        (false, false) => serde_json::to_string(&params).unwrap_or_default(),
    };
    (shown, others)
}

/// The fields that a form has sent; empty ones are left out.
pub(super) fn submitted(fields: &Fields) -> BTreeMap<String, String> {
    let sent = KNOWN.iter().map(|known| (known.name.to_owned(), fields.get(known.field).trim().to_owned()));
    sent.filter(|(_, text)| !text.is_empty()).collect()
}

/// One JSON object of both.
pub(super) fn merge(shown: &BTreeMap<String, String>, others: &str) -> Result<Box<RawValue>, FieldErrors> {
    let json = if others.trim().is_empty() { "{}" } else { others.trim() };
    let wrong = |error| FieldErrors::from([("params", format!("params must be JSON: {error}"))]);
    if shown.is_empty() {
        return RawValue::from_string(json.to_owned()).map_err(wrong);
    }
    let mut params: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).map_err(wrong)?;
    for known in &KNOWN {
        let Some(text) = shown.get(known.name) else { continue };
        let value = of_text(known.input, text).map_err(|why| FieldErrors::from([(known.field, why)]))?;
        params.insert(known.name.to_owned(), serde_json::value::to_raw_value(&value).map_err(wrong)?);
    }
    serde_json::value::to_raw_value(&params).map_err(wrong)
}

/// `None`: the field cannot show this value.
fn as_text(input: Input, json: &str) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok()?;
    let text = match (input, value) {
        (Input::Text, Value::String(text)) if !text.contains('\n') => text,
        (Input::Number, Value::Number(number)) => number.as_i64()?.to_string(),
        (Input::Names, Value::String(name)) if !name.contains(',') => name,
        (Input::Lines, Value::Array(lines)) => texts(lines, '\n')?.join("\n"),
        (Input::Names, Value::Array(names)) if names.len() > 1 => texts(names, ',')?.join(", "),
        (Input::Flag, Value::Bool(true)) => "yes".to_owned(),
        (Input::Choice, Value::Bool(yes)) => if yes { "yes" } else { "no" }.to_owned(),
        _ => return None,
    };
    (!text.trim().is_empty() && text.trim() == text).then_some(text)
}

fn texts(values: Vec<Value>, separator: char) -> Option<Vec<String>> {
    let text = |value| match value {
        Value::String(text) if !text.contains(separator) && text.trim() == text && !text.is_empty() => {
            Some(text)
        }
        _ => None,
    };
    values.into_iter().map(text).collect()
}

fn of_text(input: Input, text: &str) -> Result<Value, String> {
    let parts = |separator| text.split(separator).map(str::trim).filter(|part| !part.is_empty());
    Ok(match input {
        Input::Text => json!(text),
        Input::Number => json!(text.parse::<i64>().map_err(|_| "this must be a whole number".to_owned())?),
        Input::Flag => json!(true),
        Input::Choice => json!(text == "yes"),
        Input::Lines => json!(parts('\n').collect::<Vec<_>>()),
        Input::Names => match parts(',').collect::<Vec<_>>()[..] {
            [name] => json!(name),
            ref names => json!(names),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_params_become_fields_and_back() {
        let json = r#"{"aliases":["/a","/b"],"author":["Ada","Bob"],"cover":"/media/x","nav":true,"other":[1,2.50],"toc":false,"weight":3}"#;
        let (shown, others) = split(json);
        assert_eq!(others, r#"{"other":[1,2.50]}"#);
        assert_eq!(shown["aliases"], "/a\n/b");
        assert_eq!((&*shown["author"], &*shown["toc"], &*shown["weight"]), ("Ada, Bob", "no", "3"));
        assert_eq!(merge(&shown, &others).expect("they are right").get(), json);
    }

    #[test]
    fn values_that_a_field_cannot_show_stay_json() {
        for json in [
            r#"{"weight": "7", "nav": "yes", "toc": 1}"#,
            r#"{"author": {"name": "Ada"}, "aliases": "/a", "cover": ["x"]}"#,
            r#"{"author": ["Lovelace, Ada"], "linkTitle": " a "}"#,
            r#"{"nav": false, "weight": 1.5}"#,
            "[1]",
            "not JSON",
        ] {
            assert_eq!(split(json), (BTreeMap::new(), json.to_owned()));
        }
    }

    #[test]
    fn wrong_fields_are_named() {
        let error = |name: &str, text: &str, others: &str| {
            let shown = BTreeMap::from([(name.to_owned(), text.to_owned())]);
            merge(&shown, others).expect_err("something is wrong").into_keys().next()
        };
        assert_eq!(error("weight", "first", ""), Some("param.weight"));
        assert_eq!(error("cover", "/a", "{"), Some("params"));
        assert_eq!(error("cover", "/a", "[]"), Some("params"));
    }
}
