//! `POST /mcp`: the Model Context Protocol over streamable HTTP, with tools that search, list and read the pages of the
//! live release.
//!
//! `rmcp` handles the protocol, without sessions: each request is answered by itself, with one JSON object. Here are the
//! rules of sites: password, size, time, and which pages may call it in a browser.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, ORIGIN};
use axum::http::{HeaderValue, Method, Request, StatusCode, Uri};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use publisher::{Error, Found, HostedSite, Publisher, SearchQuery, Searched};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::path::{self, Path};
use super::{Parts, SiteResponse, gate, headers, host, markdown, notes, password_form, response};
use crate::listen::RequestBody;

pub(super) const PATH: &str = "/mcp";

const MAX_BODY_BYTES: usize = 64 << 10;
/// Both for the request's body to arrive, and for the response.
const TIME_LIMIT: Duration = Duration::from_secs(30);
const DEFAULT_RESULTS: usize = 10;
const MAX_RESULTS: usize = 50;
const MAX_LISTED: usize = 100;
/// Bytes of a page's Markdown in one response: about what a model can still use.
const MAX_READ: usize = 64 << 10;
/// How long clients may keep the list of tools: it changes with the version of the server.
const TOOLS_TTL: Duration = Duration::from_secs(3600);

impl Parts {
    pub(super) async fn respond_for_mcp(
        &self,
        site: &HostedSite,
        request: Request<RequestBody>,
    ) -> SiteResponse {
        if is_foreign(&request) {
            return refuse(StatusCode::FORBIDDEN, "requests of pages on other sites are refused");
        }
        if !gate::is_open(&self.publisher, site, request.headers()) {
            return password_form::ask(request.headers());
        }
        if request.method() != Method::POST {
            let mut response = notes::no_method(false);
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
            return response;
        }
        let (head, body) = request.into_parts();
        let body = match timeout(TIME_LIMIT, Limited::new(body, MAX_BODY_BYTES).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                return refuse(StatusCode::PAYLOAD_TOO_LARGE, "the body must be at most 64 KB");
            }
            Ok(Err(_)) | Err(_) => return refuse(StatusCode::BAD_REQUEST, "the body did not arrive"),
        };
        let tools = Tools { publisher: self.publisher.clone(), site: site.clone() };
        let answer = tools.answer(Request::from_parts(head, Full::new(body)));
        timeout(TIME_LIMIT, answer).await.unwrap_or_else(|_| notes::unavailable())
    }
}

/// Whether a page of another host sends the request, as the protocol defines against DNS rebinding.
fn is_foreign<B>(request: &Request<B>) -> bool {
    let own = host::text(request).ok().flatten();
    request.headers().get_all(ORIGIN).iter().any(|origin| {
        let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
        let authority = origin.as_ref().and_then(Uri::authority);
        !own.zip(authority).is_some_and(|(own, other)| own.eq_ignore_ascii_case(other.as_str()))
    })
}

/// A refusal before the protocol: an error without an id.
fn refuse(status: StatusCode, message: &str) -> SiteResponse {
    let error = json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": message}});
    json_response(status, error.to_string().into())
}

fn json_response(status: StatusCode, body: Bytes) -> SiteResponse {
    let mut headers = headers::fresh(body.len());
    headers.insert(CACHE_CONTROL, headers::NO_STORE);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response::build(status, headers, body)
}

/// The tools for one request.
#[derive(Clone)]
struct Tools {
    publisher: Publisher,
    site: HostedSite,
}

/// Why a tool has no result.
enum Failure {
    /// What the model can do about it.
    Explained(String),
    Failed(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Failed(error)
    }
}

#[derive(Deserialize)]
struct SearchArguments {
    query: String,
    limit: Option<usize>,
}

#[derive(Deserialize)]
struct ReadArguments {
    path: String,
    #[serde(default)]
    offset: usize,
}

#[derive(Deserialize)]
struct ListArguments {
    #[serde(default)]
    prefix: String,
    #[serde(default)]
    cursor: String,
}

