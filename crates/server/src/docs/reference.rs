//! The API reference below `/docs`: a small site, generated from the OpenAPI document when it is first requested.

use std::collections::HashMap;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use generator::{Brand, File, Need, Page, PageCard, PageParams, SearchResult, Settings, Site, Source};
use model::{ContentType, PageId, PageKey, Section, Timestamp, sha256};
use openapi::{Names, Request};
use publisher::{Icon, Publisher};
use search::{Files, Indexer, Leaf, Texts};
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::App;
use crate::error::ApiError;
use crate::query::Parameters;

const NAMES: Names<'_> = Names { url: "RECTO_URL", token: "RECTO_TOKEN" };
const TITLE: &str = "Recto API";
const STYLE: &str = include_str!("reference.css");
const SCRIPT_PATH: &str = "/docs/try.js";
const SCRIPT: &str = include_str!("try.js");
/// Files of the generated site that belong to its URL, which this one is not.
const LEFT_OUT: [&str; 6] = ["/feed", "/rss", "/sitemap", "/robots", "/llms", "/tags"];
const ICONS: [(&str, Icon); 2] = [("/favicon.ico", Icon::Favicon), ("/apple-touch-icon.png", Icon::Touch)];
const MOST_RESULTS: usize = 20;

pub(crate) struct Reference {
    /// The pages and their assets, with their fragments joined.
    files: HashMap<String, Bytes>,
    /// The preview cards of the pages, by their paths.
    cards: HashMap<String, Card>,
    index: Files,
    policy: HeaderValue,
}

/// An image that is drawn at its first request.
struct Card {
    brand: Brand,
    card: PageCard,
    image: OnceCell<Bytes>,
}

/// A page of the reference or one of its assets. Every other path of the listener is unknown.
pub(crate) async fn respond(State(app): State<App>, method: Method, uri: Uri) -> Response {
    let path = uri.path();
    if !matches!(method, Method::GET | Method::HEAD) || !is_of_reference(path) {
        return ApiError::NoRoute.into_response();
    }
    if let Some(path) = path.strip_suffix('/').filter(|path| !path.is_empty()) {
        return Redirect::permanent(&format!("/{}", path.trim_start_matches('/'))).into_response();
    }
    let reference = app.reference.get_or_init(|| Reference::new(&super::document_value(), &app.url));
    let (kind, body) = match path {
        SCRIPT_PATH => (of_extension(path), Bytes::from_static(SCRIPT.as_bytes())),
        "/search" | "/search.json" => match reference.search(path, &uri) {
            Some(found) => (of_extension(path), found.into()),
            None => return ApiError::NoRoute.into_response(),
        },
        _ => match (reference.file(path), reference.cards.get(path)) {
            (Some(file), _) => (of_extension(path), file),
            (None, Some(card)) => match card.image(&app.publisher).await {
                Ok(image) => (of_extension(path), image),
                Err(error) => return ApiError::from(error).into_response(),
            },
            (None, None) => return reference.missing(),
        },
    };
    let mut response = ([(CONTENT_TYPE, kind)], body).into_response();
    if path.starts_with("/assets/") {
        let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
        response.headers_mut().insert(CACHE_CONTROL, forever);
    }
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, reference.policy.clone());
    response
}

fn is_of_reference(path: &str) -> bool {
    let below =
        |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below("/docs")
        || below("/assets")
        || matches!(path, "/favicon.svg" | "/search" | "/search.json")
        || ICONS.iter().any(|(icon, _)| path == *icon)
}

