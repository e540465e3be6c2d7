//! Building the whole site from scratch: pages are published before the measurement starts.

use anyhow::Result;

use crate::corpus::Page;
use crate::hugo::{Hugo, Run, size_of};
use crate::recto::Recto;
use crate::report::{Report, mb, progress};
use crate::timing::{median, time, time_async};

pub(super) struct Full {
    pub ours: Run,
    pub hugo: Run,
}

/// Also returns the server of the last round, with the site live.
pub(super) async fn measure(hugo: &Hugo, pages: &[Page], report: &mut Report) -> Result<(Recto, Full)> {
    let (mut ours, mut theirs, mut last) = (vec![], vec![], None);
    for _ in 0..rounds(pages.len()) {
        // First stop the server of the previous round: it would use memory and time.
        drop(last.take());
        theirs.push(hugo.build()?);
        let recto = Recto::start(&[]).await?;
        recto.publish_all(None, pages).await?;
        let published = recto.memory_mb("VmHWM")?;
        ours.push(run(&recto).await?);
        let built = recto.built(0).await?;
        progress(&format!(
            "{} pages: recto {:?}, {built:?}, {published:.0} MB reached by publishing",
            pages.len(),
            ours.last()
        ));
        progress(&format!("{} pages: hugo {:?}", pages.len(), theirs.last()));
        last = Some((recto, built));
    }
    let (recto, built) = last.expect("there is a round");
    let (files, bytes) = size_of(&hugo.destination())?;
    report.note(format!(
        "{} pages: {:.2} s from claim to live; our release has {} files (pages, their Markdown, lists, feeds), of {} \
         rendered pages; Hugo wrote {files} of together {}",
        pages.len(),
        built.seconds,
        built.files,
        built.rendered,
        mb(bytes as f64 / f64::from(1 << 20))
    ));
    Ok((recto, Full { ours: Run::median(&ours), hugo: Run::median(&theirs) }))
}

async fn run(recto: &Recto) -> Result<Run> {
    let before = recto.cpu_ms()?;
    let ms = time_async(recto.build(None)).await?;
    Ok(Run { ms, cpu_ms: recto.cpu_ms()? - before, peak_mb: recto.memory_mb("VmHWM")? })
}

/// Hugo takes minutes for a large site.
fn rounds(pages: usize) -> usize {
    if pages > 10_000 { 1 } else { 3 }
}

/// Exports the live release to a directory, in a process next to the server.
pub(super) fn export(recto: &Recto, report: &mut Report) -> Result<f64> {
    let directory = recto.directory().join("export");
    let mut times = Vec::new();
    for round in 0..3 {
        if round > 0 {
            std::fs::remove_dir_all(&directory)?;
        }
        times.push(time(|| recto.command(&["site", "export", recto.site(), &directory.to_string_lossy()]))?);
    }
    let (files, bytes) = size_of(&directory)?;
    report.note(format!("the export is {files} files of together {}", mb(bytes as f64 / f64::from(1 << 20))));
    std::fs::remove_dir_all(&directory)?;
    Ok(median(times))
}
