//! Serving one page of about 10 KB to 64 connections, compared with nginx serving the same bytes from files; then while
//! another site is being built.

mod busy;
mod stage;

use anyhow::Result;

use self::stage::Stage;
use crate::report::{Report, Row, Target, ms, progress};
use crate::wrk::{self, Load};

const ROUNDS: usize = 2;
const WARM_UP: u32 = 1;
const SECONDS: u32 = 6;

pub async fn serve() -> Result<Report> {
    let stage = Stage::set().await?;
    let mut report = Report::default();
    report.note(stage.describe());
    let mut quiet = None;
    for encoding in [None, Some("gzip")] {
        let before = [stage.recto.cpu_ms()?, stage.nginx.cpu_ms()?];
        let (ours, theirs) = against_nginx(&stage, encoding)?;
        let [recto, nginx] = [stage.recto.cpu_ms()? - before[0], stage.nginx.cpu_ms()? - before[1]];
        let what = encoding.unwrap_or("plain");
        report.rows.extend(rows(what, ours, theirs));
        report.rows.push(cpu_row(what, recto * 1e3 / ours.requests, nginx * 1e3 / theirs.requests));
        quiet = quiet.or(Some(ours));
    }
    let brotli = stage.recto_load(Some("br"))?;
    report.note(format!(
        "with br (which nginx of Debian does not have) recto serves {:.0}/s, p99 {}",
        brotli.per_second,
        ms(brotli.p99_ms)
    ));
    if let Some(quiet) = quiet {
        report.add(busy::measure(&stage, quiet).await?);
    }
    Ok(report)
}

/// Alternating, so that other load on the machine affects both.
fn against_nginx(stage: &Stage, encoding: Option<&str>) -> Result<(Load, Load)> {
    let (mut ours, mut theirs) = (None::<Load>, None::<Load>);
    for _ in 0..ROUNDS {
        let load = stage.nginx_load(encoding)?;
        theirs = Some(theirs.map_or(load, |best| best.better(load)));
        let load = stage.recto_load(encoding)?;
        ours = Some(ours.map_or(load, |best| best.better(load)));
        progress(&format!("{encoding:?}: recto {ours:?}, nginx {theirs:?}"));
    }
    Ok((ours.expect("a round"), theirs.expect("a round")))
}

fn rows(what: &str, ours: Load, theirs: Load) -> [Row; 2] {
    [
        Row {
            what: format!("serve a page of 10 KB, {what}"),
            ours: format!("{:.0}/s", ours.per_second),
            peer: format!("nginx {:.0}/s", theirs.per_second),
            ratio: ours.per_second / theirs.per_second,
            target: Target::Stretch { least: 0.7, goal: 0.95 },
        },
        Row {
            what: format!("… 99 of 100 within, {what}"),
            ours: ms(ours.p99_ms),
            peer: format!("nginx {}", ms(theirs.p99_ms)),
            ratio: ours.p99_ms / theirs.p99_ms,
            target: Target::AtMost(1.0),
        },
    ]
}

/// In µs; the requests of the warm-up are not counted, for neither.
fn cpu_row(what: &str, ours: f64, theirs: f64) -> Row {
    Row {
        what: format!("… CPU time of a request, {what}"),
        ours: format!("{ours:.1} µs"),
        peer: format!("nginx {theirs:.1} µs"),
        ratio: ours / theirs,
        target: Target::AtMost(1.05),
    }
}

impl Stage {
    fn recto_load(&self, encoding: Option<&str>) -> Result<Load> {
        let (url, headers) = self.request(encoding);
        wrk::run(&url, &headers, WARM_UP)?;
        wrk::run(&url, &headers, SECONDS)
    }

    /// The URL of the page on our server, and the request headers.
    fn request(&self, encoding: Option<&str>) -> (String, Vec<String>) {
        (format!("{}{}", self.recto.sites, self.path), headers(&self.recto.host, encoding))
    }

    /// The URL of the file itself, so that nginx need not look for an index.
    fn nginx_load(&self, encoding: Option<&str>) -> Result<Load> {
        let headers = headers("localhost", encoding);
        let url = format!("{}{}/index.html", self.nginx.base, self.path);
        wrk::run(&url, &headers, WARM_UP)?;
        wrk::run(&url, &headers, SECONDS)
    }
}

fn headers(host: &str, encoding: Option<&str>) -> Vec<String> {
    let mut headers = vec![format!("Host: {host}")];
    headers.extend(encoding.map(|encoding| format!("Accept-Encoding: {encoding}")));
    headers
}
