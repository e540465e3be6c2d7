//! What we promise, measured against peers in one run. `bench/run` builds and starts what this needs.

mod corpus;
mod disk;
mod hugo;
mod listing;
mod media;
mod memory;
mod neighbour;
mod nginx;
mod options;
mod publishing;
mod raw;
mod recto;
mod report;
mod serving;
mod site;
mod timing;
mod wrk;

use anyhow::Result;

use crate::options::Options;
use crate::report::Report;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut report = Report::default();
    // What was measured is told, also when a later part fails.
    let outcome = measure(&options, &mut report).await;
    report.print();
    outcome
}

async fn measure(options: &Options, report: &mut Report) -> Result<()> {
    if options.wants("publish-sqlite") {
        report.add(publishing::sqlite().await?);
    }
    if options.wants("publish-postgres") {
        report.add(publishing::postgres().await?);
    }
    if options.wants("clients") {
        report.add(publishing::clients().await?);
    }
    if options.wants("alone") {
        report.add(publishing::alone().await?);
    }
    if options.wants("list") {
        report.add(listing::list().await?);
    }
    if options.wants("memory") {
        report.add(memory::memory().await?);
    }
    if options.wants("neighbour-sqlite") {
        report.add(neighbour::sqlite().await?);
    }
    if options.wants("neighbour-postgres") {
        report.add(neighbour::postgres().await?);
    }
    if options.wants("site-build") {
        report.add(site::build(&options.sizes).await?);
    }
    if options.wants("site-rename") {
        report.add(site::rename().await?);
    }
    if options.wants("serve") {
        report.add(serving::serve().await?);
    }
    if options.wants("media-images") {
        report.add(media::images().await?);
    }
    if options.wants("media-video") {
        report.add(media::video()?);
    }
    if options.wants("media-upload") {
        report.add(media::upload().await?);
    }
    Ok(())
}
