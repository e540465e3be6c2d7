//! What `![…](…)` shows: an image, or a player for video and sound.

use std::fmt::{self, Write};

use comrak::Node;
use comrak::html::ChildRendering;
use comrak::nodes::{NodeLink, NodeValue};
use model::{Dimensions, MediaUrl};

use super::node::{Html, Written};
use super::paragraph::{self, Kind};
use super::plain::text_of;

pub(super) fn write(html: &mut Html, node: Node<'_>, link: &NodeLink, entering: bool) -> Written {
    if !entering {
        return Ok(ChildRendering::HTML);
    }
    let alt = text_of(node);
    let caption = Some(link.title.as_str()).filter(|title| !title.is_empty());
    let in_figure = is_in_figure(node);
    match extension(&link.url).as_str() {
        "mp4" | "webm" | "mov" => write_player(html, "video", &link.url, &alt)?,
        "mp3" => write_player(html, "audio", &link.url, &alt)?,
        _ => write_image(html, &link.url, &alt, caption.filter(|_| !in_figure))?,
    }
    if let Some(caption) = caption.filter(|_| in_figure) {
        html.write_str("<figcaption>")?;
        html.escape(caption)?;
        html.write_str("</figcaption>")?;
    }
    Ok(ChildRendering::Skip)
}

/// The first image is fetched at once, as it is likely in view; the others when they come near.
fn write_image(html: &mut Html, url: &str, alt: &str, title: Option<&str>) -> fmt::Result {
    html.write_str("<img")?;
    write_attribute(html, "src", |html| html.escape_href(url))?;
    write_attribute(html, "alt", |html| html.escape(alt))?;
    if let Some(title) = title {
        write_attribute(html, "title", |html| html.escape(title))?;
    }
    write_size(html, url)?;
    if html.user.first_image.is_some() {
        html.write_str(" loading=\"lazy\"")?;
    } else {
        html.user.first_image = Some(url.to_owned());
    }
    html.write_str(" decoding=\"async\">")
}

/// `<video>` or `<audio>`, with a link for whoever cannot play it.
fn write_player(html: &mut Html, tag: &str, url: &str, alt: &str) -> fmt::Result {
    write!(html, "<{tag} controls preload=\"metadata\"")?;
    let twin = mp4_twin(url);
    if twin.is_none() {
        write_attribute(html, "src", |html| html.escape_href(url))?;
    }
    if !alt.is_empty() {
        write_attribute(html, "aria-label", |html| html.escape(alt))?;
    }
    html.write_str(">")?;
    if let Some(twin) = twin {
        // Until it is made, it is not found, and browsers go on to the next source.
        write_source(html, &twin, " type=\"video/mp4\"")?;
        // Without a type: browsers that could play it believe that they cannot play QuickTime.
        write_source(html, url, "")?;
    }
    if !html.user.in_link {
        write_link(html, url, if alt.is_empty() { tag } else { alt })?;
    }
    write!(html, "</{tag}>")
}

fn write_source(html: &mut Html, url: &str, kind: &str) -> fmt::Result {
    html.write_str("<source")?;
    write_attribute(html, "src", |html| html.escape_href(url))?;
    write!(html, "{kind}>")
}

fn write_link(html: &mut Html, url: &str, text: &str) -> fmt::Result {
    html.write_str("<a")?;
    write_attribute(html, "href", |html| html.escape_href(url))?;
    html.write_str(">")?;
    html.escape(text)?;
    html.write_str("</a>")
}

/// So that the page keeps the place of an uploaded image until that arrives.
fn write_size(html: &mut Html, url: &str) -> fmt::Result {
    match uploaded(url).and_then(|upload| upload.dimensions) {
        Some(Dimensions { width, height }) => write!(html, " width=\"{width}\" height=\"{height}\""),
        None => Ok(()),
    }
}

fn write_attribute<'h, 'o, 'c>(
    html: &'h mut Html<'o, 'c>,
    name: &str,
    write_value: impl FnOnce(&mut Html<'o, 'c>) -> fmt::Result,
) -> fmt::Result {
    write!(html, " {name}=\"")?;
    write_value(html)?;
    html.write_str("\"")
}

fn is_in_figure(image: Node<'_>) -> bool {
    image.parent().is_some_and(|parent| {
        matches!(parent.data().value, NodeValue::Paragraph) && paragraph::kind(parent) == Kind::Figure
    })
}

/// In lower case, of the file that a URL names.
fn extension(url: &str) -> String {
    let path = &url[..path_end(url)];
    path.rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_ascii_lowercase())
}

/// The URL of the MP4 that is made of an uploaded `.mov`.
fn mp4_twin(url: &str) -> Option<String> {
    let upload = uploaded(url)?;
    let name = format!("{}.mp4", upload.name.strip_suffix(".mov")?);
    Some(format!("{}{}", MediaUrl { name, ..upload }, &url[path_end(url)..]))
}

fn uploaded(url: &str) -> Option<MediaUrl> {
    MediaUrl::parse(&url[..path_end(url)])
}

fn path_end(url: &str) -> usize {
    url.find(['?', '#']).unwrap_or(url.len())
}
