//! The files of a page: its HTML and its Markdown.

use std::borrow::Cow;

use askama::Template;
use markdown::{Heading, Rendered, Style};
use model::{ContentType, Dimensions, MediaUrl, PageId, Section, Timestamp};
use serde_json::{Value, json};

use super::view::{Endpoint, Image, Neighbour, Shell, placeholder, sidebar_placeholder};
use super::{bytes, render};
use crate::inline::{Inline, plain};
use crate::route::shows_list;
use crate::settings::is_link;
use crate::text::{self, Day};
use crate::url::{Fragment, markdown_url, tag_slug};
use crate::words::fill;
use crate::{File, Made, MissingSource, Page, SearchText, Site, Source, Summary};

/// Reading speed for prose, slow readers included.
const WORDS_PER_MINUTE: usize = 220;
/// A post with at least this many words and headings gets a table of contents.
const LONG_POST: (usize, usize) = (1000, 3);

#[derive(Template)]
#[template(path = "post.html")]
struct PostTemplate<'s> {
    shell: Shell<'s>,
    page: PageView<'s>,
}

#[derive(Template)]
#[template(path = "docs_page.html")]
struct DocsTemplate<'s> {
    shell: Shell<'s>,
    page: PageView<'s>,
}

struct PageView<'s> {
    class: &'static str,
    is_post: bool,
    title: Inline<'s>,
    lead: Inline<'s>,
    html: &'s str,
    /// Before and after the text of a post: see [`mod@crate::join`].
    boundary: &'static str,
    /// The text begins with an initial.
    has_initial: bool,
    authors: Vec<&'s str>,
    published_at: Timestamp,
    updated_at: Timestamp,
    published_day: Day,
    /// HTML.
    updated: String,
    /// Where readers can change the page.
    edit: Option<String>,
    minutes: String,
    endpoint: Option<Endpoint<'s>>,
    cover: Option<Cover<'s>>,
    tags: Vec<TagLink<'s>>,
    toc: Vec<Part<'s>>,
    before: Option<Neighbour<'s>>,
    after: Option<Neighbour<'s>>,
    /// Placeholders or HTML.
    crumbs: String,
    sidebar: String,
    list: String,
}

pub(super) struct Cover<'s> {
    pub url: &'s str,
    pub alt: &'s str,
    pub size: Option<Dimensions>,
    pub srcset: Option<String>,
}

impl<'s> Cover<'s> {
    pub fn of(page: &'s Page) -> Option<Cover<'s>> {
        let url = page.params.cover.as_deref()?;
        let alt = page.params.cover_alt.as_deref().unwrap_or_default();
        let upload = MediaUrl::parse(url);
        let size = upload.as_ref().and_then(|upload| upload.dimensions);
        Some(Cover { url, alt, size, srcset: upload.and_then(|upload| upload.srcset()) })
    }
}

struct TagLink<'s> {
    url: String,
    name: &'s str,
}

/// A heading of the table of contents, and those below it.
struct Part<'s> {
    heading: &'s Heading,
    below: Vec<&'s Heading>,
}

impl Site {
    pub(super) fn markdown(&self, id: PageId, source: Option<&Source<'_>>) -> Result<Made, MissingSource> {
        let content = &source.ok_or(MissingSource(id))?.content;
        if !self.frame.settings.pointer {
            return Ok(bytes(content.as_bytes().to_vec()));
        }
        // Front matter is recognised at the beginning only, so the line comes after it.
        let (front_matter, text) = markdown::split_front_matter(content);
        let end = if front_matter.is_empty() || front_matter.ends_with('\n') { "" } else { "\n" };
        let pointer = format!("> All pages of this site as Markdown: {}/llms.txt\n\n", self.frame.origin);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Ok(bytes([front_matter, end, &pointer, text].concat().into_bytes()))
    }

    pub(super) fn document(&self, id: PageId, source: Option<&Source<'_>>) -> Result<Made, MissingSource> {
        let page = self.index.page(id).expect("a route names an existing page");
        let path = self.index.path_of(page);
        let style = self.frame.settings.style(page.params.lang.as_deref());
        let (rendered, warning) = rendered(source.ok_or(MissingSource(id))?, &page.title, &path, style);
        let mut summary = rendered.summary.clone();
        text::tidy(&mut summary);
        let feed_bytes = feed_bytes(&rendered.html);

        let shell = self.page_shell(page, &path, &rendered, &summary);
        let view = self.page_view(page, &path, &rendered);
        let html = match page.key.content_type {
            ContentType::Docs => render(&DocsTemplate { shell, page: view }),
            _ => render(&PostTemplate { shell, page: view }),
        };
        let search = self.index.is_found(page).then(|| SearchText::new(page, path, rendered));
        let summary = Some(Summary { text: summary, feed_bytes });
        Ok(Made { file: File::Bytes(html.into_bytes()), summary, search, warning })
    }

