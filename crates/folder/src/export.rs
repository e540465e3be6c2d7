//! The reverse of reading: the file of a page of a site.

use std::collections::{BTreeSet, HashSet};

use front_matter::Fields;
use model::{ContentType, PageKey};
use serde_json::{Map, Value};

use crate::from_path::{FromPath, from_path};
use crate::page::COVERS;

/// A page as a site has it.
#[derive(Debug)]
pub struct StoredPage {
    pub key: PageKey,
    pub title: String,
    pub description: String,
    pub draft: bool,
    pub tags: Vec<String>,
    /// ISO 8601.
    pub published_at: String,
    pub api_endpoint: String,
    pub params: Map<String, Value>,
    pub content: String,
}

/// Names the files of pages.
#[derive(Default)]
pub struct Exporter {
    taken: HashSet<String>,
}

impl StoredPage {
    /// The addresses of uploaded files that can become files of a folder. Markdown cannot: it would be a page.
    pub fn media(&self) -> BTreeSet<String> {
        let references = markdown::local_references(&self.content).unwrap_or_default();
        let written = references.iter().map(|reference| &self.content[reference.range.clone()]);
        let covers = COVERS.iter().filter_map(|key| self.params.get(*key)?.as_str());
        written.chain(covers).filter(|link| is_media(link)).map(str::to_owned).collect()
    }
}

fn is_media(link: &str) -> bool {
    link.starts_with("/media/") && !link.contains(['?', '#', '%', '\\']) && !link.ends_with(".md")
}

impl Exporter {
    /// The path in the folder, and the text of the file. Links to the addresses in `media` become links to files at the
    /// same paths in the folder.
    pub fn file(&mut self, page: StoredPage, media: &BTreeSet<String>) -> (String, String) {
        let path = self.free_path(&page.key);
        let up = "../".repeat(path.matches('/').count());
        let local = |link: &str| media.contains(link).then(|| format!("{up}{}", &link[1..]));
        let body = relink(&page.content, local);
        let text = front_matter::write(&fields(page, &path, local), &body);
        (path, text)
    }

    /// Where a page of this key belongs; another name if a page of another type is there.
    fn free_path(&mut self, key: &PageKey) -> String {
        let folder = match key.content_type {
            ContentType::Homepage if key.slug.as_str() == "index" && key.section.is_none() => "",
            ContentType::Standalone => "",
            other => other.as_str(),
        };
        let parts = [folder, key.section.as_str(), key.slug.as_str()];
        let stem = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        let mut path = format!("{stem}.md");
        let mut number = 2;
        while !self.taken.insert(path.clone()) {
            path = format!("{stem}-{number}.md");
            number += 1;
        }
        path
    }
}

/// What the path does not say is in the front matter.
fn fields(page: StoredPage, path: &str, local: impl Fn(&str) -> Option<String>) -> Fields {
    let derived = from_path(path, None).ok();
    let key = &page.key;
    let differs = |is_same: fn(&FromPath, &PageKey) -> bool| {
        !derived.as_ref().is_some_and(|derived| is_same(derived, key))
    };
    let slug = differs(|derived, key| derived.slug.as_ref() == Some(&key.slug));
    let content_type = differs(|derived, key| derived.content_type == key.content_type);
    let section = differs(|derived, key| derived.section == key.section);
    let mut params = page.params;
    for key in COVERS {
        if let Some(cover) = params.get_mut(key)
            && let Some(file) = cover.as_str().and_then(&local)
        {
            *cover = file.into();
        }
    }
    Fields {
        title: Some(page.title),
        slug: slug.then(|| key.slug.as_str().to_owned()),
        content_type: content_type.then(|| key.content_type.as_str().to_owned()),
        section: section.then(|| key.section.as_str().to_owned()),
        description: Some(page.description).filter(|text| !text.is_empty()),
        tags: Some(page.tags),
        draft: Some(page.draft),
        published_at: Some(page.published_at),
        api_endpoint: Some(page.api_endpoint).filter(|endpoint| !endpoint.is_empty()),
        password: None,
        params,
    }
}

fn relink(content: &str, local: impl Fn(&str) -> Option<String>) -> String {
    let (mut text, mut copied) = (String::with_capacity(content.len()), 0);
    for reference in markdown::local_references(content).unwrap_or_default() {
        if let Some(file) = local(&content[reference.range.clone()]) {
            text.push_str(&content[copied..reference.range.start]);
            text.push_str(&file);
            copied = reference.range.end;
        }
    }
    text + &content[copied..]
}

#[cfg(test)]
mod tests {
    use model::{Section, Slug};
    use serde_json::json;

    use super::*;

    fn page(content_type: ContentType, section: &str, slug: &str, content: &str) -> StoredPage {
        let (section, slug) = (Section::parse(section).unwrap(), Slug::parse(slug).unwrap());
        StoredPage {
            key: PageKey { content_type, section, slug },
            title: "A".into(),
            description: String::new(),
            draft: false,
            tags: vec![],
            published_at: "2026-01-02T00:00:00.000Z".into(),
            api_endpoint: String::new(),
            params: Map::new(),
            content: content.into(),
        }
    }

    #[test]
    fn a_page_is_where_its_url_says_and_front_matter_says_the_rest() {
        let mut exporter = Exporter::default();
        let mut check = |content_type, section: &str, slug: &str, path: &str, more: &str| {
            let (file, text) = exporter.file(page(content_type, section, slug, "# A\n"), &BTreeSet::new());
            assert_eq!(file, path);
            let expected = format!("---\ntitle: A\n{more}date: 2026-01-02T00:00:00.000Z\n---\n\n# A\n");
            assert_eq!(text, expected, "{path}");
        };
        check(ContentType::Docs, "guides", "install", "docs/guides/install.md", "");
        check(ContentType::Blog, "", "hello", "blog/hello.md", "");
        check(ContentType::Standalone, "", "about", "about.md", "");
        check(ContentType::Homepage, "", "index", "index.md", "");
        check(ContentType::Standalone, "", "index", "index-2.md", "slug: index\n");
        check(ContentType::Homepage, "", "other", "homepage/other.md", "type: homepage\nsection: \"\"\n");
        check(ContentType::Docs, "guides", "index", "docs/guides/index.md", "slug: index\nsection: guides\n");
        check(ContentType::Blog, "", "2026-01-02-a", "blog/2026-01-02-a.md", "slug: \"2026-01-02-a\"\n");
    }

    #[test]
    fn uploaded_files_are_files_of_the_folder() {
        let content = "![a](/media/0/a.webp) [b](/media/0/b.pdf#page=2) [c](/docs/c) `/media/0/a.webp`\n";
        let mut page = page(ContentType::Docs, "guides", "a", content);
        page.params.insert("cover".into(), json!("/media/1/c.webp"));
        let media = page.media();
        assert_eq!(media.iter().collect::<Vec<_>>(), ["/media/0/a.webp", "/media/1/c.webp"]);
        let (_, text) = Exporter::default().file(page, &media);
        assert!(text.contains("cover: \"../../media/1/c.webp\""), "{text}");
        let body = content.replacen("/media/0/a.webp", "../../media/0/a.webp", 1);
        assert!(text.ends_with(&format!("\n\n{body}")), "{text}");
    }
}