impl Reference {
    fn new(document: &Value, url: &str) -> Reference {
        let described = openapi::pages(document, NAMES).expect("the document is our own");
        let settings =
            Settings { title: Some(TITLE.to_owned()), css: Some(STYLE.to_owned()), ..Settings::default() };
        let (mut pages, mut texts) = (Vec::new(), HashMap::new());
        for (number, page) in (1..).zip(described) {
            let id = PageId(Uuid::from_u128(number));
            texts.insert(id, page.content.clone() + &page.request.as_ref().map(form).unwrap_or_default());
            pages.push(listed(id, page));
        }
        let mut site = Site::load(url, settings, TITLE, pages, vec![]);
        let (mut files, mut leaves, mut indexer) = (HashMap::new(), HashMap::new(), Indexer::default());
        let (of_pages, others): (Vec<_>, Vec<_>) = site
            .all_paths()
            .into_iter()
            .filter(|path| !LEFT_OUT.iter().any(|prefix| path.starts_with(prefix)))
            .partition(|path| matches!(site.need(path), Need::Page(_)));
        for path in of_pages {
            let Need::Page(id) = site.need(&path) else { continue };
            let made = site.make(&path, Some(&Source::new(&texts[&id]))).expect("it has its text");
            let Some(made) = made else { continue };
            if let Some(text) = &made.search {
                leaves.insert(id, text.index(id, &mut indexer));
            }
            if let Some(summary) = made.summary {
                site.summarise(id, summary);
            }
            keep(&mut files, path, made.file);
        }
        for path in others {
            if let Ok(Some(made)) = site.make(&path, None) {
                keep(&mut files, path, made.file);
            }
        }
        let brand = files.get(Brand::PATH).and_then(|site| Brand::parse(site)).expect("every site has one");
        files.extend(ICONS.map(|(path, icon)| (path.to_owned(), publisher::initial(&brand, icon))));
        Reference {
            policy: policy(&files),
            cards: cards(&files, &brand),
            index: index(&site, &leaves),
            files: joined(files),
        }
    }

    fn file(&self, path: &str) -> Option<Bytes> {
        let shared = || generator::shared_asset(path).map(Bytes::from_static);
        self.files.get(path).cloned().or_else(shared)
    }

    fn missing(&self) -> Response {
        let Some(page) = self.files.get("/404.html") else { return ApiError::NoRoute.into_response() };
        let headers = [(CONTENT_TYPE, of_extension("")), (CONTENT_SECURITY_POLICY, self.policy.clone())];
        (StatusCode::NOT_FOUND, headers, page.clone()).into_response()
    }

    /// `None`: the query is too long, or the index cannot be read.
    fn search(&self, path: &str, uri: &Uri) -> Option<String> {
        let parameters = Parameters::of(uri);
        let q = parameters.first("q").unwrap_or_default();
        let query = search::Query::parse(q).ok()?;
        let (total, results) = self.results(&query).ok()?;
        if path.ends_with(".json") {
            return Some(json!({"query": q, "total": total, "results": results}).to_string());
        }
        let page = self.files.get("/search")?;
        generator::fill_search_page(&String::from_utf8_lossy(page), q, &results)
    }

    fn results(&self, query: &search::Query) -> Result<(usize, Vec<SearchResult>), search::Damaged> {
        if query.is_empty() {
            return Ok((0, vec![]));
        }
        let found = search::search(&[Leaf::open(&self.index.terms)?], query, MOST_RESULTS)?;
        let texts = Texts::open(&self.index.texts)?;
        let result = |hit: search::Hit| {
            let snippet = search::snippet(&texts, hit.page, &found.query)?;
            let anchor = snippet.anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
            let url = format!("{}{anchor}", hit.url);
            Ok(SearchResult { url, title: hit.title, section: hit.section, excerpt: snippet.excerpt })
        };
        Ok((found.total, found.hits.into_iter().map(result).collect::<Result<_, _>>()?))
    }
}

impl Card {
    async fn image(&self, publisher: &Publisher) -> Result<Bytes, publisher::Error> {
        let draw = || publisher.draw_card(self.brand.clone(), self.card.clone());
        self.image.get_or_try_init(draw).await.cloned()
    }
}

/// Those that the pages refer to.
fn cards(files: &HashMap<String, Vec<u8>>, brand: &Brand) -> HashMap<String, Card> {
    let pages = files.iter().filter(|(path, _)| of_extension(path) == of_extension(""));
    let cards = pages.filter_map(|(path, page)| PageCard::read(path, &String::from_utf8_lossy(page)));
    let cards =
        cards.map(|card| (card.path.clone(), Card { brand: brand.clone(), card, image: OnceCell::new() }));
    cards.collect()
}

