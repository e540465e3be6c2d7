//! Ghost: a JSON export with posts, pages and tags.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::address::page_path;
use crate::error::{Error, Fault};
use crate::fences::fenced;
use crate::finish::settle;
use crate::html;
use crate::listings;
use crate::site::{Page, Site};
use crate::{dates, uploads};

/// Larger than any export that was seen; all texts are in memory at once.
const MAX_BYTES: u64 = 512 << 20;
/// Stands for the site's address in exports.
const HOST: &str = "__GHOST_URL__";

pub(super) fn read(source: &Path) -> Result<Site, Error> {
    let data = export(source)?;
    let tags: HashMap<&str, &Tag> = data.tags.iter().map(|tag| (tag.id.as_str(), tag)).collect();
    let users: HashMap<&str, &str> =
        data.users.iter().map(|user| (user.id.as_str(), user.name.as_str())).collect();
    let mut links: HashMap<&str, Vec<&Link>> = HashMap::new();
    for link in data.posts_tags.iter().chain(&data.posts_authors) {
        links.entry(&link.post_id).or_default().push(link);
    }
    let file = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut site = Site::default();
    for post in &data.posts {
        let mut page = page(post, &file, &mut site);
        let tags_of = links.get(post.id.as_str()).into_iter().flatten();
        page.add_tags(tags_of.filter_map(|link| Some(tags.get(link.tag_id.as_str())?.name.clone())));
        let authors_of = links.get(post.id.as_str()).into_iter().flatten();
        let authors: Vec<&str> =
            authors_of.filter_map(|link| users.get(link.author_id.as_str()).copied()).collect();
        if !authors.is_empty() {
            page.params.insert("authors".to_owned(), json!(authors));
        }
        site.pages.push(page);
    }
    let shown: BTreeMap<String, String> = data
        .tags
        .iter()
        .filter(|tag| {
            !tag.name.starts_with('#') && site.pages.iter().any(|page| page.tags.contains(&tag.name))
        })
        .map(|tag| (tag.slug.clone(), tag.name.clone()))
        .collect();
    if !shown.is_empty() {
        listings::terms(&mut site, "tag", "Tags", "", &shown);
    }
    settle(&mut site);
    uploads::relink(&mut site, source, "content/", |url| url.strip_prefix('/'));
    Ok(site)
}

/// Ids are numbers in old exports, and texts in newer ones.
#[derive(Deserialize)]
struct Link {
    #[serde(deserialize_with = "id")]
    post_id: String,
    #[serde(default, deserialize_with = "id")]
    tag_id: String,
    #[serde(default, deserialize_with = "id")]
    author_id: String,
}

fn id<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(crate::meta::text_of(&Value::deserialize(deserializer)?).unwrap_or_default())
}

#[derive(Deserialize)]
struct Tag {
    #[serde(deserialize_with = "id")]
    id: String,
    name: String,
    #[serde(default)]
    slug: String,
}

