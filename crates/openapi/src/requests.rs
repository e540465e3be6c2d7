//! Requests as code: curl, Python and JavaScript.

use std::fmt::Write;

use serde_json::Value;

use crate::document::{Document, Operation};
use crate::fields::contents;
use crate::operation::{info, pretty};
use crate::text::code_block;
use crate::{Names, Request, example};

/// What is sent.
enum Body {
    Nothing,
    Json(Value),
    /// The names and values of a form; a file has no value.
    Form(Vec<(String, Option<String>)>),
    /// Something else, from a file.
    File(String),
}

/// One request, ready to be written in each language.
struct Example<'e> {
    method: String,
    /// The server's URL, or its path alone.
    server: String,
    /// With examples in place of the parameters.
    path: String,
    query: Vec<(String, String)>,
    has_token: bool,
    body: Body,
    names: Names<'e>,
}

pub(crate) fn request<'d>(document: &Document<'d>, operation: &Operation<'d>) -> Request {
    let parameters = document.parameters(operation);
    let sent = parameters.iter().filter(|parameter| matches!(parameter.place, "path" | "query"));
    let server = document.servers().first().copied().unwrap_or_default();
    let body = match first_body(document, operation) {
        Body::Json(value) => Some(pretty(&value)),
        _ => None,
    };
    Request {
        method: operation.method.to_uppercase(),
        path: format!("{server}{}", operation.path),
        parameters: sent
            .map(|parameter| {
                let required = parameter.body.get("required").and_then(Value::as_bool).unwrap_or(false);
                let example = if required { value_of(document, parameter.body) } else { String::new() };
                (parameter.name.to_owned(), example)
            })
            .collect(),
        body,
    }
}

/// The same request in three languages, in tabs.
pub(crate) fn examples<'d>(document: &Document<'d>, operation: &Operation<'d>, names: Names<'_>) -> String {
    let example = Example::new(document, operation, first_body(document, operation), names);
    let tabs = [
        code_block(&info("sh", "curl"), &example.curl()),
        code_block(&info("python", "Python"), &example.python()),
        code_block(&info("js", "JavaScript"), &example.javascript()),
    ];
    format!(":::tabs\n{}:::\n\n", tabs.concat())
}

/// A request with a body of another type than the first.
pub(crate) fn curl_with<'d>(
    document: &Document<'d>,
    operation: &Operation<'d>,
    media_type: &str,
    content: &'d Value,
    names: Names<'_>,
) -> String {
    let example = Example::new(document, operation, body_of(document, media_type, content), names);
    format!("{}\n", code_block(&info("sh", "curl"), &example.curl()))
}

fn first_body<'d>(document: &Document<'d>, operation: &Operation<'d>) -> Body {
    let body = operation.body.get("requestBody").and_then(|body| document.object(body));
    let contents = body.map(contents).unwrap_or_default();
    let json = contents.iter().find(|(media_type, _)| media_type.contains("json"));
    match json.or(contents.first()) {
        Some((media_type, content)) => body_of(document, media_type, content),
        None => Body::Nothing,
    }
}

fn body_of<'d>(document: &Document<'d>, media_type: &str, content: &'d Value) -> Body {
    let example = example::of_content(document, content);
    if media_type.contains("json") {
        return example.map_or(Body::Nothing, Body::Json);
    }
    if !media_type.contains("form") {
        return Body::File(media_type.to_owned());
    }
    let schema = content.get("schema").and_then(|schema| document.resolve(schema));
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    let fields = properties.into_iter().flatten().map(|(name, field)| {
        let field = document.resolve(field).unwrap_or(field);
        let inner = field.get("items").and_then(|items| document.resolve(items)).unwrap_or(field);
        let is_file = inner.get("format").and_then(Value::as_str) == Some("binary");
        (name.clone(), (!is_file).then(|| plain(example::of_schema(document, inner))))
    });
    Body::Form(fields.collect())
}

/// An example of a parameter.
fn value_of<'d>(document: &Document<'d>, parameter: &'d serde_json::Map<String, Value>) -> String {
    let given = parameter.get("example").cloned();
    plain(given.or_else(|| example::of_schema(document, parameter.get("schema")?)))
}

