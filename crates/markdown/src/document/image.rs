//! Renders `![…](…)`: an image, or a player for video and audio.

use model::{Dimensions, MediaUrl};
use pulldown_cmark::Event;

use super::page::Page;
use super::plain::{end_of, text_of};

/// How wide the theme shows an image at most, for `sizes`: the width of the window, and on large ones that of a figure.
pub const IMAGE_SIZES: &str = "(min-width: 64rem) 58rem, 100vw";

impl Page {
    pub(super) fn put_image(&mut self, url: &str, title: &str, events: &[Event], at: usize) -> usize {
        let end = end_of(events, at);
        let alt = text_of(&events[at..end]);
        let caption = Some(title).filter(|title| !title.is_empty());
        let in_figure = self.is_in_figure();
        match extension(url).as_str() {
            "mp4" | "webm" | "mov" => self.put_player("video", url, &alt),
            "mp3" => self.put_player("audio", url, &alt),
            _ => self.put_img(url, &alt, caption.filter(|_| !in_figure)),
        }
        if let Some(caption) = caption.filter(|_| in_figure) {
            self.html.push("<figcaption>");
            self.html.text(caption);
            self.html.push("</figcaption>");
        }
        end + 1
    }

    /// The first image loads eagerly, as it is likely in view; the others load lazily.
    fn put_img(&mut self, url: &str, alt: &str, title: Option<&str>) {
        self.html.push("<img");
        self.html.url_attribute("src", url);
        self.html.attribute("alt", alt);
        if let Some(title) = title {
            self.html.attribute("title", title);
        }
        // Reserves the space of an uploaded image before it has loaded.
        let upload = uploaded(url);
        if let Some(Dimensions { width, height }) = upload.as_ref().and_then(|upload| upload.dimensions) {
            self.html.push(&format!(" width=\"{width}\" height=\"{height}\""));
        }
        if let Some(srcset) = upload.filter(|_| path_end(url) == url.len()).and_then(|upload| upload.srcset())
        {
            self.html.push(&format!(" srcset=\"{srcset}\" sizes=\"{IMAGE_SIZES}\""));
        }
        if self.first_image.is_some() {
            self.html.push(" loading=\"lazy\"");
        } else {
            self.first_image = Some(url.to_owned());
        }
        self.html.push(" decoding=\"async\">");
    }

    /// `<video>` or `<audio>`, with a link as fallback.
    fn put_player(&mut self, tag: &str, url: &str, alt: &str) {
        self.html.push(&format!("<{tag} controls preload=\"metadata\""));
        let mp4 = mp4_url(url);
        if mp4.is_none() {
            self.html.url_attribute("src", url);
        }
        if !alt.is_empty() {
            self.html.attribute("aria-label", alt);
        }
        self.html.push(">");
        if let Some(mp4) = mp4 {
            // While the MP4 is being made, its URL is not found, and browsers continue with the next source.
            self.put_source(&mp4, " type=\"video/mp4\"");
            // Without a type: browsers that can play the file claim not to support QuickTime.
            self.put_source(url, "");
        }
        if !self.in_link {
            self.html.push("<a");
            self.html.url_attribute("href", url);
            self.html.push(">");
            self.html.text(if alt.is_empty() { tag } else { alt });
            self.html.push("</a>");
        }
        self.html.push(&format!("</{tag}>"));
    }

    fn put_source(&mut self, url: &str, kind: &str) {
        self.html.push("<source");
        self.html.url_attribute("src", url);
        self.html.push(&format!("{kind}>"));
    }
}

/// The extension of the file in a URL, in lower case.
fn extension(url: &str) -> String {
    let path = &url[..path_end(url)];
    path.rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_ascii_lowercase())
}

/// The URL of the MP4 that is made from an uploaded `.mov`.
fn mp4_url(url: &str) -> Option<String> {
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
