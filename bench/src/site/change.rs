//! One page changed, and nothing changed.

use std::time::Duration;

use anyhow::Result;

use crate::corpus::Page;
use crate::hugo::Hugo;
use crate::recto::Recto;
use crate::report::{ms, progress};
use crate::timing::{median, time, time_async};

pub(super) struct Change {
    pub ours: f64,
    pub nothing: f64,
    pub hugo: f64,
    pub hugo_watching: Option<f64>,
}

/// Changes of ours between two rebuilds by Hugo.
const CHANGES: usize = 7;
const WATCHED_CHANGES: usize = 5;
const UNCHANGED_BUILDS: usize = 15;
/// Hugo notices a change only after a quiet period.
const QUIET: Duration = Duration::from_secs(2);
/// For larger sites Hugo's first build alone takes minutes.
const MAX_WATCHED_PAGES: usize = 10_000;

pub(super) async fn measure(recto: &Recto, hugo: &Hugo, pages: &[Page]) -> Result<Change> {
    let (mut ours, mut theirs, mut nothings) = (vec![], vec![], vec![]);
    let rounds = if pages.len() > MAX_WATCHED_PAGES { 2 } else { 3 };
    for round in 0..rounds {
        for change in 0..CHANGES {
            let number = round * CHANGES + change;
            let page = any_page(pages, number);
            ours.push(time_async(recto.change(page, &words(number))).await?);
        }
        hugo.write(&changed(any_page(pages, round), round))?;
        theirs.push(hugo.rebuild()?.ms);
        progress(&format!(
            "{} pages, one changed: recto {}, hugo {}",
            pages.len(),
            list(&ours),
            list(&theirs)
        ));
    }
    for _ in 0..UNCHANGED_BUILDS {
        nothings.push(time_async(recto.build(None)).await?);
    }
    progress(&format!("{} pages, nothing changed: {}", pages.len(), list(&nothings)));
    let hugo_watching = if pages.len() > MAX_WATCHED_PAGES { None } else { Some(watching(hugo, pages)?) };
    Ok(Change { ours: median(ours), nothing: median(nothings), hugo: median(theirs), hugo_watching })
}

fn watching(hugo: &Hugo, pages: &[Page]) -> Result<f64> {
    let watch = hugo.watch()?;
    let mut times = Vec::new();
    for number in 100..100 + WATCHED_CHANGES {
        std::thread::sleep(QUIET);
        let page = any_page(pages, number);
        times.push(time(|| {
            hugo.write(&changed(page, number))?;
            watch.until(page, &words(number))
        })?);
    }
    progress(&format!("{} pages, hugo --watch: {}", pages.len(), list(&times)));
    Ok(median(times))
}

/// Pages from all over the site, blog and docs alternating.
fn any_page(pages: &[Page], number: usize) -> &Page {
    &pages[number * 7919 % pages.len()]
}

fn words(number: usize) -> String {
    format!("Changed for the {number}th time.")
}

fn changed(page: &Page, number: usize) -> Page {
    Page { content: format!("{}\n{}\n", page.content, words(number)), ..page.clone() }
}

fn list(times: &[f64]) -> String {
    let times: Vec<String> = times.iter().map(|time| ms(*time)).collect();
    times.join(", ")
}
