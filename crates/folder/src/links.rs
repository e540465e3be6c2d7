//! Resolves the links of a page: to other Markdown files, and to files that are uploaded with it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use media::MediaKind;
use percent_encoding::percent_decode_str;

use crate::page::Source;
use crate::text::{Replacement, Text};
use crate::{File, Problem};

pub(crate) struct Links<'f> {
    root: &'f Path,
    /// The URL of the page of each file.
    urls: &'f HashMap<String, String>,
}

/// The text of a page with its links resolved, and what was found.
#[derive(Default)]
pub(crate) struct Linked {
    pub text: Text,
    pub covers: Vec<(&'static str, String)>,
    pub files: BTreeMap<String, File>,
    pub problems: Vec<Problem>,
    pub warnings: Vec<Problem>,
}

impl Linked {
    /// Whether it has no files, and nothing to report: then only the URLs of pages can change it.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.problems.is_empty() && self.warnings.is_empty()
    }
}

/// The URL of the page of each file.
pub(crate) fn urls_of(sources: &[Arc<Source>]) -> HashMap<String, String> {
    let url = |source: &Arc<Source>| (source.page.file.clone(), source.page.key.path());
    sources.iter().map(url).collect()
}

impl<'f> Links<'f> {
    pub fn new(root: &'f Path, urls: &'f HashMap<String, String>) -> Links<'f> {
        Links { root, urls }
    }

    pub fn resolve(&self, source: &Source) -> Linked {
        let (file, body) = (source.page.file.as_str(), source.body.as_str());
        let mut linked = Linked::default();
        let references = match markdown::relative_references(body) {
            Ok(references) => references,
            Err(too_complex) => {
                linked
                    .warnings
                    .push(Problem::of(file, format!("its links cannot be found: {}", too_complex.0)));
                Vec::new()
            }
        };
        let mut replacements = Vec::new();
        for reference in references {
            let line = || source.body_line + body[..reference.range.start].matches('\n').count();
            let written = &body[reference.range.clone()];
            // CommonMark sees no link with a space; it is meant as one if there is such a file.
            let is_certain = !written.contains([' ', '\t']) || body[..reference.range.start].ends_with('<');
            match self.target(file, &reference.name) {
                Target::Elsewhere => {}
                Target::Page(url) => replacements.push((reference.range, Replacement::Text(url))),
                Target::File(name, found) => {
                    linked.files.insert(name.clone(), found);
                    replacements.push((reference.range, Replacement::File(name)));
                }
                Target::Warning(message) => linked.warnings.push(Problem::at(file, line(), message)),
                Target::Problem(message) if is_certain => {
                    linked.problems.push(Problem::at(file, line(), message));
                }
                Target::Problem(_) => {}
            }
        }
        linked.text = Text::new(body, replacements);
        self.resolve_covers(source, &mut linked);
        linked
    }

    /// Files that only front matter names.
    fn resolve_covers(&self, source: &Source, linked: &mut Linked) {
        let file = source.page.file.as_str();
        for (key, value, line) in &source.covers {
            if value.contains(':') {
                // A URL.
                continue;
            }
            match self.target(file, value) {
                Target::Elsewhere | Target::Page(_) => {}
                Target::File(name, found) => {
                    linked.files.insert(name.clone(), found);
                    linked.covers.push((*key, name));
                }
                Target::Warning(message) => linked.warnings.push(Problem::at(file, *line, message)),
                Target::Problem(message) => {
                    linked.problems.push(Problem::at(file, *line, format!("{key}: {message}")));
                }
            }
        }
    }

    fn target(&self, from: &str, link: &str) -> Target {
        let (path, suffix) = link.split_at(link.find(['?', '#']).unwrap_or(link.len()));
        let Ok(path) = percent_decode_str(path).decode_utf8() else { return Target::Elsewhere };
        if path.is_empty() || path.starts_with('/') {
            return Target::Elsewhere;
        }
        let Some(name) = joined(from, &path) else {
            return Target::missing(link, "is outside the folder");
        };
        if is_markdown(&name) {
            return match self.urls.get(name.as_str()) {
                Some(url) => Target::Page(format!("{url}{suffix}")),
                None => Target::Warning(format!("links to {link}, which is no page of the folder")),
            };
        }
        let full = self.root.join(&name);
        let kind = MediaKind::of(&name);
        match full.canonicalize() {
            Ok(found) if !found.starts_with(self.root) => Target::missing(link, "is outside the folder"),
            Ok(found) if found.is_file() && kind.is_some() => {
                let bytes = found.metadata().map_or(0, |metadata| metadata.len());
                Target::File(name, File { path: full, bytes })
            }
            Ok(found) if found.is_file() => Target::Warning(format!(
                "links to {link}, whose type cannot be uploaded; the link is left as it is"
            )),
            // A URL without an extension, or of another kind of page.
            _ if kind.is_none() => Target::Elsewhere,
            _ => Target::missing(link, "does not exist"),
        }
    }
}

enum Target {
    /// Nothing of the folder: it is left as it is.
    Elsewhere,
    /// Its URL, with query and fragment.
    Page(String),
    /// Its path in the folder.
    File(String, File),
    Warning(String),
    Problem(String),
}

impl Target {
    fn missing(link: &str, why: &str) -> Target {
        let path = &link[..link.find(['?', '#']).unwrap_or(link.len())];
        let message = format!("shows or links {link}, which {why}");
        match is_markdown(path) || MediaKind::of(path).is_none() {
            true => Target::Warning(message),
            false => Target::Problem(format!("{message}; add the file or correct the path")),
        }
    }
}

fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("md"))
}

/// The path in the folder that a link means; `None` if it leads out of the folder.
fn joined(from: &str, link: &str) -> Option<String> {
    let mut segments: Vec<&str> = from.split('/').collect();
    segments.pop();
    for segment in link.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()?),
            segment => segments.push(segment),
        }
    }
    Some(segments.join("/"))
}
