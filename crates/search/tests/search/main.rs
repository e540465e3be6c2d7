//! The rules of searching, through the public interface.

#![allow(clippy::unwrap_used)]

mod documents;
mod inflections;
mod properties;
mod rules;

use model::PageId;
use recto_search::{Files, Found, Indexer, Leaf, Page, Query, Section, Texts, merge, search, snippet};
use uuid::Uuid;

/// A page as the tests write it: its text may have headings, as in Markdown.
#[derive(Clone, Debug)]
struct Text {
    title: String,
    text: String,
}

fn text(title: &str, text: &str) -> Text {
    Text { title: title.to_owned(), text: text.to_owned() }
}

fn id(number: usize) -> PageId {
    PageId(Uuid::from_u128(number as u128))
}

/// The leaf of one page, at the URL `/number`.
fn page_files(number: usize, page: &Text) -> Files {
    let mut sections = vec![Section::default()];
    for (index, part) in page.text.split("## ").enumerate() {
        let (heading, text) =
            if index == 0 { ("", part) } else { part.split_once('\n').unwrap_or((part, "")) };
        sections.push(Section { anchor: heading, heading, text });
    }
    let url = format!("/{number}");
    let page = Page { url: &url, title: &page.title, section: Some("docs"), sections };
    Indexer::default().index(id(number), &page)
}

/// A site in leaves of certain sizes.
fn leaves(pages: &[Text], sizes: &[usize]) -> Vec<Files> {
    let files: Vec<(PageId, Files)> =
        pages.iter().enumerate().map(|(number, page)| (id(number), page_files(number, page))).collect();
    let (mut leaves, mut rest, mut sizes) = (Vec::new(), &files[..], sizes.iter().cycle());
    while !rest.is_empty() {
        let (leaf, others) = rest.split_at((*sizes.next().unwrap()).min(rest.len()));
        let (ids, parts): (Vec<_>, Vec<_>) = leaf.iter().map(|(id, files)| (*id, files)).unzip();
        leaves.push(merge(&parts, &ids).unwrap());
        rest = others;
    }
    leaves
}

fn find(leaves: &[Files], query: &str, limit: usize) -> Found {
    let opened: Vec<Leaf> = leaves.iter().map(|files| Leaf::open(&files.terms).unwrap()).collect();
    search(&opened, &Query::parse(query).unwrap(), limit).unwrap()
}

/// The URLs of all results, best first.
fn urls(pages: &[Text], query: &str) -> Vec<String> {
    find(&leaves(pages, &[3]), query, 1000).hits.into_iter().map(|hit| hit.url).collect()
}

/// Anchor and excerpt of the best result.
fn best(leaves: &[Files], query: &str) -> (Option<String>, String) {
    let found = find(leaves, query, 1);
    let hit = &found.hits[0];
    let snippet = snippet(&Texts::open(&leaves[hit.leaf].texts).unwrap(), hit.page, &found.query).unwrap();
    (snippet.anchor, snippet.excerpt)
}
