//! Realistic pages, the same on every run: about 5 KB of Markdown with headings, lists and code.

use serde::Serialize;

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
    pub published_at: &'static str,
}

const WORDS: &[&str] = &[
    "page", "publish", "release", "the", "a", "reader", "quiet", "column", "margin", "ink", "paper", "build",
    "with", "token", "section", "and", "of", "in", "server", "index", "stable", "order", "snapshot",
    "commit", "durable", "to", "press", "letter", "when", "written", "margin", "small", "large", "is", "are",
    "never", "always", "before", "after",
];

/// A small linear generator: good enough for words, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.roll(WORDS.len())]).collect();
        words.join(" ")
    }
}

pub fn pages(count: usize) -> Vec<Page> {
    (0..count).map(page).collect()
}

fn page(number: usize) -> Page {
    let mut dice = Dice(number as u64 + 1);
    let docs = number.is_multiple_of(3);
    Page {
        slug: format!("page-{number}"),
        title: format!("Page {number}: {}", dice.words(4)),
        content: content(&mut dice),
        content_type: if docs { "docs" } else { "blog" },
        section: if docs { format!("section-{}", number % 20) } else { String::new() },
        description: dice.words(15),
        tags: (0..number % 4).map(|tag| format!("tag {}", (number + tag) % 50)).collect(),
        published_at: "2026-01-02T03:04:05Z",
    }
}

fn content(dice: &mut Dice) -> String {
    let mut text = String::new();
    while text.len() < 5000 {
        text.push_str(&format!("## {}\n\n", dice.words(5)));
        text.push_str(&format!("{}. **{}**, [{}](/docs).\n\n", dice.words(60), dice.words(3), dice.words(2)));
        for _ in 0..3 {
            text.push_str(&format!("- {}\n", dice.words(9)));
        }
        text.push_str(&format!(
            "\n```rust\nfn {}() {{\n    // {}\n}}\n```\n\n",
            WORDS[dice.roll(4)],
            dice.words(8)
        ));
    }
    text
}

/// The body of one `POST /pages`.
pub fn payload(pages: &[Page]) -> Vec<u8> {
    serde_json::to_vec(&serde_json::json!({ "pages": pages })).expect("pages are JSON")
}

/// The same pages with other content.
pub fn edited(pages: &[Page], round: usize) -> Vec<Page> {
    let mut pages = pages.to_vec();
    for page in &mut pages {
        page.content.push_str(&format!("\nEdited, round {round}.\n"));
    }
    pages
}
