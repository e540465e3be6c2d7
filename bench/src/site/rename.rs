//! Renaming a page in a section of 2,000 docs pages, whose list and navigation show all titles.

use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;

use crate::corpus::{self, Page};
use crate::hugo::Hugo;
use crate::recto::{Built, Recto, contains};
use crate::report::{Report, Row, Target, ms, progress};
use crate::timing::{median, ms_since, time_async};

const SECTION: &str = "manual";
const DOCS: usize = 2000;
const ROUNDS: usize = 7;

pub async fn rename() -> Result<Report> {
    let pages = pages();
    let hugo = Hugo::new(&pages)?;
    let recto = Recto::start(&[]).await?;
    recto.publish_all(None, &pages).await?;
    recto.build(None).await?;
    hugo.build()?;
    let docs: Vec<&Page> = pages.iter().filter(|page| page.content_type == "docs").collect();
    let (mut titles, mut slugs, mut theirs) = (vec![], vec![], vec![]);
    let (mut by_title, mut by_slug) = (None, None);
    for round in 0..ROUNDS {
        let page = docs[round * 283 % DOCS];
        let before = recto.builds();
        let start = Instant::now();
        let id = retitle(&recto, page, round).await?;
        titles.push(ms_since(start));
        by_title = Some(recto.built(before).await?);
        let before = recto.builds();
        slugs.push(time_async(change_slug(&recto, page, &id, round)).await?);
        by_slug = Some(recto.built(before).await?);
        if round % 3 == 0 {
            hugo.write(&Page { title: new_title(round), ..page.clone() })?;
            theirs.push(hugo.rebuild()?.ms);
        }
    }
    let hugo = median(theirs);
    let mut report = Report::default();
    for (what, times, built) in [("title", titles, by_title), ("slug", slugs, by_slug)] {
        let built = built.context("a round")?;
        progress(&format!("a new {what}: {times:?}, {built:?}"));
        report.rows.extend(rows(what, median(times), built, hugo));
    }
    report.note(format!(
        "the navigation of each of the {DOCS} docs pages shows the names around its own, out of one file; Hugo's \
         minimal theme shows two neighbours, and makes everything again"
    ));
    Ok(report)
}

fn rows(what: &str, ours: f64, built: Built, hugo: f64) -> [Row; 2] {
    let changed = built.files + built.removed;
    [
        Row {
            what: format!("a new {what} among {DOCS} docs pages, to served elsewhere"),
            ours: ms(ours),
            peer: format!("hugo again {}", ms(hugo)),
            ratio: hugo / ours,
            target: Target::Informational,
        },
        Row {
            what: "… files that change, of the pages that show it".into(),
            ours: changed.to_string(),
            peer: DOCS.to_string(),
            ratio: changed as f64 / DOCS as f64,
            target: Target::AtMost(0.05),
        },
    ]
}

/// As many posts as docs; the docs are all in one section.
fn pages() -> Vec<Page> {
    let mut pages = corpus::pages(2 * DOCS);
    for page in pages.iter_mut().filter(|page| page.content_type == "docs") {
        page.section = SECTION.into();
    }
    pages
}

fn new_title(round: usize) -> String {
    format!("Another title, round {round}")
}

/// Waits until the section's list shows the new title; returns the page's id.
async fn retitle(recto: &Recto, page: &Page, round: usize) -> Result<String> {
    let known = recto.publish_and_build(&Page { title: new_title(round), ..page.clone() }).await?;
    recto.until(&format!("/docs/{SECTION}"), |visited| contains(&visited.body, &new_title(round))).await?;
    Ok(known["id"].as_str().context("id")?.to_owned())
}

/// Waits until the page's former URL redirects to the new one.
async fn change_slug(recto: &Recto, page: &Page, id: &str, round: usize) -> Result<()> {
    recto.publish_and_build(json!({ "id": id, "slug": format!("moved-{round}") })).await?;
    recto.until(&page.url(), |visited| visited.status.is_redirection()).await
}
