//! Known items are found first, in real texts: the documentation of this project.

use std::path::{Path, PathBuf};

use markdown::{Heading, Rendered};
use recto_search::{Files, Indexer, Page, Section, merge};

use crate::{find, id};

struct Document {
    title: String,
    rendered: Rendered,
}

fn documents() -> Vec<Document> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = |directory: PathBuf| std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = files(root.clone()).chain(files(root.join("docs"))).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    let document = |path: PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let title = text.lines().next().unwrap().trim_start_matches(['#', ' ']).to_owned();
        let rendered = markdown::render_page(&text, &title, "/page", markdown::Style::default()).unwrap();
        Document { title, rendered }
    };
    paths.into_iter().map(document).collect()
}

fn index(documents: &[Document]) -> Files {
    let mut indexer = Indexer::default();
    let files: Vec<Files> = (0..documents.len())
        .map(|number| {
            let Document { title, rendered } = &documents[number];
            let url = format!("/{number}");
            let sections = rendered.sections().map(section).collect();
            indexer.index(id(number), &Page { url: &url, title, section: None, sections })
        })
        .collect();
    let ids: Vec<_> = (0..documents.len()).map(id).collect();
    merge(&files.iter().collect::<Vec<_>>(), &ids).unwrap()
}

fn section<'d>((heading, text): (Option<&'d Heading>, &'d str)) -> Section<'d> {
    let (anchor, heading) = heading.map_or(("", ""), |heading| (&heading.id, &heading.text));
    Section { anchor, heading, text }
}

/// The mean of 1 / rank over all queries.
fn mean_reciprocal_rank(leaf: &Files, queries: &[(usize, String)]) -> f64 {
    let rank = |(number, query): &(usize, String)| {
        let hits = find(std::slice::from_ref(leaf), query, 50).hits;
        let place = hits.iter().position(|hit| hit.url == format!("/{number}"));
        place.map_or(0.0, |place| 1.0 / (place + 1) as f64)
    };
    queries.iter().map(rank).sum::<f64>() / queries.len() as f64
}

#[test]
fn documents_are_found_by_their_titles_and_headings() {
    let documents = documents();
    let leaf = index(&documents);
    let titles: Vec<(usize, String)> =
        documents.iter().enumerate().map(|(number, document)| (number, document.title.clone())).collect();
    let headings: Vec<(usize, String)> = documents
        .iter()
        .enumerate()
        .flat_map(|(number, document)| {
            let long = |text: &&str| text.split_whitespace().count() >= 3 && text.chars().count() <= 200;
            let headings = document.rendered.headings.iter().map(|heading| heading.text.as_str());
            headings.filter(long).map(move |text| (number, text.to_owned())).collect::<Vec<_>>()
        })
        .collect();
    assert!(titles.len() > 10 && headings.len() > 20, "{} {}", titles.len(), headings.len());
    let (by_title, by_heading) =
        (mean_reciprocal_rank(&leaf, &titles), mean_reciprocal_rank(&leaf, &headings));
    assert!(by_title >= 0.9 && by_heading >= 0.9, "{by_title} {by_heading}");
}