    fn page_shell<'s>(
        &'s self,
        page: &'s Page,
        path: &str,
        rendered: &Rendered,
        summary: &'s str,
    ) -> Shell<'s> {
        let mut shell = self.shell(path, &page.title).in_language(page.params.lang.as_deref());
        shell.description = page.description.as_deref().map_or(Cow::Borrowed(summary), plain);
        if shell.description.is_empty() {
            shell = shell.like_site();
        }
        shell.noindex |= page.params.noindex;
        shell.markdown = Some(markdown_url(path));
        shell.section = section_of(page);
        shell.image = match preview_image(page, rendered) {
            Some(url) => Image::at(&self.frame, url),
            None => Image::card(&self.frame, path, &shell.title, &shell.section),
        };
        if page.key.content_type == ContentType::Blog || page.key.content_type == ContentType::Docs {
            shell.kind = "article";
        }
        shell.json_ld = Some(text::script_json(&self.json_ld(page, path, &shell)));
        if let Some(canonical) = &page.params.canonical {
            shell.canonical = Some(canonical.clone());
        }
        shell
    }

    fn json_ld(&self, page: &Page, path: &str, shell: &Shell<'_>) -> Value {
        let frame = &self.frame;
        let kind = match page.key.content_type {
            ContentType::Blog => "BlogPosting",
            ContentType::Docs => "TechArticle",
            ContentType::Homepage => "WebSite",
            ContentType::Standalone => "WebPage",
        };
        let mut json = json!({
            "@context": "https://schema.org",
            "@type": kind,
            "name": if path == "/" { &frame.title } else { &*shell.title },
            "url": format!("{}{path}", frame.origin),
            "inLanguage": shell.lang,
        });
        let mut put = |name: &str, value: Value| json[name] = value;
        if !shell.description.is_empty() {
            put("description", (*shell.description).into());
        }
        put("image", shell.image.url.as_str().into());
        if shell.kind == "article" {
            put("headline", (*shell.title).into());
            put("datePublished", page.published_at.to_string().into());
            put("dateModified", page.updated_at.to_string().into());
            put("publisher", json!({"@type": "Organization", "name": frame.title}));
            let authors = self.authors(page).map(|name| json!({"@type": "Person", "name": name}));
            let authors: Vec<_> = authors.collect();
            if !authors.is_empty() {
                put("author", authors.into());
            }
            if !page.tags.is_empty() {
                put("keywords", page.tags.join(", ").into());
            }
        }
        json
    }

    /// The page's authors, else the site's.
    pub(super) fn authors<'s>(&'s self, page: &'s Page) -> impl Iterator<Item = &'s str> {
        let own = page.params.authors.iter();
        let site = self.frame.settings.author.iter().filter(|_| page.params.authors.is_empty());
        own.chain(site).map(String::as_str)
    }

    fn page_view<'s>(&'s self, page: &'s Page, path: &str, rendered: &'s Rendered) -> PageView<'s> {
        let (of, words) = (page.key.content_type, self.frame.words);
        let (before, after) = self.index.neighbours(page);
        let tags = page.tags.iter().filter(|_| of != ContentType::Homepage);
        PageView {
            class: match of {
                ContentType::Blog => "post",
                ContentType::Homepage => "front",
                _ => "plain",
            },
            is_post: of == ContentType::Blog,
            title: page.title.as_str().into(),
            lead: page.description.as_deref().unwrap_or_default().into(),
            boundary: if of == ContentType::Blog { "\0\0" } else { "" },
            html: &rendered.html,
            has_initial: has_initial(&rendered.html),
            authors: if of == ContentType::Blog {
                self.authors(page).collect()
            } else {
                page.params.authors.iter().map(String::as_str).collect()
            },
            published_at: page.published_at,
            updated_at: page.updated_at,
            published_day: Day::of(page.published_at),
            updated: self.updated_html(Day::of(page.updated_at)),
            edit: self
                .frame
                .settings
                .edit
                .as_ref()
                .map(|edit| edit.replace("{path}", path.trim_start_matches('/'))),
            minutes: fill(words.minutes, &words.number(rendered.words.div_ceil(WORDS_PER_MINUTE).max(1))),
            endpoint: page.api_endpoint.as_ref().map(Endpoint::of),
            cover: Cover::of(page),
            tags: tags.map(|name| TagLink { url: format!("/tags/{}", tag_slug(name)), name }).collect(),
            toc: if has_contents(page, rendered) { contents(&rendered.headings) } else { vec![] },
            before: before.map(Neighbour::of),
            after: after.map(Neighbour::of),
            crumbs: self.crumbs_of(page),
            sidebar: self.sidebar_of(page, path),
            list: self.list_of(page),
        }
    }

    /// `Updated 2 October 2026`
    fn updated_html(&self, day: Day) -> String {
        let words = self.frame.words;
        let time = format!("<time datetime=\"{}\">{}</time>", day.iso(), words.long(&day));
        fill(words.updated, &time)
    }

    /// The title of a section page may change, so the breadcrumbs are a fragment.
    fn crumbs_of(&self, page: &Page) -> String {
        let (of, section) = (page.key.content_type, &page.key.section);
        match section.is_none() || of == ContentType::Homepage {
            true => self.crumbs(&self.breadcrumbs(of, &Section::none())),
            false => placeholder(&[&Fragment::Crumbs(of, section.clone()).to_string()]),
        }
    }

    fn sidebar_of(&self, page: &Page, path: &str) -> String {
        match self.section_at_path(page) {
            Some(section) => sidebar_placeholder(&section, path, None),
            None => sidebar_placeholder(&page.key.section, path, Some(page)),
        }
    }

    /// The list of the section whose section page this is.
    fn list_of(&self, page: &Page) -> String {
        if page.key.content_type == ContentType::Homepage {
            let is_recording = page.params.list == Some(true);
            return if is_recording {
                placeholder(&[&Fragment::HomeList.to_string()])
            } else {
                String::new()
            };
        }
        match self.section_at_path(page).filter(|_| shows_list(page)) {
            Some(section) => placeholder(&[&Fragment::List(page.key.content_type, section).to_string()]),
            None => String::new(),
        }
    }

    /// The section whose path the page has.
    fn section_at_path(&self, page: &Page) -> Option<Section> {
        let section = Section::parse(page.key.slug.as_str()).ok()?;
        let section_page =
            page.key.section.is_none() && self.index.has_section(page.key.content_type, &section);
        section_page.then_some(section)
    }
}

