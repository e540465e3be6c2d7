//! What is asked: known pages by their titles, common words, beginnings, typos; and substrings of Chinese texts.

use anyhow::Result;

use super::{Engine, Text};
use crate::corpus::{Dice, Page};
use crate::timing::percentile;

/// Pages that are sought by their titles.
const KNOWN: usize = 200;
const ROUNDS: usize = 3;

pub struct Answer {
    pub ms: f64,
    pub total: usize,
    /// Of the first results.
    pub urls: Vec<String>,
}

pub struct Queries {
    /// A text, and the URL of the page that is sought.
    queries: Vec<(String, Option<String>)>,
}

/// In milliseconds.
pub struct Figures {
    pub p50: f64,
    pub p99: f64,
    pub mean_rank: f64,
}

pub fn of(texts: &[Text]) -> Queries {
    let known = (0..KNOWN.min(texts.len())).map(|step| &texts[step * 7919 % texts.len()].page);
    let mut queries: Vec<(String, Option<String>)> =
        known.map(|page| (page.title.clone(), Some(page.url()))).collect();
    let common = ["the", "page", "the of and a to", "which page", "site", "t", "co", "pas", "the gan"];
    queries.extend(common.map(|query| (query.to_owned(), None)));
    // A letter of a title's first word is missing.
    let typos = (0..20).map(|step| {
        let word = texts[step * 37 % texts.len()].page.title.split(' ').next().unwrap_or_default().to_owned();
        (word[..word.len() / 2].to_owned() + &word[word.len() / 2 + 1..], None)
    });
    queries.extend(typos);
    Queries { queries }
}

impl Queries {
    pub fn texts(&self) -> Vec<&str> {
        self.queries.iter().map(|(text, _)| text.as_str()).collect()
    }

    /// All queries some times; the first round warms up.
    pub fn ask(&self, engine: &mut impl Engine) -> Result<Figures> {
        let mut answers = Vec::new();
        for _ in 0..ROUNDS {
            answers =
                self.texts().into_iter().map(|query| engine.answer(query)).collect::<Result<Vec<_>>>()?;
        }
        Ok(self.figures(answers))
    }

    pub fn figures(&self, answers: Vec<Answer>) -> Figures {
        let times: Vec<f64> = answers.iter().map(|answer| answer.ms).collect();
        let ranks: Vec<f64> = self
            .queries
            .iter()
            .zip(&answers)
            .filter_map(|((_, url), answer)| Some(rank(url.as_ref()?, answer)))
            .collect();
        Figures {
            p50: percentile(&times, 50.0),
            p99: percentile(&times, 99.0),
            mean_rank: ranks.iter().sum::<f64>() / ranks.len() as f64,
        }
    }
}

/// 1 / rank, or 0.
fn rank(url: &str, answer: &Answer) -> f64 {
    answer.urls.iter().position(|other| other == url).map_or(0.0, |place| 1.0 / (place + 1) as f64)
}

/// Pages of 400 characters.
pub fn chinese_pages() -> Vec<Page> {
    let mut dice = Dice::new(3);
    let mut text = |length: usize| -> String {
        let mut char = || char::from_u32(0x4e00 + dice.low(600) as u32).unwrap_or('一');
        (0..length).map(|place| if place % 40 == 39 { '。' } else { char() }).collect()
    };
    let page = |number: usize| Page {
        slug: format!("page-{number}"),
        title: text(6),
        content: text(400),
        content_type: "docs",
        section: "chinese".into(),
        description: String::new(),
        tags: Vec::new(),
        published_at: "2024-01-01T00:00:00Z".into(),
    };
    (0..300).map(page).collect()
}

/// The share of pages that contain a substring and are found, over many substrings of two to four characters.
pub fn recall(texts: &[Text], engine: &mut impl Engine) -> Result<f64> {
    let (mut dice, mut found, mut expected) = (Dice::new(4), 0, 0);
    for _ in 0..200 {
        let text = dice.pick(texts).rendered.text.trim();
        let (from, length) = (dice.roll(390), dice.between(2, 4));
        let part: String = text.chars().skip(from).take(length).collect();
        if part.chars().count() == length && !part.contains('。') {
            expected += texts.iter().filter(|text| text.rendered.text.contains(&part)).count();
            found += engine.answer(&part)?.total;
        }
    }
    Ok(found as f64 / expected as f64)
}