#[derive(Deserialize)]
struct User {
    #[serde(deserialize_with = "id")]
    id: String,
    name: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Post {
    #[serde(deserialize_with = "id")]
    id: String,
    title: Option<String>,
    slug: Option<String>,
    html: Option<String>,
    mobiledoc: Option<String>,
    lexical: Option<String>,
    plaintext: Option<String>,
    feature_image: Option<String>,
    feature_image_alt: Option<String>,
    status: Option<String>,
    visibility: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    /// In exports before version 3.
    page: Option<Value>,
    published_at: Option<String>,
    created_at: Option<String>,
    custom_excerpt: Option<String>,
    meta_description: Option<String>,
    canonical_url: Option<String>,
    codeinjection_head: Option<String>,
    codeinjection_foot: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Data {
    posts: Vec<Post>,
    tags: Vec<Tag>,
    users: Vec<User>,
    posts_tags: Vec<Link>,
    posts_authors: Vec<Link>,
}

#[derive(Deserialize)]
struct Database {
    data: Data,
}

/// Newer exports have a list of databases, with one entry.
#[derive(Deserialize)]
struct Export {
    #[serde(default)]
    db: Vec<Database>,
    data: Option<Data>,
}

fn export(source: &Path) -> Result<Data, Error> {
    let file = File::open(source).map_err(Error::io("open", source))?;
    let metadata = file.metadata().map_err(Error::io("read", source))?;
    if !metadata.is_file() {
        return Err(Error::source(source, "is not a file; name the JSON export of Ghost"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(Error::source(source, format!("has more than {} MB", MAX_BYTES >> 20)));
    }
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let export: Export = serde_json::from_reader(BufReader::new(file)).map_err(|error| {
        let message = format!("this is no export of Ghost: {error}");
        Error::from(Fault { file: name, line: error.line().max(1), message })
    })?;
    let data = export.data.or_else(|| Some(export.db.into_iter().next()?.data));
    data.ok_or_else(|| Error::source(source, "has no data; is it an export of Ghost?"))
}

fn page(post: &Post, file: &str, site: &mut Site) -> Page {
    let title = post.title.clone().unwrap_or_default();
    let slug = post.slug.clone().unwrap_or_default();
    let place = format!("{file} ({slug})");
    let is_page = post.kind.as_deref() == Some("page")
        || post.page.as_ref().is_some_and(|page| page == true || page == 1);
    let name = if slug.is_empty() { &post.id } else { &slug };
    let status = post.status.as_deref().unwrap_or("draft");
    let is_public = post.visibility.as_deref().unwrap_or("public") == "public";
    if !is_public {
        site.note(&place, 0, "was for members only; it is a draft");
    }
    for (key, code) in [("head", &post.codeinjection_head), ("foot", &post.codeinjection_foot)] {
        if code.as_deref().is_some_and(|code| !code.trim().is_empty()) {
            site.note(&place, 0, format!("the code injection ({key}) is left out"));
        }
    }
    let date = post.published_at.as_deref().or(post.created_at.as_deref()).and_then(dates::parse);
    let mut page = Page {
        line: 1,
        path: if is_page { page_path(&format!("{name}.md")) } else { format!("blog/{name}.md") },
        title: Some(title).filter(|title| !title.is_empty()),
        date: date.map(|date| date.iso),
        draft: !matches!(status, "published" | "scheduled" | "sent") || !is_public,
        description: post.custom_excerpt.clone().or_else(|| post.meta_description.clone()),
        params: params(post),
        former: vec![format!("/{slug}/")],
        ..Page::default()
    };
    page.body = text(post, &mut |message| site.note(&place, 0, message));
    page.origin = place;
    page
}

fn params(post: &Post) -> Map<String, Value> {
    let mut params = Map::new();
    let pairs = [
        ("cover", &post.feature_image),
        ("coverAlt", &post.feature_image_alt),
        ("canonical", &post.canonical_url),
    ];
    for (key, value) in pairs {
        if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
            params.insert(key.to_owned(), value.replace(HOST, "").into());
        }
    }
    params
}

/// The HTML; without it, the cards of an old draft, or the source in a code block.
fn text(post: &Post, note: &mut dyn FnMut(String)) -> String {
    if let Some(html) = post.html.as_deref().filter(|html| !html.trim().is_empty()) {
        html::report_kept(html, &mut |_, message| note(message));
        return html::to_markdown(&html.replace(HOST, ""), &mut |_, message| note(message));
    }
    if let Some(markdown) = post.mobiledoc.as_deref().and_then(cards) {
        return markdown.replace(HOST, "");
    }
    let source = post.lexical.as_deref().or(post.mobiledoc.as_deref()).unwrap_or_default();
    match post.plaintext.as_deref().filter(|text| !text.trim().is_empty()) {
        Some(text) => {
            note("has no HTML; its plain text is imported without its form".to_owned());
            text.to_owned()
        }
        None if source.trim().is_empty() => String::new(),
        None => {
            note("has no HTML; its source is imported as a code block: open and save it in Ghost, then export again".to_owned());
            fenced("json", source)
        }
    }
}

/// A document that consists of Markdown and HTML cards only.
fn cards(mobiledoc: &str) -> Option<String> {
    let document: Value = serde_json::from_str(mobiledoc).ok()?;
    let cards = document.get("cards")?.as_array()?;
    let sections = document.get("sections")?.as_array()?;
    let mut texts = vec![];
    for section in sections {
        let at = section.get(1)?.as_u64().filter(|_| section.get(0).is_some_and(|kind| kind == 10))?;
        let card = cards.get(usize::try_from(at).ok()?)?;
        let payload = card.get(1)?;
        let text = payload.get("markdown").or_else(|| payload.get("html"))?.as_str()?;
        texts.push(text.to_owned());
    }
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_in_every_version() {
        let check = |post: Value, expected: &str, count: usize| {
            let post: Post = serde_json::from_value(post).unwrap();
            let mut notes = vec![];
            assert_eq!(text(&post, &mut |note| notes.push(note)), expected);
            assert_eq!(notes.len(), count, "{notes:?}");
        };
        check(json!({"html": "<p>a <b>b</b></p>", "plaintext": "a b"}), "a **b**", 0);
        check(
            json!({"html": "<p><img src=\"__GHOST_URL__/content/images/a.png\"></p>"}),
            "![](/content/images/a.png)",
            0,
        );
        let cards = r##"{"cards": [["markdown", {"markdown": "# A"}]], "sections": [[10, 0]]}"##;
        check(json!({"mobiledoc": cards}), "# A", 0);
        check(json!({"plaintext": "a b", "lexical": "{}"}), "a b", 1);
        check(json!({"lexical": "{\"root\": {}}"}), "```json\n{\"root\": {}}\n```", 1);
        check(json!({}), "", 0);
    }
}