/// The cover, or the first image of the text if that is a large upload: badges and icons say little about a page.
fn preview_image<'p>(page: &'p Page, rendered: &'p Rendered) -> Option<&'p str> {
    const LARGE_WIDTH: u16 = 600;
    let is_large = |url: &&str| {
        MediaUrl::parse(url)
            .and_then(|upload| upload.dimensions)
            .is_some_and(|size| size.width >= LARGE_WIDTH)
    };
    let cover = page.params.cover.as_deref().filter(|url| is_link(url));
    cover.or_else(|| rendered.first_image.as_deref().filter(is_large))
}

/// The section as the page itself spells it. The title of a section page would be nicer, but may change without this
/// page.
fn section_of(page: &Page) -> String {
    match &page.section_spelling {
        Some(spelling) => spelling.trim_matches('-').replace('-', " "),
        None => text::humanise(page.key.section.as_str()),
    }
}

/// The text as HTML; and if it is shown as its source, the reason.
fn rendered(source: &Source<'_>, title: &str, path: &str, style: Style) -> (Rendered, Option<String>) {
    let reason = match source.as_text {
        Some(reason) => reason.to_owned(),
        None => match markdown::render_page(source.content, title, path, style) {
            Ok(rendered) => return (rendered, None),
            Err(markdown::TooComplex(reason)) => reason,
        },
    };
    (markdown::show_source(source.content), Some(format!("the page is shown as its source text: {reason}")))
}

/// The size of HTML as text of XML.
fn feed_bytes(html: &str) -> usize {
    /// The additional bytes of so many fit into one, so that the compiler adds many at a time.
    const CHUNK: usize = 63;
    let additional = |byte: &u8| match byte {
        b'<' | b'>' => "lt;".len() as u8,
        b'&' => "amp;".len() as u8,
        _ => 0,
    };
    let chunks = html.as_bytes().chunks(CHUNK).map(|chunk| chunk.iter().map(additional).sum::<u8>());
    html.len() + chunks.map(usize::from).sum::<usize>()
}

/// An initial takes three lines, so a text begins with one if its first paragraph is longer than that.
fn has_initial(html: &str) -> bool {
    const THREE_LINES: usize = 240;
    html.strip_prefix("<p>").and_then(|text| text.find("</p>")).is_some_and(|end| end > THREE_LINES)
}

fn has_contents(page: &Page, rendered: &Rendered) -> bool {
    let headings = rendered.headings.iter().filter(|heading| (2..=3).contains(&heading.level)).count();
    let by_itself = match page.key.content_type {
        ContentType::Docs => headings > 1,
        ContentType::Blog => rendered.words >= LONG_POST.0 && headings >= LONG_POST.1,
        _ => false,
    };
    page.params.toc.unwrap_or(by_itself)
}

/// Headings of two levels, the second below the first.
fn contents(headings: &[Heading]) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = vec![];
    for heading in headings.iter().filter(|heading| (2..=3).contains(&heading.level)) {
        match parts.last_mut() {
            Some(part) if heading.level == 3 => part.below.push(heading),
            _ => parts.push(Part { heading, below: vec![] }),
        }
    }
    parts
}
