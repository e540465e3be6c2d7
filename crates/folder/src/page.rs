//! Reads one file: its front matter, checked as the API would, and its text.

use std::path::Path;

use front_matter::{Document, Fields};
use model::{
    ApiEndpoint, Checked, Content, ContentType, Description, HashedPage, PageHash, PageKey, Params, Section,
    Slug, Tags, Timestamp, Title,
};
use serde_json::Value;

use crate::from_path::{FromPath, from_path};
use crate::{Options, Problem, Text, text};

/// A file with more bytes cannot be a page: content and params have at most 100,000 characters each.
const MAX_BYTES: u64 = 4 << 20;

/// A page of the folder. Every field is checked; what front matter does not give has its empty value.
#[derive(Debug, Clone)]
pub struct Page {
    /// The path of its file in the folder.
    pub file: String,
    pub key: PageKey,
    /// The section with the capitals of the front matter.
    pub section: String,
    pub title: String,
    pub description: String,
    pub draft: bool,
    pub tags: Tags,
    /// `None`: the date of its first publish.
    pub published_at: Option<Timestamp>,
    pub api_endpoint: Option<ApiEndpoint>,
    /// As front matter gives them: a file of the folder is named by its path.
    pub(crate) params: Params,
    /// The params that are files: their keys, and the paths of the files in the folder.
    pub(crate) covers: Vec<(&'static str, String)>,
    pub text: Text,
}

impl Page {
    /// The files it shows, as often as it does.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.text.files().chain(self.covers.iter().map(|(_, file)| file.as_str()))
    }

    /// The params for a request to which files are attached under their paths in the folder: all but those that have an
    /// address already.
    pub fn params_for_upload(&self, address: impl Fn(&str) -> Option<String>) -> Value {
        self.params_with(|file| address(file).unwrap_or_else(|| text::reference(file)))
    }

    fn params_with<'p>(&'p self, address: impl Fn(&'p str) -> String) -> Value {
        let mut params: Value = serde_json::from_str(self.params.as_json()).unwrap_or_default();
        for (key, file) in &self.covers {
            params[*key] = address(file).into();
        }
        params
    }

    /// The same page without what keeps visitors from seeing it.
    pub fn published_now(&self) -> Page {
        Page { draft: false, published_at: None, ..self.clone() }
    }

