//! What the server draws for a site: preview cards of pages, and icons. It reads what to draw from the release.

use model::sha256;
use serde::{Deserialize, Serialize};

use crate::frame::Frame;
use crate::text;
use crate::url::hex;

/// All paths of cards begin with this.
const CARDS: &str = "/assets/cards/";
/// To be raised when cards are drawn in another way: browsers and other sites keep them for a year.
const DESIGN: u8 = 1;

/// The file `/.site` of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brand {
    pub title: String,
    /// On a light background: red, green, blue.
    pub accent: [u8; 3],
    /// The owner's icon, as set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// A BCP 47 tag. Releases of earlier versions have none.
    #[serde(default)]
    pub language: Option<String>,
}

impl Brand {
    pub const PATH: &str = "/.site";

    pub fn parse(json: &[u8]) -> Option<Brand> {
        serde_json::from_slice(json).ok()
    }

    pub(crate) fn of(frame: &Frame) -> Brand {
        let (title, accent) = (frame.title.clone(), frame.accent.light.channels());
        let language = Some(frame.settings.language().to_owned());
        Brand { title, accent, icon: frame.settings.icon.clone(), language }
    }

    pub(crate) fn to_json(&self) -> String {
        text::script_json(&serde_json::json!(self))
    }
}

/// What the card of a page shows, and the path of its image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageCard {
    pub path: String,
    pub title: String,
    pub section: String,
}

impl PageCard {
    /// The card of the page at `path`. Its own path contains a hash of everything it shows.
    pub(crate) fn new(frame: &Frame, path: &str, title: &str, section: &str) -> PageCard {
        let Brand { title: site, accent, .. } = Brand::of(frame);
        let shown = serde_json::json!([DESIGN, title, section, site, accent]).to_string();
        let hash = hex(&sha256(shown)[..6]);
        let path = format!("{CARDS}{hash}{}.png", if path == "/" { "" } else { path });
        PageCard { path, title: title.to_owned(), section: section.to_owned() }
    }

    /// The card of the page at `path`: its title and section are in the same head. `None`: it has another image, or the
    /// card of another page.
    pub fn read(path: &str, html: &str) -> Option<PageCard> {
        let image = meta(html, "og:image")?;
        let card = &image[image.find(CARDS)?..];
        if PageCard::page_of(card)? != path {
            return None;
        }
        let (title, section) = (meta(html, "og:title")?, meta(html, "article:section").unwrap_or_default());
        Some(PageCard { path: card.to_owned(), title, section })
    }

    /// The path of the page whose card is at a path.
    pub fn page_of(path: &str) -> Option<String> {
        let rest = path.strip_prefix(CARDS)?.strip_suffix(".png")?;
        let page = &rest[rest.find('/').unwrap_or(rest.len())..];
        Some(if page.is_empty() { "/".to_owned() } else { page.to_owned() })
    }
}

/// The first one: nothing before these lines of the head is written by anyone else, except as escaped text.
fn meta(html: &str, property: &str) -> Option<String> {
    let (_, rest) = html.split_once(&format!("<meta property=\"{property}\" content=\""))?;
    Some(unescaped(rest.split_once('"')?.0))
}

/// Undoes what templates do to texts.
fn unescaped(text: &str) -> String {
    let pairs = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    pairs.into_iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    #[test]
    fn a_card_is_at_a_path_of_its_page_and_of_what_it_shows() {
        let frame = |accent: &str| {
            let mut settings = Settings::default();
            settings.set("accent", accent).unwrap();
            Frame::new("https://example.com", settings, "acme")
        };
        let card =
            |accent: &str, path: &str, title: &str| PageCard::new(&frame(accent), path, title, "").path;
        for (page, end) in [("/", ".png"), ("/index", "/index.png"), ("/blog/a/b", "/blog/a/b.png")] {
            let path = card("", page, "A");
            assert!(path.starts_with("/assets/cards/") && path.ends_with(end), "{path}");
            assert_eq!(PageCard::page_of(&path).as_deref(), Some(page));
        }
        let first = card("", "/a", "A");
        assert_eq!(first, card("", "/a", "A"));
        assert!(first != card("", "/a", "B") && first != card("#005f5f", "/a", "A"));
        for path in ["/assets/cards", "/assets/site.css", "/assets/cards/a.svg", "/a.png"] {
            assert_eq!(PageCard::page_of(path), None, "{path}");
        }
    }
}
