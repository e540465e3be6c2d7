//! The newest posts as Atom, RSS and JSON Feed.

use std::borrow::Cow;

use askama::Template;
use model::{PageId, Timestamp};
use serde_json::{Value, json};

use super::render;
use crate::inline::plain;
use crate::text::rfc822;
use crate::url::url;
use crate::{Page, Site};

/// Number of posts in a feed.
const FEED_POSTS: usize = 20;
/// Maximum size of all texts in a feed, in bytes. A post whose text does not fit has its summary only.
const FEED_BYTES: usize = 1024 * 1024;

#[derive(Template)]
#[template(path = "atom.xml")]
struct Atom<'s> {
    origin: &'s str,
    lang: &'s str,
    title: &'s str,
    subtitle: Option<&'s str>,
    hub: Option<&'s str>,
    updated: Timestamp,
    entries: Vec<Item<'s>>,
}

#[derive(Template)]
#[template(path = "rss.xml")]
struct Rss<'s> {
    origin: &'s str,
    lang: &'s str,
    title: &'s str,
    subtitle: Option<&'s str>,
    hub: Option<&'s str>,
    updated_822: String,
    entries: Vec<Item<'s>>,
}

struct Item<'s> {
    id: PageId,
    url: String,
    title: Cow<'s, str>,
    summary: Cow<'s, str>,
    published: Timestamp,
    published_822: String,
    updated: Timestamp,
    authors: Vec<&'s str>,
    tags: &'s [String],
    /// A placeholder for the text, which the post's own file holds: see [`mod@crate::join`].
    text: Option<String>,
}

impl Site {
    pub(super) fn atom(&self) -> String {
        let mut entries = self.items('<');
        for entry in &mut entries {
            // RFC 4287, 4.1.2: every entry needs an author.
            if entry.authors.is_empty() {
                entry.authors.push(&self.frame.title);
            }
        }
        render(&Atom {
            origin: &self.frame.origin,
            lang: self.frame.settings.language(),
            title: &self.frame.title,
            subtitle: self.frame.settings.description.as_deref(),
            hub: self.frame.settings.hub.as_deref(),
            updated: self.updated(),
            entries,
        })
    }

    pub(super) fn rss(&self) -> String {
        render(&Rss {
            origin: &self.frame.origin,
            lang: self.frame.settings.language(),
            title: &self.frame.title,
            subtitle: self.frame.settings.description.as_deref(),
            hub: self.frame.settings.hub.as_deref(),
            updated_822: rfc822(self.updated()),
            entries: self.items('<'),
        })
    }

    pub(super) fn json_feed(&self) -> String {
        let (frame, items) = (&self.frame, self.items('"'));
        let mut feed = json!({
            "version": "https://jsonfeed.org/version/1.1",
            "title": frame.title,
            "home_page_url": format!("{}/blog", frame.origin),
            "feed_url": format!("{}/feed.json", frame.origin),
            "language": frame.settings.language(),
            "items": items.iter().map(json_item).collect::<Vec<_>>(),
        });
        if let Some(description) = &frame.settings.description {
            feed["description"] = description.as_str().into();
        }
        if let Some(hub) = &frame.settings.hub {
            feed["hubs"] = json!([{"type": "WebSub", "url": hub}]);
        }
        let mut feed = format!("{feed:#}\n");
        for item in &items {
            if let Some(text) = &item.text {
                feed = feed.replace(&json_text(item), text);
            }
        }
        feed
    }

    fn newest_posts(&self) -> impl Iterator<Item = &Page> {
        self.index.pages_with_ids(self.index.blog.ids().take(FEED_POSTS))
    }

    /// The last change of any post in the feed.
    fn updated(&self) -> Timestamp {
        self.newest_posts().map(|page| page.updated_at).max().unwrap_or(Timestamp::from_micros(0))
    }

    /// `format` is that of the texts: the first character of their placeholders.
    fn items(&self, format: char) -> Vec<Item<'_>> {
        let mut remaining = FEED_BYTES;
        let items = self.newest_posts().map(|page| {
            let mut item = self.item(page);
            if let Some(rest) = remaining.checked_sub(page.feed_bytes).filter(|_| page.feed_bytes > 0) {
                remaining = rest;
                item.text = Some(format!("\0{format}{} {}\0", url(&page.key), self.frame.origin));
            }
            item
        });
        items.collect()
    }

    fn item<'s>(&'s self, page: &'s Page) -> Item<'s> {
        Item {
            id: page.id,
            url: format!("{}{}", self.frame.origin, url(&page.key)),
            title: plain(&page.title),
            summary: plain(page.blurb()),
            published: page.published_at,
            published_822: rfc822(page.published_at),
            updated: page.updated_at,
            authors: self.authors(page).collect(),
            tags: &page.tags,
            text: None,
        }
    }
}

fn json_item(item: &Item<'_>) -> Value {
    let mut json = json!({
        "id": format!("urn:uuid:{}", item.id),
        "url": item.url,
        "title": item.title,
        "summary": item.summary,
        "date_published": item.published.to_string(),
        "date_modified": item.updated.to_string(),
    });
    match item.text {
        Some(_) => json["content_html"] = json_text(item).into(),
        None => json["content_text"] = item.summary.as_ref().into(),
    }
    if !item.authors.is_empty() {
        json["authors"] = item.authors.iter().map(|name| json!({"name": name})).collect();
    }
    if !item.tags.is_empty() {
        json["tags"] = item.tags.into();
    }
    json
}

/// Where the text of an item belongs. No other text of a feed contains U+FDD0.
fn json_text(item: &Item<'_>) -> String {
    format!("\u{fdd0}{}", item.id)
}