impl Tools {
    async fn answer(self, request: Request<Full<Bytes>>) -> SiteResponse {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            // Both are checked already.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(MAX_BODY_BYTES);
        let service = StreamableHttpService::new(
            move || Ok(self.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        let (head, body) = service.handle(request).await.into_parts();
        let Ok(body) = body.collect().await;
        let mut response = json_response(head.status, body.to_bytes());
        match head.headers.get(CONTENT_TYPE) {
            Some(kind) => response.headers_mut().insert(CONTENT_TYPE, kind.clone()),
            None => response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain")),
        };
        response
    }

    async fn search(&self, SearchArguments { query, limit }: SearchArguments) -> Result<String, Failure> {
        let parsed = SearchQuery::parse(&query).map_err(|_| {
            Failure::Explained("The query must be at most 200 characters. Use fewer words.".into())
        })?;
        let limit = limit.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS);
        let found = self.publisher.search(self.searched()?, parsed, limit).await?;
        let mut text = match found.total {
            0 => format!("No page has all words of {query:?}. Try fewer or other words, or `list`."),
            total => format!("{} of {total} results, best first", found.hits.len()),
        };
        for hit in found.hits {
            text += &format!("\n\n{}\n{}\n{}", hit.title, hit.url, hit.excerpt);
        }
        Ok(text)
    }

    async fn list(&self, ListArguments { prefix, cursor }: ListArguments) -> Result<String, Failure> {
        let below = page_path(&prefix).unwrap_or(prefix);
        let listed = self.publisher.search_pages(self.searched()?, below.clone(), cursor, MAX_LISTED).await?;
        let Some((last, _)) = listed.pages.last_key_value() else {
            return Ok(format!("No pages below {below:?}. Without a prefix, all pages are listed."));
        };
        let end = if listed.has_more { format!("\n\nMore: cursor {last:?}") } else { String::new() };
        let lines: Vec<String> = listed.pages.iter().map(|(path, title)| format!("{path} {title}")).collect();
        Ok(lines.join("\n") + &end)
    }

    async fn read(&self, ReadArguments { path, offset }: ReadArguments) -> Result<String, Failure> {
        let markdown = match page_path(&path) {
            Some(path) => self.markdown(&path).await?,
            None => None,
        };
        let Some(markdown) = markdown else {
            let advice = "`search` finds pages by words, `list` shows all paths.";
            return Err(Failure::Explained(format!("There is no page at {path:?}. {advice}")));
        };
        let start = markdown.floor_char_boundary(offset);
        let end = markdown.floor_char_boundary(start.saturating_add(MAX_READ));
        let rest = match markdown.len() - end {
            0 => String::new(),
            more => format!("\n\n[{more} more bytes: read again with offset {end}]"),
        };
        Ok(markdown[start..end].to_owned() + &rest)
    }

    /// The Markdown of a page, also at a former URL of it.
    async fn markdown(&self, path: &str) -> Result<Option<String>, Failure> {
        let Searched { site, release, .. } = self.searched()?;
        let mut file = markdown::path_of(path);
        if let Some(Found::Redirect(target)) = self.publisher.find(site, release, path).await? {
            file = markdown::path_of(&target);
        }
        match self.publisher.find(site, release, &file).await? {
            Some(Found::Body { bytes, .. }) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            _ => Ok(None),
        }
    }

    fn searched(&self) -> Result<Searched, Failure> {
        let HostedSite { account, id, release, .. } = self.site;
        let release = release.ok_or_else(|| Failure::Explained("This site has no pages yet.".into()))?;
        Ok(Searched { account, site: id, release })
    }
}

/// The path of a page from what a model may have: a path, a URL of the site, with an anchor, with `.md`.
fn page_path(text: &str) -> Option<String> {
    let text = text.split(['#', '?']).next().unwrap_or_default();
    let path = match text.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => text,
    };
    let path = path.strip_suffix(".md").unwrap_or(path);
    match path::normalize(&format!("/{}", path.trim_start_matches('/'))) {
        Path::Canonical(path) => Some(path.into_owned()),
        Path::Redirect(path) => Some(path),
        Path::Impossible => None,
    }
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("recto", env!("CARGO_PKG_VERSION")))
            .with_instructions("The published pages of this website. Search first, then read.")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = ListToolsResult::with_all_items(TOOLS.clone());
        Ok(listed.with_ttl_ms(TOOLS_TTL.as_millis() as u64).with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = match &*request.name {
            "search" => with(arguments, async |arguments| self.search(arguments).await).await,
            "read" => with(arguments, async |arguments| self.read(arguments).await).await,
            "list" => with(arguments, async |arguments| self.list(arguments).await).await,
            other => return Err(ErrorData::invalid_params(format!("Unknown tool: {other}"), None)),
        };
        match result {
            Ok(text) => Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into()),
            Err(Failure::Explained(text)) => Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into()),
            Err(Failure::Failed(error)) => {
                tracing::error!(%error, "a tool call failed");
                Err(ErrorData::internal_error("the server could not answer; try again later", None))
            }
        }
    }
}