    /// Its bytes on the site, about.
    pub fn len(&self) -> usize {
        self.text.len() + self.params.as_json().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The hash that the API gives the stored page: published at this time, under this key, with its files at these
    /// addresses. `None`: one of them has no address.
    pub fn hash<'p, 'a>(
        &'p self,
        key: &PageKey,
        published_at: Timestamp,
        address: impl Fn(&'p str) -> Option<&'a str>,
    ) -> Option<PageHash> {
        if !self.files().all(|file| address(file).is_some()) {
            return None;
        }
        let filled = |file| address(file).unwrap_or_default().to_owned();
        let params = match self.covers.is_empty() {
            true => Some(self.params.clone()),
            false => Params::parse(&self.params_with(filled).to_string()).ok(),
        }?;
        let hashed = HashedPage {
            content_type: key.content_type.as_str(),
            section: key.section.as_str(),
            slug: key.slug.as_str(),
            title: &self.title,
            description: &self.description,
            draft: self.draft,
            published_at,
            api_endpoint: self.api_endpoint.as_ref().map_or("", ApiEndpoint::as_str),
            content: self.text.hash(filled),
            params: (params != Params::default()).then(|| params.hash()),
        };
        Some(hashed.hash(self.tags.as_slice()))
    }
}

/// A page before its links are resolved.
pub(crate) struct Source {
    pub page: Page,
    pub body: String,
    pub body_line: usize,
    /// Params that may be files, with their lines.
    pub covers: Vec<(&'static str, String, usize)>,
    /// What the author should know.
    pub warning: Option<Problem>,
}

/// The params whose values may be files, for the API as well.
pub(crate) const COVERS: [&str; 2] = ["cover", "image"];

/// Returns the page, or everything that is wrong with its file.
pub(crate) fn read(root: &Path, file: &str, options: &Options) -> Result<Source, Vec<Problem>> {
    let text = read_text(&root.join(file)).map_err(|message| vec![Problem::of(file, message)])?;
    let Document { fields, body, body_line } = front_matter::read(&text).map_err(|invalid| {
        vec![Problem::at(file, invalid.line, format!("front matter: {}", invalid.message))]
    })?;
    let derived =
        from_path(file, options.content_type).map_err(|message| vec![Problem::of(file, message)])?;
    let replaces_list = derived.replaces_list && fields.slug.is_none();
    let covers = COVERS.into_iter().filter_map(|key| {
        let value = fields.params.get(key)?.as_str()?.to_owned();
        Some((key, value, front_matter::line_of(&text, key)))
    });
    let covers = covers.collect();
    let mut checker = Checker { file, text: &text, problems: Vec::new() };
    let page = checker.page(fields, derived, body);
    let (body, body_line) = (body.to_owned(), body_line);
    match (page, checker.problems) {
        (Some(page), problems) if problems.is_empty() => {
            let url = page.key.path();
            let list = url.trim_end_matches("/index").to_owned();
            let message = format!("{list} lists its pages, so this page is published at {url}");
            let warning = replaces_list.then(|| Problem::of(file, message));
            Ok(Source { page, body, body_line, covers, warning })
        }
        (_, problems) => Err(problems),
    }
}

fn read_text(path: &Path) -> Checked<String> {
    let failed = |error: std::io::Error| format!("cannot be read: {error}");
    let bytes = path.metadata().map_err(failed)?.len();
    if bytes > MAX_BYTES {
        return Err(format!("has {bytes} bytes; a page may have at most {MAX_BYTES}"));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("is not UTF-8: see line {line}; save it as UTF-8")
    })?;
    // As the API stores it on every system.
    Ok(if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text })
}

/// Checks the fields of a page, and collects what is wrong.
struct Checker<'t> {
    file: &'t str,
    text: &'t str,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn page(&mut self, fields: Fields, derived: FromPath, body: &str) -> Option<Page> {
        let slug = fields.slug.filter(|slug| !slug.is_empty());
        let slug = match slug {
            Some(slug) => self.check("slug", Slug::parse(&slug)),
            None if derived.slug.is_none() => self.check(
                "slug",
                Err("the name of the file has no letters or digits for a URL; rename it, or give a slug"
                    .to_owned()),
            ),
            None => derived.slug,
        };
        let content_type = match fields.content_type {
            Some(name) => self.check("contentType", ContentType::parse(&name)),
            None => Some(derived.content_type),
        };
        let typed = fields.section.unwrap_or_else(|| derived.section.as_str().to_owned());
        let section: Option<(Section, _)> = self.check("section", Section::parse_typed(&typed));
        let title = fields.title.or_else(|| markdown::first_heading(body)).unwrap_or(derived.name);
        let title = match title.trim().is_empty() {
            true => self.check("title", Err("title must not be blank".to_owned())),
            false => self.check("title", Title::parse(title)),
        };
        let description =
            self.check("description", Description::parse(fields.description.unwrap_or_default()));
        let tags = self.check("tags", Tags::parse(fields.tags.unwrap_or_default()));
        let published_at = match fields.published_at {
            Some(text) => {
                let parsed = Timestamp::parse_iso(&text).map_err(|message| format!("the date {message}"));
                self.check("publishedAt", parsed).map(Some)
            }
            None => Some(derived.date),
        };
        let endpoint =
            self.check("apiEndpoint", ApiEndpoint::parse(&fields.api_endpoint.unwrap_or_default()));
        let params = self.check("params", Params::parse(&Value::Object(fields.params).to_string()));
        if fields.password.is_some_and(|password| !password.is_empty()) {
            let message = "a page cannot have a password: only a whole site can (recto site password)";
            self.check::<()>("password", Err(message.to_owned()));
        }
        self.check("content", Content::parse(body.to_owned()));
        let key = PageKey { content_type: content_type?, section: section?.0, slug: slug? };
        if let Some((field, message)) = key.reserved() {
            self.check::<()>(field, Err(message));
        }
        Some(Page {
            file: self.file.to_owned(),
            section: typed,
            key,
            title: title?.as_str().to_owned(),
            description: description?.as_str().to_owned(),
            draft: fields.draft.unwrap_or(false),
            tags: tags?,
            published_at: published_at?,
            api_endpoint: endpoint?,
            params: params?,
            covers: Vec::new(),
            text: Text::default(),
        })
    }

    fn check<T>(&mut self, field: &str, value: Checked<T>) -> Option<T> {
        let line = || front_matter::line_of(self.text, field);
        value.map_err(|message| self.problems.push(Problem::at(self.file, line(), message))).ok()
    }
}
