//! Reads an OpenAPI document: operations, and references between its parts.

use model::ApiEndpoint;
use serde_json::{Map, Value};

use crate::Invalid;

const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];
/// References that are followed one after the other.
const MAX_HOPS: usize = 16;

pub(crate) struct Document<'d> {
    root: &'d Value,
}

/// A method of a path.
pub(crate) struct Operation<'d> {
    pub(crate) path: &'d str,
    pub(crate) method: &'d str,
    pub(crate) body: &'d Map<String, Value>,
    /// The path's own members, such as parameters of all its operations.
    item: &'d Map<String, Value>,
}

/// A parameter of an operation.
pub(crate) struct Parameter<'d> {
    pub(crate) name: &'d str,
    /// `path`, `query`, `header` or `cookie`.
    pub(crate) place: &'d str,
    pub(crate) body: &'d Map<String, Value>,
}

impl<'d> Document<'d> {
    pub(crate) fn read(root: &'d Value) -> Result<Document<'d>, Invalid> {
        if let Some(version) = root.get("swagger") {
            return Err(Invalid::Version(version.as_str().unwrap_or("2.0").to_owned()));
        }
        let version = root.get("openapi").and_then(Value::as_str).ok_or(Invalid::Missing("openapi"))?;
        if !version.starts_with("3.") {
            return Err(Invalid::Version(version.to_owned()));
        }
        if !root.get("paths").is_some_and(Value::is_object) {
            return Err(Invalid::Missing("paths"));
        }
        Ok(Document { root })
    }

    pub(crate) fn title(&self) -> &'d str {
        text(self.root.get("info"), "title").unwrap_or("API")
    }

    pub(crate) fn description(&self) -> &'d str {
        text(self.root.get("info"), "description").unwrap_or_default()
    }

    /// The URLs of the servers, without a slash at the end.
    pub(crate) fn servers(&self) -> Vec<&'d str> {
        let servers = self.root.get("servers").and_then(Value::as_array).into_iter().flatten();
        servers.filter_map(|server| text(Some(server), "url")).map(|url| url.trim_end_matches('/')).collect()
    }

    pub(crate) fn tag_description(&self, name: &str) -> &'d str {
        let tags = self.root.get("tags").and_then(Value::as_array).into_iter().flatten();
        let mut tags = tags.filter(|tag| text(Some(tag), "name") == Some(name));
        tags.next().and_then(|tag| text(Some(tag), "description")).unwrap_or_default()
    }

    /// Where the document lists a tag.
    pub(crate) fn tag_position(&self, name: &str) -> Option<usize> {
        let tags = self.root.get("tags")?.as_array()?;
        tags.iter().position(|tag| text(Some(tag), "name") == Some(name))
    }

    /// What a reader must send to be let in, as Markdown; empty if nothing.
    pub(crate) fn authentication(&self) -> String {
        let schemes = self.root.pointer("/components/securitySchemes").and_then(Value::as_object);
        let mut lines = String::new();
        for scheme in schemes.into_iter().flat_map(Map::values).filter_map(|scheme| self.object(scheme)) {
            let get = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
            let how = match (get("type"), get("scheme"), get("in")) {
                ("http", "bearer", _) => "Send `Authorization: Bearer <token>`.".to_owned(),
                ("http", "basic", _) => "Send a user name and a password (HTTP Basic).".to_owned(),
                ("apiKey", _, place) => format!("Send the key as the {place} parameter `{}`.", get("name")),
                ("oauth2" | "openIdConnect", ..) => {
                    "Sign in with OAuth 2, and send the access token.".to_owned()
                }
                _ => continue,
            };
            lines += &format!("\n- {how} {}", get("description"));
        }
        match lines.is_empty() {
            true => lines,
            false => format!("\n\n## Authentication\n{lines}\n"),
        }
    }

    /// Whether an operation needs a bearer token.
    pub(crate) fn needs_token(&self, operation: &Operation<'_>) -> bool {
        let required = operation.body.get("security").or_else(|| self.root.get("security"));
        let schemes = self.root.pointer("/components/securitySchemes").and_then(Value::as_object);
        let is_token = |name: &String| {
            let scheme = schemes.and_then(|schemes| schemes.get(name)).and_then(|scheme| self.object(scheme));
            scheme.is_some_and(|scheme| {
                let kind = scheme.get("type").and_then(Value::as_str);
                kind != Some("apiKey") && scheme.get("scheme").and_then(Value::as_str) != Some("basic")
            })
        };
        let required = required.and_then(Value::as_array).into_iter().flatten();
        required.filter_map(Value::as_object).flat_map(Map::keys).any(is_token)
    }

    /// All operations, by path.
    pub(crate) fn operations(&self) -> Vec<Operation<'d>> {
        let paths = self.root.get("paths").and_then(Value::as_object).into_iter().flatten();
        let items = paths.filter_map(|(path, item)| Some((path.as_str(), self.object(item)?)));
        let of_item = |(path, item): (&'d str, &'d Map<String, Value>)| {
            let operation = move |&method: &&'static str| {
                Some(Operation { path, method, body: item.get(method)?.as_object()?, item })
            };
            METHODS.iter().filter_map(operation).collect::<Vec<_>>()
        };
        items.flat_map(of_item).collect()
    }

    pub(crate) fn parameters(&self, operation: &Operation<'d>) -> Vec<Parameter<'d>> {
        let lists = [operation.item.get("parameters"), operation.body.get("parameters")];
        let mut parameters: Vec<Parameter<'d>> = Vec::new();
        for value in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
            let Some(body) = self.object(value) else { continue };
            let get = |key: &str| body.get(key).and_then(Value::as_str);
            let (Some(name), Some(place)) = (get("name"), get("in")) else { continue };
            // One of the operation replaces one of its path.
            parameters.retain(|known| (known.name, known.place) != (name, place));
            parameters.push(Parameter { name, place, body });
        }
        parameters
    }

    /// The value itself, or the one that it refers to.
    pub(crate) fn resolve(&self, mut value: &'d Value) -> Option<&'d Value> {
        for _ in 0..MAX_HOPS {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Some(value) };
            value = self.root.pointer(&pointer(reference)?)?;
        }
        None
    }

    pub(crate) fn object(&self, value: &'d Value) -> Option<&'d Map<String, Value>> {
        self.resolve(value)?.as_object()
    }
}

