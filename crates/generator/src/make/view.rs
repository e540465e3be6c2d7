//! Values for the templates.

use std::borrow::Cow;

use model::{ApiEndpoint, ContentType, Dimensions, MediaUrl, Section};

use crate::frame::Frame;
use crate::index::ordered_pages::OrderKey;
use crate::inline::{Inline, plain};
use crate::settings::is_right_to_left;
use crate::text::Day;
use crate::url::{Fragment, list_url, url};
use crate::{Page, PageCard, Site};

/// The head of an HTML document, and everything around its body.
pub(crate) struct Shell<'s> {
    pub frame: &'s Frame,
    pub lang: &'s str,
    pub rtl: bool,
    /// Title and description have no markup.
    pub title: Cow<'s, str>,
    pub full_title: String,
    pub description: Cow<'s, str>,
    /// `None` for a document without a URL of its own.
    pub canonical: Option<String>,
    /// The OpenGraph type.
    pub kind: &'static str,
    pub image: Image,
    /// The title of the page's section.
    pub section: String,
    pub noindex: bool,
    /// The path of the page's Markdown.
    pub markdown: Option<String>,
    pub feeds: bool,
    pub json_ld: Option<String>,
    /// Placeholders.
    pub nav: String,
    pub foot: String,
}

impl Site {
    /// The shell of a document at `path`.
    pub(super) fn shell<'s>(&'s self, path: &str, title: &'s str) -> Shell<'s> {
        let (frame, title) = (&self.frame, plain(title));
        let full_title = match path {
            "/" => frame.title.clone(),
            _ => format!("{title} · {}", frame.title),
        };
        let blog = path == "/" || path == "/blog" || path.starts_with("/blog/");
        Shell {
            frame,
            lang: frame.settings.language(),
            rtl: frame.rtl,
            image: Image::card(frame, path, &title, ""),
            title,
            full_title,
            description: Cow::Borrowed(""),
            canonical: Some(format!("{}{path}", frame.origin)),
            kind: "website",
            section: String::new(),
            noindex: frame.settings.noindex,
            markdown: None,
            feeds: blog,
            json_ld: None,
            nav: self.nav_placeholder(path),
            foot: placeholder(&[&Fragment::Foot.to_string()]),
        }
    }

    /// The masthead, with the link to the part of the site that contains `path` marked as current.
    fn nav_placeholder(&self, path: &str) -> String {
        let nav = Fragment::Nav.to_string();
        let links = &self.frame.settings.links;
        let within =
            |url: &str| path.strip_prefix(url).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let nearest = match links.is_empty() {
            true => ["/docs", "/blog"].into_iter().find(|url| within(url)).or(Some(path)),
            // The page itself may be linked, too.
            false => links
                .iter()
                .map(|link| link.url.as_str())
                .filter(|url| within(url))
                .max_by_key(|url| url.len())
                .or(Some(path)),
        };
        match nearest {
            Some(url) if url == path => placeholder(&[&nav, &escape_href(url)]),
            Some(url) => placeholder(&[&nav, &format!("~{}", escape_href(url))]),
            None => placeholder(&[&nav]),
        }
    }
}

/// The length of a list's description, about: search engines show as much.
const DESCRIPTION_CHARS: usize = 150;

impl<'s> Shell<'s> {
    /// Describes a list to search engines, if its owner does not: by the first titles in it.
    pub fn listing<'t>(mut self, titles: impl IntoIterator<Item = Cow<'t, str>>) -> Shell<'s> {
        if !self.description.is_empty() {
            return self;
        }
        let mut description = String::new();
        for title in titles.into_iter().filter(|title| !title.is_empty()) {
            let separator = if description.is_empty() { "" } else { " · " };
            if !separator.is_empty()
                && description.chars().count() + title.chars().count() > DESCRIPTION_CHARS
            {
                break;
            }
            description.push_str(separator);
            description.push_str(&title);
        }
        self.description = match description.is_empty() {
            true => self.frame.words.empty.into(),
            false => description.into(),
        };
        self
    }

    /// Described as the site is.
    pub fn like_site(mut self) -> Shell<'s> {
        self.description = self.frame.settings.description.as_deref().unwrap_or_default().into();
        self
    }

    /// Sets the page's language, if it has one.
    pub fn in_language(mut self, lang: Option<&'s str>) -> Shell<'s> {
        if let Some(lang) = lang {
            self.lang = lang;
            self.rtl = is_right_to_left(lang);
        }
        self
    }
}