fn plain(value: Option<Value>) -> String {
    match value {
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

impl<'e> Example<'e> {
    fn new<'d>(
        document: &Document<'d>,
        operation: &Operation<'d>,
        body: Body,
        names: Names<'e>,
    ) -> Example<'e> {
        let (mut path, mut query) = (operation.path.to_owned(), Vec::new());
        for parameter in document.parameters(operation) {
            let required = parameter.body.get("required").and_then(Value::as_bool).unwrap_or(false);
            match parameter.place {
                "path" => {
                    path =
                        path.replace(&format!("{{{}}}", parameter.name), &value_of(document, parameter.body));
                }
                "query" if required => {
                    query.push((parameter.name.to_owned(), value_of(document, parameter.body)));
                }
                _ => {}
            }
        }
        Example {
            method: operation.method.to_uppercase(),
            server: document.servers().first().copied().unwrap_or_default().to_owned(),
            path,
            query,
            has_token: document.needs_token(operation),
            body,
            names,
        }
    }

    /// The URL without that of the server, if the document does not name it.
    fn url(&self) -> String {
        let mut url = format!("{}{}", self.server, self.path);
        for (number, (name, value)) in self.query.iter().enumerate() {
            let mark = if number == 0 { '?' } else { '&' };
            write!(url, "{mark}{}={}", encoded(name), encoded(value)).expect("a String grows");
        }
        url
    }

    /// Whether the reader has to supply the server's URL.
    fn is_relative(&self) -> bool {
        !self.server.starts_with("http")
    }

    fn curl(&self) -> String {
        let url = match self.is_relative() {
            true => format!("\"${}{}\"", self.names.url, self.url()),
            false => shell(&self.url()),
        };
        let mut lines = vec![match self.method.as_str() {
            "GET" => format!("curl {url}"),
            "POST" if !matches!(self.body, Body::Nothing) => format!("curl {url}"),
            method => format!("curl -X {method} {url}"),
        }];
        if self.has_token {
            lines.push(format!("-H \"Authorization: Bearer ${}\"", self.names.token));
        }
        match &self.body {
            Body::Nothing => {}
            Body::Json(value) => {
                lines.push("-H \"Content-Type: application/json\"".to_owned());
                lines.push(format!("-d {}", shell(&pretty(value))));
            }
            Body::Form(fields) => lines.extend(fields.iter().map(|(name, value)| match value {
                Some(value) => format!("-F {}", shell(&format!("{name}={value}"))),
                None => format!("-F {}", shell(&format!("{name}=@picture.png"))),
            })),
            Body::File(media_type) => {
                lines.push(format!("-H \"Content-Type: {media_type}\""));
                lines.push("--data-binary @file".to_owned());
            }
        }
        lines.join(" \\\n  ")
    }

    fn python(&self) -> String {
        let mut code = String::new();
        if self.is_relative() || self.has_token {
            code += "import os\n";
        }
        code += "import requests\n\n";
        code += &format!("response = requests.{}(\n    {},\n", self.method.to_lowercase(), self.python_url());
        let mut headers = Vec::new();
        if self.has_token {
            headers.push(format!("\"Authorization\": f\"Bearer {{os.environ['{}']}}\"", self.names.token));
        }
        match &self.body {
            Body::Nothing => {}
            Body::Json(value) => code += &format!("    json={},\n", python_value(value, 1)),
            Body::Form(fields) => {
                let (texts, files): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| value.is_some());
                let text = |(name, value): &(String, Option<String>)| {
                    format!("{}: {}", quoted(name), quoted(value.as_deref().unwrap_or_default()))
                };
                if !texts.is_empty() {
                    let texts: Vec<String> = texts.into_iter().map(text).collect();
                    code += &format!("    data={{{}}},\n", texts.join(", "));
                }
                let file = |(name, _): &(String, Option<String>)| {
                    format!("{}: open(\"picture.png\", \"rb\")", quoted(name))
                };
                let files: Vec<String> = files.into_iter().map(file).collect();
                code += &format!("    files={{{}}},\n", files.join(", "));
            }
            Body::File(media_type) => {
                headers.push(format!("\"Content-Type\": {}", quoted(media_type)));
                code += "    data=open(\"file\", \"rb\"),\n";
            }
        }
        if !headers.is_empty() {
            code += &format!("    headers={{{}}},\n", headers.join(", "));
        }
        code + ")\nresponse.raise_for_status()\nprint(response.text)"
    }

    fn python_url(&self) -> String {
        match self.is_relative() {
            true => format!("os.environ[\"{}\"] + {}", self.names.url, quoted(&self.url())),
            false => quoted(&self.url()),
        }
    }

    fn javascript(&self) -> String {
        let url = match self.is_relative() {
            true => format!("process.env.{} + {}", self.names.url, quoted(&self.url())),
            false => quoted(&self.url()),
        };
        let mut code = String::new();
        let (mut options, mut headers) = (Vec::new(), Vec::new());
        if self.method != "GET" {
            options.push(format!("method: {}", quoted(&self.method)));
        }
        if self.has_token {
            headers.push(format!("Authorization: `Bearer ${{process.env.{}}}`", self.names.token));
        }
        match &self.body {
            Body::Nothing => {}
            Body::Json(value) => {
                headers.push("\"Content-Type\": \"application/json\"".to_owned());
                options.push(format!("body: JSON.stringify({})", pretty(value).replace('\n', "\n  ")));
            }
            Body::Form(fields) => {
                code += "const form = new FormData();\n";
                for (name, value) in fields {
                    let value = match value {
                        Some(value) => quoted(value),
                        None => "await openAsBlob(\"picture.png\"), \"picture.png\"".to_owned(),
                    };
                    code += &format!("form.append({}, {value});\n", quoted(name));
                }
                if fields.iter().any(|(_, value)| value.is_none()) {
                    code = format!("import {{ openAsBlob }} from \"node:fs\";\n\n{code}");
                }
                options.push("body: form".to_owned());
            }
            Body::File(media_type) => {
                code = "import { readFile } from \"node:fs/promises\";\n\n".to_owned();
                headers.push(format!("\"Content-Type\": {}", quoted(media_type)));
                options.push("body: await readFile(\"file\")".to_owned());
            }
        }
        if !headers.is_empty() {
            options
                .insert(options.len().min(1), format!("headers: {{\n    {},\n  }}", headers.join(",\n    ")));
        }
        code += &match options.is_empty() {
            true => format!("const response = await fetch({url});\n"),
            false => format!("const response = await fetch({url}, {{\n  {},\n}});\n", options.join(",\n  ")),
        };
        code + "console.log(response.status, await response.text());"
    }
}

/// A word for a shell, in single quotes.
fn shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A string of Python and of JavaScript: JSON's strings are both.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// JSON as Python writes it.
fn python_value(value: &Value, depth: usize) -> String {
    let (inside, end) = ("    ".repeat(depth + 1), "    ".repeat(depth));
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Array(items) => {
            let items: Vec<String> =
                items.iter().map(|item| format!("{inside}{},\n", python_value(item, depth + 1))).collect();
            format!("[\n{}{end}]", items.concat())
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{inside}{}: {},\n", quoted(name), python_value(value, depth + 1))
            };
            format!("{{\n{}{end}}}", members.iter().map(member).collect::<String>())
        }
        value => value.to_string(),
    }
}

fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