fn listed(id: PageId, page: openapi::Page) -> Page {
    let (section, section_spelling) =
        Section::parse_typed(&page.section).unwrap_or_else(|_| (Section::none(), None));
    Page {
        id,
        key: PageKey { content_type: ContentType::Docs, section, slug: page.slug },
        section_spelling,
        title: page.title,
        description: page.description,
        tags: vec![],
        published_at: Timestamp::from_micros(0),
        updated_at: Timestamp::from_micros(0),
        api_endpoint: page.endpoint,
        params: PageParams { weight: page.weight, ..PageParams::default() },
        content: None,
        summary: String::new(),
        feed_bytes: 0,
    }
}

fn keep(files: &mut HashMap<String, Vec<u8>>, path: String, file: File) {
    if let File::Bytes(bytes) = file {
        files.insert(path, bytes);
    }
}

fn joined(files: HashMap<String, Vec<u8>>) -> HashMap<String, Bytes> {
    let whole = files.iter().filter(|(path, _)| !generator::is_fragment(path)).map(|(path, bytes)| {
        let body = match of_extension(path) == of_extension("") {
            true => generator::join(bytes, |fragment| files.get(fragment)),
            false => bytes.clone(),
        };
        (path.clone(), Bytes::from(body))
    });
    whole.collect()
}

/// The index of all pages: they are few enough for one leaf.
fn index(site: &Site, pages: &HashMap<PageId, Files>) -> Files {
    let leaf = site.all_paths().iter().find_map(|path| match site.need(path) {
        Need::Leaf(leaf) => Some(leaf),
        _ => None,
    });
    let ids = leaf.map(|leaf| site.leaf_pages(leaf)).unwrap_or_default();
    let parts: Vec<&Files> = ids.iter().map(|id| &pages[id]).collect();
    search::merge(&parts, &ids).expect("the parts were made just now")
}

/// The form that sends a request from the page. A script shows it, since it needs one.
fn form(request: &Request) -> String {
    let Request { method, path, parameters, body } = request;
    let field = |(name, example): &(String, String)| {
        let (name, example) = (escaped(name), escaped(example));
        format!("<label>{name} <input name=\"{name}\" value=\"{example}\" data-parameter></label>\n")
    };
    let fields: String = parameters.iter().map(field).collect();
    let body = body.as_ref().map(|body| {
        let rows = body.lines().count().clamp(3, 16);
        format!("<label>Body <textarea name=\"body\" rows=\"{rows}\" spellcheck=\"false\">{}</textarea></label>\n", escaped(body))
    });
    format!(
        "\n\n<form class=\"try\" data-method=\"{method}\" data-path=\"{}\" hidden>\n<h2 id=\"try-it\">Try it</h2>\n\
         <label>Token <input name=\"token\" type=\"password\" autocomplete=\"off\" placeholder=\"rec_…\"></label>\n\
         {fields}{}<button>Send</button>\n<output></output>\n</form>\n<script src=\"{SCRIPT_PATH}\" defer></script>\n",
        escaped(path),
        body.unwrap_or_default(),
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Nothing is loaded from other hosts, and only the theme's own inline script runs.
fn policy(files: &HashMap<String, Vec<u8>>) -> HeaderValue {
    let page = files.get("/404.html").map(|page| String::from_utf8_lossy(page)).unwrap_or_default();
    let inline = page.split_once("<script>").and_then(|(_, rest)| rest.split_once("</script>"));
    let hash = sha256(inline.map_or("", |(script, _)| script));
    let policy = format!(
        "default-src 'none'; script-src 'self' 'sha256-{}'; style-src 'self' 'unsafe-inline'; font-src 'self'; \
         img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        STANDARD.encode(hash)
    );
    HeaderValue::try_from(policy).expect("it is ASCII")
}

fn of_extension(path: &str) -> HeaderValue {
    HeaderValue::from_static(match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("ico") => "image/x-icon",
        Some("png") => "image/png",
        Some("md") => "text/markdown; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        _ => "text/html; charset=utf-8",
    })
}
