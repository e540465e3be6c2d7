//! Measures Recto's performance targets against peers. `bench/run` builds and starts everything this needs.

mod corpus;
mod dashboard;
mod disk;
mod folder;
mod hugo;
mod listing;
mod media;
mod memory;
mod neighbour;
mod nginx;
mod nodes;
mod options;
mod publishing;
mod raw;
mod recto;
mod report;
mod search;
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
    if std::env::args().nth(1).as_deref() == Some(neighbour::echo::ARGUMENT) {
        return neighbour::echo::serve();
    }
    let options = Options::parse(std::env::args().skip(1))?;
    let mut report = Report::default();
    // Print the results so far even if a later part fails.
    let outcome = measure(&options, &mut report).await;
    report.print();
    outcome
}

async fn measure(options: &Options, report: &mut Report) -> Result<()> {
    if options.selects("publish-sqlite") {
        report.add(publishing::sqlite().await?);
    }
    if options.selects("publish-postgres") {
        report.add(publishing::postgres().await?);
    }
    if options.selects("clients") {
        report.add(publishing::clients().await?);
    }
    if options.selects("alone") {
        report.add(publishing::alone().await?);
    }
    if options.selects("list") {
        report.add(listing::list().await?);
    }
    if options.selects("dashboard") {
        report.add(dashboard::screens().await?);
    }
    if options.selects("memory") {
        report.add(memory::memory().await?);
    }
    if options.selects("neighbour-sqlite") {
        report.add(neighbour::sqlite().await?);
    }
    if options.selects("neighbour-postgres") {
        report.add(neighbour::postgres().await?);
    }
    if options.selects("site-build") {
        report.add(site::build(&options.sizes).await?);
    }
    if options.selects("site-rename") {
        report.add(site::rename().await?);
    }
    if options.selects("folder") {
        report.add(folder::folder().await?);
    }
    if options.selects("search") {
        report.add(search::search(&options.sizes).await?);
    }
    if options.selects("serve") {
        report.add(serving::serve().await?);
    }
    if options.selects("nodes") {
        report.add(nodes::nodes().await?);
    }
    if options.selects("media-images") {
        report.add(media::images().await?);
    }
    if options.selects("media-video") {
        report.add(media::video()?);
    }
    if options.selects("media-upload") {
        report.add(media::upload().await?);
    }
    Ok(())
}