/// Calls a tool with its arguments, or says what is wrong with them.
async fn with<A: DeserializeOwned>(
    arguments: JsonObject,
    tool: impl AsyncFnOnce(A) -> Result<String, Failure>,
) -> Result<String, Failure> {
    match serde_json::from_value(Value::Object(arguments)) {
        Ok(arguments) => tool(arguments).await,
        Err(error) => Err(Failure::Explained(format!("The arguments are wrong: {error}"))),
    }
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let limit = json!({"type": "integer", "minimum": 1, "maximum": MAX_RESULTS, "default": DEFAULT_RESULTS});
    vec![
        tool(
            "search",
            "Finds the pages of this website that have all words of the query; if there are none, pages with other forms of \
             the words or with typos. Returns title, path and an excerpt of each, best first. Few words find more.",
            json!({"query": {"type": "string", "maxLength": 200}, "limit": limit}),
            &["query"],
        ),
        tool(
            "read",
            "Returns the Markdown of one page.",
            json!({
                "path": {"type": "string", "description": "As in results, such as /docs/guides/install"},
                "offset": {"type": "integer", "minimum": 0, "description": "Where to continue a long page"},
            }),
            &["path"],
        ),
        tool(
            "list",
            "Lists paths and titles of pages, 100 at a time, in the order of the paths.",
            json!({
                "prefix": {"type": "string", "description": "Only pages below this path, such as /docs/guides"},
                "cursor": {"type": "string", "description": "From the end of the previous list"},
            }),
            &[],
        ),
    ]
});

fn tool(name: &'static str, description: &'static str, properties: Value, required: &[&str]) -> Tool {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let Value::Object(schema) = schema else { unreachable!("an object was written") };
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    Tool::new(name, description, schema).with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    use axum::http::header::HOST;

    use super::*;

    #[test]
    fn a_model_may_name_a_page_in_several_ways() {
        for text in [
            "/docs/a",
            "docs/a",
            "/docs/a/",
            "/docs/a.md",
            "/docs/a#part",
            "https://acme.localhost:8081/docs/a?x=y#part",
        ] {
            assert_eq!(page_path(text).as_deref(), Some("/docs/a"), "{text}");
        }
        for text in ["", "/", "/.md", "https://acme.localhost"] {
            assert_eq!(page_path(text).as_deref(), Some("/"), "{text}");
        }
        assert_eq!(page_path("/../etc/passwd"), None);
    }

    #[test]
    fn only_pages_of_the_same_host_may_call() {
        let check = |origin: &str, expected: bool| {
            let request = Request::builder().uri(PATH).header(HOST, "acme.com:81").header(ORIGIN, origin);
            assert_eq!(is_foreign(&request.body(()).expect("a request")), expected, "{origin}");
        };
        check("https://acme.com:81", false);
        check("http://ACME.com:81", false);
        for origin in
            ["https://evil.com", "https://acme.com", "https://acme.com:82", "null", "", "acme.com:81.evil"]
        {
            check(origin, true);
        }
        let none = Request::builder().uri(PATH).header(HOST, "acme.com").body(()).expect("a request");
        assert!(!is_foreign(&none));
    }

    #[test]
    fn the_list_of_tools_is_short() {
        // A token has about four letters.
        let listed = serde_json::to_string(&*TOOLS).expect("tools are JSON");
        assert!(listed.len() < 4 * 1200 / 2, "{} bytes", listed.len());
    }
}
