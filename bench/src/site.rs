//! Building a site from published pages, compared with Hugo on the same pages as files: everything, one changed page,
//! nothing changed; and an export as plain files.

mod change;
mod full;
mod rename;

use anyhow::Result;

pub use self::rename::rename;
use crate::corpus;
use crate::disk::two_syncs;
use crate::hugo::Hugo;
use crate::report::{Report, Row, Target, mb, ms, progress};

/// All figures for one size, in milliseconds and MB.
struct Figures {
    pages: usize,
    full: full::Full,
    change: change::Change,
    export: f64,
    two_syncs: f64,
}

pub async fn build(sizes: &[usize]) -> Result<Report> {
    let mut report = Report::default();
    let mut changes: Vec<(usize, f64)> = Vec::new();
    for &size in sizes {
        let figures = measure(size, &mut report).await?;
        changes.push((size, figures.change.ours));
        report.rows.extend(rows(&figures));
    }
    if let (Some((few, small)), Some((many, large))) = (changes.first(), changes.last())
        && few < many
    {
        report.rows.push(Row {
            what: format!("one page changed, {many} pages against {few}"),
            ours: ms(*large),
            peer: ms(*small),
            ratio: large / small,
            target: Target::AtMost(1.5),
        });
    }
    Ok(report)
}

async fn measure(size: usize, report: &mut Report) -> Result<Figures> {
    let pages = corpus::pages(size);
    let hugo = Hugo::new(&pages)?;
    let (recto, full) = full::measure(&hugo, &pages, report).await?;
    let two_syncs = two_syncs(recto.directory())?;
    let change = change::measure(&recto, &hugo, &pages).await?;
    let export = full::export(&recto, report)?;
    progress(&format!("{size} pages: export {}", ms(export)));
    Ok(Figures { pages: size, full, change, export, two_syncs })
}

fn rows(figures: &Figures) -> Vec<Row> {
    let Figures { pages, full, change, export, two_syncs } = figures;
    let mut rows = vec![
        Row {
            what: format!("build {pages} pages, from the trigger to live"),
            ours: ms(full.ours.ms),
            peer: format!("hugo {}", ms(full.hugo.ms)),
            ratio: full.hugo.ms / full.ours.ms,
            target: Target::Stretch { least: 5.0, goal: 20.0 },
        },
        Row {
            what: format!("… CPU time, {pages} pages"),
            ours: ms(full.ours.cpu_ms),
            peer: format!("hugo {}", ms(full.hugo.cpu_ms)),
            ratio: full.hugo.cpu_ms / full.ours.cpu_ms,
            target: Target::Informational,
        },
        Row {
            what: format!("… peak memory, {pages} pages"),
            ours: mb(full.ours.peak_mb),
            peer: format!("hugo {}", mb(full.hugo.peak_mb)),
            ratio: full.ours.peak_mb / full.hugo.peak_mb,
            target: Target::AtMost(0.2),
        },
        Row {
            what: format!("export {pages} pages as files"),
            ours: ms(*export),
            peer: format!("hugo {}", ms(full.hugo.ms)),
            ratio: full.hugo.ms / export,
            target: Target::AtLeast(3.0),
        },
        Row {
            what: format!("one page of {pages} changed, from sending it to served"),
            ours: ms(change.ours),
            peer: format!("hugo again {}", ms(change.hugo)),
            ratio: change.hugo / change.ours,
            // The target is for 10,000 pages; Hugo's time grows with the site, ours should not.
            target: if *pages >= 10_000 { Target::AtLeast(300.0) } else { Target::Informational },
        },
        Row {
            what: "… against our goal".into(),
            ours: ms(change.ours),
            peer: "40 ms".into(),
            ratio: change.ours / 40.0,
            target: Target::AtMost(1.0),
        },
        Row {
            what: "… against the floor".into(),
            ours: ms(change.ours),
            peer: format!("two syncs {}", ms(*two_syncs)),
            ratio: change.ours / two_syncs,
            target: Target::Informational,
        },
    ];
    rows.extend(change.hugo_watching.map(|hugo| Row {
        what: "… against Hugo that stays and watches".into(),
        ours: ms(change.ours),
        peer: format!("hugo --watch {}", ms(hugo)),
        ratio: hugo / change.ours,
        target: Target::Informational,
    }));
    rows.push(Row {
        what: format!("nothing of {pages} pages changed, from the trigger to success"),
        ours: ms(change.nothing),
        peer: "10 ms".into(),
        ratio: change.nothing / 10.0,
        target: Target::AtMost(1.0),
    });
    rows
}
