//! Realistic pages, the same on every run: blog and docs, twenty sections each, about 5 KB of Markdown with tables,
//! lists, links and code.

mod code;
mod dice;
mod text;
mod words;

use serde::Serialize;

pub use self::dice::Dice;
use self::words::{SECTIONS, TAGS, WORDS};

const TYPES: [&str; 2] = ["blog", "docs"];

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    pub slug: String,
    pub title: String,
    pub content: String,
    pub content_type: &'static str,
    pub section: String,
    pub description: String,
    pub tags: Vec<String>,
    pub published_at: String,
}

impl Page {
    /// The page's path on the site.
    pub fn url(&self) -> String {
        format!("/{}/{}/{}", self.content_type, self.section, self.slug)
    }
}

pub fn pages(count: usize) -> Vec<Page> {
    (0..count).map(|number| page(number, count)).collect()
}

/// Page `number` of `count`; the count only decides which pages it may link to.
fn page(number: usize, count: usize) -> Page {
    let PageIdentity { content_type, section, slug, title } = identity(number);
    let mut dice = Dice::new(number as u64);
    let links: Vec<String> = (0..4).map(|_| link(dice.roll(count))).collect();
    let length = dice.between(4600, 6000);
    Page {
        content: text::content(&mut dice, &links, length),
        description: format!("{} {}", text::sentence(&mut dice), text::sentence(&mut dice)),
        tags: tags(&mut dice),
        published_at: date(&mut dice),
        content_type,
        section: section.to_owned(),
        slug,
        title,
    }
}

struct PageIdentity {
    content_type: &'static str,
    section: &'static str,
    slug: String,
    title: String,
}

fn identity(number: usize) -> PageIdentity {
    // A different seed than for the content: a link must not require generating its target.
    let mut dice = Dice::new(!(number as u64));
    let (of, section) = (number % TYPES.len(), number / TYPES.len() % words::SECTIONS_PER_TYPE);
    let words: Vec<&str> = (0..dice.between(3, 6)).map(|_| dice.pick(&WORDS).as_str()).collect();
    PageIdentity {
        content_type: TYPES[of],
        section: &SECTIONS[of * words::SECTIONS_PER_TYPE + section],
        slug: format!("{}-{number}", words.join("-")),
        title: text::capitalised(&words.join(" ")),
    }
}

fn link(number: usize) -> String {
    let PageIdentity { content_type, section, slug, .. } = identity(number);
    format!("/{content_type}/{section}/{slug}")
}

/// Some tags are on many pages, most on few.
fn tags(dice: &mut Dice) -> Vec<String> {
    let mut tags = Vec::new();
    for _ in 0..dice.between(2, 5) {
        let tag = &TAGS[dice.low(TAGS.len())];
        if !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    tags
}

/// Any minute of six years, all of them in the past.
fn date(dice: &mut Dice) -> String {
    let (year, month, day) = (dice.between(2019, 2024), dice.between(1, 12), dice.between(1, 28));
    format!("{year}-{month:02}-{day:02}T{:02}:{:02}:00Z", dice.roll(24), dice.roll(60))
}

/// A page of prose only.
pub fn prose(slug: &str, length: usize) -> Page {
    let mut dice = Dice::new(length as u64);
    let mut content = String::new();
    while content.len() < length {
        content.push_str(&text::paragraph(&mut dice, &["/blog".to_owned()]));
        content.push_str("\n\n");
    }
    Page {
        slug: slug.to_owned(),
        title: "A page of prose".into(),
        content,
        content_type: "blog",
        section: "prose".into(),
        description: text::sentence(&mut dice),
        tags: vec![],
        published_at: date(&mut dice),
    }
}

/// The body of one `POST /pages`.
pub fn payload(pages: &[Page]) -> Vec<u8> {
    serde_json::to_vec(&serde_json::json!({ "pages": pages })).expect("pages are JSON")
}

/// The same pages with different content.
pub fn edited(pages: &[Page], round: usize) -> Vec<Page> {
    let mut pages = pages.to_vec();
    for page in &mut pages {
        page.content.push_str(&format!("\nEdited, round {round}.\n"));
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_the_same_on_every_run_and_of_the_promised_kind() {
        let (first, second) = (pages(400), pages(400));
        assert_eq!(payload(&first), payload(&second));
        let mean = |of: fn(&Page) -> usize| first.iter().map(of).sum::<usize>() as f64 / first.len() as f64;
        let (length, code) =
            (mean(|page| page.content.len()), mean(|page| page.content.matches("```").count() / 2));
        assert!((5000.0..6000.0).contains(&length), "{length}");
        assert!((1.7..2.3).contains(&code), "{code}");
        assert!(
            first.iter().all(|page| page.slug.len() <= 100 && page.tags.iter().all(|tag| tag.len() <= 30))
        );
    }
}