/// The image of a preview.
pub(crate) struct Image {
    pub url: String,
    pub size: Option<Dimensions>,
}

impl Image {
    /// The card that the server draws.
    pub fn card(frame: &Frame, path: &str, title: &str, section: &str) -> Image {
        let url = frame.absolute(&PageCard::new(frame, path, title, section).path);
        Image { url, size: Some(Dimensions { width: 1200, height: 630 }) }
    }

    pub fn at(frame: &Frame, url: &str) -> Image {
        Image { url: frame.absolute(url), size: MediaUrl::parse(url).and_then(|upload| upload.dimensions) }
    }
}

/// The placeholder for a fragment; see [`crate::join()`].
pub(super) fn placeholder(words: &[&str]) -> String {
    format!("\0{}\0", words.join(" "))
}

pub(super) fn escape_href(url: &str) -> String {
    crate::text::escape(url)
}

/// A page in a list.
pub(crate) struct Entry<'p> {
    pub url: String,
    pub title: Inline<'p>,
    pub blurb: Inline<'p>,
    pub endpoint: Option<Endpoint<'p>>,
    pub day: Day,
}

impl<'p> Entry<'p> {
    pub fn of(page: &'p Page) -> Entry<'p> {
        Entry {
            url: url(&page.key),
            title: page.title.as_str().into(),
            blurb: page.blurb().into(),
            endpoint: page.api_endpoint.as_ref().map(Endpoint::of),
            day: Day::of(page.published_at),
        }
    }

    pub fn without_blurb(self) -> Entry<'p> {
        Entry { blurb: "".into(), ..self }
    }
}

/// A method, with an optional path.
pub(crate) struct Endpoint<'p> {
    pub method: &'p str,
    pub class: &'static str,
    pub path: &'p str,
}

impl<'p> Endpoint<'p> {
    pub fn of(endpoint: &'p ApiEndpoint) -> Endpoint<'p> {
        let class = match endpoint.method() {
            "GET" => "get",
            "POST" => "post",
            "PUT" => "put",
            "PATCH" => "patch",
            "DELETE" => "delete",
            "HEAD" => "head",
            _ => "options",
        };
        Endpoint { method: endpoint.method(), class, path: endpoint.path().unwrap_or_default() }
    }
}

/// A link with a number.
pub(crate) struct CountedLink {
    pub url: String,
    pub text: String,
    pub count: String,
}

/// The previous or next page.
pub(crate) struct Neighbour<'p> {
    pub url: String,
    pub title: Inline<'p>,
}

impl<'p> Neighbour<'p> {
    pub fn of(page: &'p Page) -> Neighbour<'p> {
        Neighbour { url: url(&page.key), title: page.short_title().into() }
    }
}

/// The docs' sidebar, opened at a section, with `path` marked as current; `page` is the page there, if it is in that
/// section.
pub(super) fn sidebar_placeholder(section: &Section, path: &str, page: Option<&Page>) -> String {
    let sidebar = Fragment::Sidebar.to_string();
    let mut words = match section.is_none() {
        true => format!("{sidebar} {path}"),
        false => format!("{sidebar} {path} {}", Fragment::SidebarSection(section.clone())),
    };
    if let Some(page) = page {
        words.push_str(&format!("\t{}", OrderKey::of(page)));
    }
    placeholder(&[&words])
}

/// The list of a content type or section, as a breadcrumb.
pub(super) struct Breadcrumb {
    pub url: String,
    pub text: String,
}

impl Site {
    /// The breadcrumbs from the root to the pages of a section.
    pub(super) fn breadcrumbs(&self, of: ContentType, section: &Section) -> Vec<Breadcrumb> {
        let root = match of {
            ContentType::Docs => Some(self.frame.words.docs),
            ContentType::Blog => Some(self.frame.words.blog),
            _ => None,
        };
        let root = root.map(|text| Breadcrumb { url: list_url(of, &Section::none()), text: text.to_owned() });
        let section = (!section.is_none())
            .then(|| Breadcrumb { url: list_url(of, section), text: self.index.section_title(of, section) });
        root.into_iter().chain(section).collect()
    }
}
