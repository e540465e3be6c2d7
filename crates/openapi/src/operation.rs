//! The text of an operation's page.

use serde_json::{Map, Value};

use crate::document::{Document, Operation};
use crate::fields::{contents, row, tables};
use crate::text::{cell, code, code_block};
use crate::{Names, example, requests};

pub(crate) fn content<'d>(document: &Document<'d>, operation: &Operation<'d>, names: Names<'_>) -> String {
    let mut page = String::new();
    if operation.is_deprecated() {
        page += "> [!WARNING]\n> Deprecated: it may be removed.\n\n";
    }
    // On wide screens, code stands beside the text that follows it.
    let description = operation.get("description").unwrap_or_default().trim();
    let (first, rest) = description.split_once("\n\n").unwrap_or((description, ""));
    page += &format!("{first}\n\n{}{rest}\n\n", requests::examples(document, operation, names));
    page += &parameters(document, operation);
    page += &request_body(document, operation, names);
    page += &responses(document, operation);
    page
}

fn parameters<'d>(document: &Document<'d>, operation: &Operation<'d>) -> String {
    let mut section = String::new();
    for (place, title) in [
        ("path", "Path parameters"),
        ("query", "Query parameters"),
        ("header", "Headers"),
        ("cookie", "Cookies"),
    ] {
        let parameters = document.parameters(operation);
        let rows: Vec<String> = parameters
            .iter()
            .filter(|parameter| parameter.place == place)
            .map(|parameter| {
                let about = parameter.body.get("description").and_then(Value::as_str).unwrap_or_default();
                let required = parameter.body.get("required").and_then(Value::as_bool).unwrap_or(false);
                let schema = parameter.body.get("schema").unwrap_or(&Value::Null);
                row(document, parameter.name, schema, about, required)
            })
            .collect();
        if !rows.is_empty() {
            section += &format!("## {title}\n\n| Name | Type | |\n|---|---|---|\n{}\n\n", rows.join("\n"));
        }
    }
    section
}

fn request_body<'d>(document: &Document<'d>, operation: &Operation<'d>, names: Names<'_>) -> String {
    let body = operation.body.get("requestBody").and_then(|body| document.object(body));
    let Some(body) = body else { return String::new() };
    let mut section = String::from("## Request body\n\n");
    if let Some(about) = body.get("description").and_then(Value::as_str) {
        section += &format!("{}\n\n", about.trim());
    }
    let contents = contents(body);
    for (number, (media_type, content)) in contents.iter().enumerate() {
        if contents.len() > 1 {
            section += &format!("### {}\n\n", code(media_type));
        }
        if let Some(schema) = content.get("schema") {
            section += &format!("{}\n", tables(document, schema));
        }
        section += &named_examples(document, content, number == 0);
        if number > 0 {
            section += &requests::curl_with(document, operation, media_type, content, names);
        }
    }
    section
}

/// The examples of a media type by name. The first one of the first type is already in the request.
fn named_examples<'d>(document: &Document<'d>, content: &'d Value, is_first: bool) -> String {
    let examples = content.get("examples").and_then(Value::as_object).into_iter().flatten();
    let mut blocks = String::new();
    for (name, example) in examples.skip(usize::from(is_first)) {
        let Some(example) = document.object(example) else { continue };
        let title = example.get("summary").and_then(Value::as_str).unwrap_or(name);
        if let Some(value) = example.get("value") {
            blocks += &format!("{}\n", code_block(&info("json", title), &pretty(value)));
        }
    }
    blocks
}

fn responses<'d>(document: &Document<'d>, operation: &Operation<'d>) -> String {
    let responses = operation.body.get("responses").and_then(Value::as_object).into_iter().flatten();
    let responses: Vec<(&str, &Map<String, Value>)> = responses
        .filter_map(|(status, response)| Some((status.as_str(), document.object(response)?)))
        .collect();
    let (failures, successes): (Vec<_>, Vec<_>) =
        responses.into_iter().partition(|(status, _)| status.starts_with(['4', '5']) || *status == "default");
    let about = |response: &'d Map<String, Value>| {
        response.get("description").and_then(Value::as_str).unwrap_or_default()
    };
    let mut section = String::new();
    for (status, response) in successes {
        section += &format!("## Response {status}\n\n{}\n\n", about(response).trim());
        for (media_type, content) in contents(response) {
            if let Some(schema) = content.get("schema") {
                section += &format!("{}\n", tables(document, schema));
            }
            let example = example::of_content(document, content);
            if let Some(example) = example.filter(|_| media_type.contains("json")) {
                section += &format!("{}\n", code_block(&info("json", status), &pretty(&example)));
            }
        }
    }
    if !failures.is_empty() {
        section += "## Errors\n\n| Status | |\n|---|---|\n";
        for (status, response) in failures {
            section += &format!("| {} | {} |\n", code(status), cell(about(response)));
        }
    }
    section
}

/// The language and the title of a code block.
pub(crate) fn info(language: &str, title: &str) -> String {
    let title: String = title.chars().filter(|c| !matches!(c, '"' | '`' | '\n' | '\r')).collect();
    format!("{language} title=\"{title}\"")
}

pub(crate) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a value has only string keys")
}