impl Operation<'_> {
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.body.get(key).and_then(Value::as_str)
    }

    pub(crate) fn is_deprecated(&self) -> bool {
        self.body.get("deprecated").and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn tag(&self) -> Option<&str> {
        self.body.get("tags")?.as_array()?.first()?.as_str()
    }

    pub(crate) fn title(&self) -> String {
        let summary = self.get("summary").map(|summary| summary.trim_end_matches('.').trim());
        match summary.filter(|summary| !summary.is_empty()).or(self.get("operationId")) {
            Some(title) => title.split_whitespace().collect::<Vec<_>>().join(" "),
            None => format!("{} {}", self.method.to_uppercase(), self.path),
        }
    }

    /// What its slug is made of.
    pub(crate) fn name(&self) -> String {
        match self.get("operationId").filter(|id| !id.is_empty()) {
            Some(id) => spaced(id),
            None => format!("{} {}", self.method, self.path),
        }
    }

    /// `None`: Recto's endpoints do not have this method, or the path is too long.
    pub(crate) fn endpoint(&self) -> Option<ApiEndpoint> {
        let method = self.method.to_uppercase();
        let whole = ApiEndpoint::parse(&format!("{method} {}", self.path));
        whole.or_else(|_| ApiEndpoint::parse(&method)).ok().flatten()
    }
}

/// `publishPages` as `publish Pages`.
fn spaced(id: &str) -> String {
    let mut spaced = String::with_capacity(id.len() + 8);
    let mut after_lower = false;
    for c in id.chars() {
        if c.is_uppercase() && after_lower {
            spaced.push(' ');
        }
        after_lower = c.is_lowercase() || c.is_ascii_digit();
        spaced.push(c);
    }
    spaced
}

/// `#/components/schemas/A%20b` as a pointer; `None`: it is outside the document.
fn pointer(reference: &str) -> Option<String> {
    let pointer = reference.strip_prefix('#')?;
    Some(percent_encoding::percent_decode_str(pointer).decode_utf8().ok()?.into_owned())
}

fn text<'d>(value: Option<&'d Value>, key: &str) -> Option<&'d str> {
    value?.get(key)?.as_str()
}
