//! Searching a site: making the index, its size, one changed page, queries, and what is found; compared with SQLite's
//! FTS5 and with Pagefind on the same pages.

mod fts5;
mod ours;
mod pagefind;
mod queries;
mod served;

use anyhow::Result;
use markdown::Rendered;

use self::fts5::Fts5;
use self::ours::Ours;
use self::queries::{Answer, Figures};
use crate::corpus::{self, Page};
use crate::report::{Report, Row, Target, mb, ms, progress};
use crate::timing::time;

/// Pagefind needs half a minute and a gigabyte for so many pages.
const MAX_PAGEFIND: usize = 10_000;
/// What an index may cost: one changed page, in milliseconds.
const CHANGE: f64 = 1.0;

/// A page as it is indexed.
struct Text {
    page: Page,
    rendered: Rendered,
}

/// A program that searches.
trait Engine {
    fn answer(&mut self, query: &str) -> Result<Answer>;
}

pub async fn search(sizes: &[usize]) -> Result<Report> {
    let mut report = Report::default();
    for &size in sizes {
        let queries = measure(size, &mut report)?;
        report.add(served::measure(size, &queries).await?);
    }
    report.add(unspaced()?);
    Ok(report)
}

fn measure(size: usize, report: &mut Report) -> Result<queries::Queries> {
    let mut texts = Vec::new();
    let rendering = time(|| {
        texts = texts_of(corpus::pages(size))?;
        Ok(())
    })?;
    progress(&format!("{size} pages: rendered in {}", ms(rendering)));
    let (mut ours, indexing) = Ours::new(&texts)?;
    let change = ours.change(&texts)?;
    let (mut fts5, fts5_indexing) = Fts5::new(&texts)?;
    let queries = queries::of(&texts);
    let (our_figures, fts5_figures) = (queries.ask(&mut ours)?, queries.ask(&mut fts5)?);
    report.rows.extend([
        Row {
            what: format!("search: index {size} pages, one thread"),
            ours: ms(indexing),
            peer: format!("FTS5 {}", ms(fts5_indexing)),
            ratio: fts5_indexing / indexing,
            target: Target::Informational,
        },
        Row {
            what: "… size of the index, with the texts".into(),
            ours: mb(ours.megabytes()),
            peer: format!("FTS5 {}", mb(fts5.megabytes()?)),
            ratio: ours.megabytes() / fts5.megabytes()?,
            target: Target::Informational,
        },
        Row {
            what: format!("… one page of {size} changed"),
            ours: ms(change),
            peer: "the goal 1 ms".into(),
            ratio: change / CHANGE,
            target: Target::AtMost(1.0),
        },
    ]);
    let goal = goal(size);
    report.rows.push(Row {
        what: format!("… a query on {size} pages, 99 of 100 within"),
        ours: ms(our_figures.p99),
        peer: format!("the goal {}", ms(goal)),
        ratio: our_figures.p99 / goal,
        target: Target::AtMost(1.0),
    });
    report.rows.extend(query_rows(&our_figures, ("FTS5", &fts5_figures)));
    report.note(format!("{size} pages: {}", ours.describe()));
    if size <= MAX_PAGEFIND {
        with_pagefind(&texts, &queries, &our_figures, indexing, report)?;
    }
    Ok(queries)
}

fn with_pagefind(
    texts: &[Text],
    queries: &queries::Queries,
    ours: &Figures,
    indexing: f64,
    report: &mut Report,
) -> Result<()> {
    let pagefind = pagefind::Index::new(texts)?;
    report.rows.push(Row {
        what: format!("search: index {} pages", texts.len()),
        ours: ms(indexing),
        peer: format!("pagefind {}", ms(pagefind.ms)),
        ratio: pagefind.ms / indexing,
        target: Target::Informational,
    });
    let figures = queries.figures(pagefind.answers(&queries.texts())?);
    report.rows.extend(query_rows(ours, ("pagefind", &figures)));
    Ok(())
}

fn query_rows(ours: &Figures, (name, peer): (&str, &Figures)) -> Vec<Row> {
    let row = |what: &str, of: fn(&Figures) -> f64| Row {
        what: format!("… a query, {what}"),
        ours: ms(of(ours)),
        peer: format!("{name} {}", ms(of(peer))),
        ratio: of(peer) / of(ours),
        target: Target::Informational,
    };
    vec![
        row("half within", |figures| figures.p50),
        row("99 of 100 within", |figures| figures.p99),
        Row {
            what: "… mean reciprocal rank of known pages".into(),
            ours: format!("{:.3}", ours.mean_rank),
            peer: format!("{name} {:.3}", peer.mean_rank),
            ratio: ours.mean_rank,
            target: Target::AtLeast(0.9),
        },
    ]
}

/// What is found of Chinese texts by substrings.
fn unspaced() -> Result<Report> {
    let texts = texts_of(queries::chinese_pages())?;
    let (mut ours, mut fts5) = (Ours::new(&texts)?.0, Fts5::new(&texts)?.0);
    let (our_recall, fts5_recall) =
        (queries::recall(&texts, &mut ours)?, queries::recall(&texts, &mut fts5)?);
    let row = Row {
        what: "search: recall of Chinese substrings".into(),
        ours: format!("{:.0} %", our_recall * 100.0),
        peer: format!("FTS5 {:.0} %", fts5_recall * 100.0),
        ratio: our_recall,
        target: Target::AtLeast(1.0),
    };
    Ok(vec![row].into())
}

fn texts_of(pages: Vec<Page>) -> Result<Vec<Text>> {
    let text = |page: Page| {
        let rendered =
            markdown::render_page(&page.content, &page.title, &page.url(), markdown::Style::default());
        let rendered = rendered.map_err(|error| anyhow::anyhow!("{}: {}", page.url(), error.0))?;
        Ok(Text { page, rendered })
    };
    pages.into_iter().map(text).collect()
}

/// How long a query may take, in milliseconds: 5 for 10,000 pages and 25 for 50,000.
fn goal(size: usize) -> f64 {
    size.max(10_000) as f64 / 2000.0
}
