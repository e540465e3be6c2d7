//! Turns an OpenAPI document (3.0 or 3.1) into the pages of an API reference: an introduction, a page for each tag, and a
//! page for each operation with its parameters, bodies, responses and examples. A pure function.
//!
//! The texts are Markdown with tables, titles of code blocks and `:::tabs`. Every list is bounded, references are followed only inside the document, and circular ones end.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod document;
mod example;
mod fields;
mod operation;
mod parse;
mod requests;
mod text;

use std::collections::{BTreeMap, HashSet};

use model::{ApiEndpoint, Section, Slug};
use serde_json::Value;

pub use crate::parse::parse;

use crate::document::{Document, Operation};
use crate::text::cut;

/// A docs page of the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// As typed; the page's section is its lower-case form. Empty: no section.
    pub section: String,
    pub slug: Slug,
    pub title: String,
    pub description: Option<String>,
    pub content: String,
    pub endpoint: Option<ApiEndpoint>,
    /// Its position among the pages of its section.
    pub weight: i64,
    /// The operation that it describes, for forms that send a request.
    pub request: Option<Request>,
}

/// A request as the examples send it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    /// With the path of the server, and with parameters in braces.
    pub path: String,
    /// The parameters in the path and in the query, with examples.
    pub parameters: Vec<(String, String)>,
    /// The JSON body, if it takes one.
    pub body: Option<String>,
}

/// How the examples name what differs between readers.
#[derive(Clone, Copy, Debug)]
pub struct Names<'n> {
    /// The environment variable with the server's URL, if the document names only a path.
    pub url: &'n str,
    /// The environment variable with the token.
    pub token: &'n str,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    #[error("line {line}: {message}")]
    Syntax { line: usize, message: String },
    #[error("this is no OpenAPI document: it has no {0:?}")]
    Missing(&'static str),
    #[error("OpenAPI {0} cannot be read, only 3.0 and 3.1: convert the document first")]
    Version(String),
    #[error("the document describes more than {MAX_OPERATIONS} operations")]
    TooLarge,
}

const MAX_OPERATIONS: usize = 2000;
/// The section of operations without a tag.
const UNTAGGED: &str = "API";
/// The weight of the introduction: before all others.
const FIRST: i64 = -1;
/// The slug of the first page.
const INTRODUCTION: &str = "introduction";

/// The pages of a document.
pub fn pages(document: &Value, names: Names<'_>) -> Result<Vec<Page>, Invalid> {
    let document = Document::read(document)?;
    let operations = document.operations();
    if operations.len() > MAX_OPERATIONS {
        return Err(Invalid::TooLarge);
    }
    let mut pages = vec![introduction(&document)];
    let mut sections = Sections::default();
    let mut taken = HashSet::new();
    for (weight, operation) in (1..).zip(&operations) {
        let section = sections.of(operation.tag().unwrap_or(UNTAGGED));
        let slug = free_slug(operation, &section, &mut taken);
        pages.push(Page {
            title: cut(&operation.title(), model::limits::TITLE_CHARS),
            description: None,
            content: operation::content(&document, operation, names),
            endpoint: operation.endpoint(),
            weight,
            request: Some(requests::request(&document, operation)),
            section,
            slug,
        });
    }
    pages.extend(sections.pages(&document));
    Ok(pages)
}

fn introduction(document: &Document<'_>) -> Page {
    let mut content = document.description().to_owned();
    let servers = document.servers();
    if !servers.is_empty() {
        content += "\n\n## Servers\n";
        for server in servers {
            content += &format!("\n- `{server}`");
        }
    }
    content += &document.authentication();
    Page {
        section: String::new(),
        slug: slug_of(INTRODUCTION).expect("it consists of letters"),
        title: cut(document.title(), model::limits::TITLE_CHARS),
        description: None,
        content,
        endpoint: None,
        weight: FIRST,
        request: None,
    }
}

/// Sections by their lower-case form, so that tags that differ in other characters only share one.
#[derive(Default)]
struct Sections {
    /// The section as typed, and the tag's name; in the order of their first operation.
    known: BTreeMap<String, (usize, String, String)>,
}

impl Sections {
    fn of(&mut self, tag: &str) -> String {
        let typed: String = tag.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
        let typed = typed.split_whitespace().collect::<Vec<_>>().join("-");
        let fits = Section::parse_typed(&typed).is_ok() && !typed.is_empty();
        let section = match fits {
            true => typed,
            false => slug_of(tag).map_or_else(|| UNTAGGED.to_owned(), |slug| slug.as_str().to_owned()),
        };
        let number = self.known.len();
        let key = section.to_ascii_lowercase();
        self.known.entry(key).or_insert_with(|| (number, section, tag.to_owned())).1.clone()
    }

    /// A page at the URL of each section, which shows the list of the section's pages below its text.
    fn pages(self, document: &Document<'_>) -> impl Iterator<Item = Page> {
        self.known.into_iter().filter_map(|(key, (number, _, tag))| {
            let slug = Slug::parse(&key).ok()?;
            Some(Page {
                section: String::new(),
                slug,
                title: cut(&tag, model::limits::TITLE_CHARS),
                description: None,
                content: document.tag_description(&tag).to_owned(),
                endpoint: None,
                weight: document.tag_position(&tag).unwrap_or(number + 1000) as i64,
                request: None,
            })
        })
    }
}

/// A slug that no other operation of the section has.
fn free_slug(operation: &Operation<'_>, section: &str, taken: &mut HashSet<(String, Slug)>) -> Slug {
    let name = operation.name();
    let base = slug_of(&name).unwrap_or_else(|| slug_of("operation").expect("it consists of letters"));
    let numbered = (2..).map(|number| {
        let short = cut(base.as_str(), model::limits::SLUG_CHARS - 8);
        Slug::parse(&format!("{}-{number}", short.trim_end_matches('-'))).expect("a slug and a number")
    });
    let mut slugs = std::iter::once(base.clone()).chain(numbered);
    let section = section.to_ascii_lowercase();
    slugs
        .find(|slug| taken.insert((section.clone(), slug.clone())))
        .expect("there are more numbers than operations")
}

fn slug_of(name: &str) -> Option<Slug> {
    Slug::from_title(name)
}
