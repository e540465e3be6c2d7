//! The queue of all accounts, and what `recto doctor` reports as far as a running server knows it.

use askama::Template;
use axum::extract::State;
use publisher::{Finding, OpenBuild, OpenTranscode, Verdict};

use super::Operator;
use crate::App;
use crate::dashboard::failure::Failure;
use crate::dashboard::view::{Frame, Html, filters, parameter};

/// Of builds, and of transcodes.
const ON_A_SCREEN: usize = 100;

#[derive(Template)]
#[template(path = "dashboard/operator/queue.html")]
struct Queue {
    frame: Frame,
    tab: &'static str,
    builds: Vec<OpenBuild>,
    transcodes: Vec<OpenTranscode>,
}

pub(super) async fn queue(State(app): State<App>, operator: Operator) -> Result<Html, Failure> {
    let (builds, transcodes) = app.publisher.queue(ON_A_SCREEN).await?;
    Ok(Html::new(&Queue { frame: operator.frame("Queue"), tab: "Queue", builds, transcodes }))
}

#[derive(Template)]
#[template(path = "dashboard/operator/state.html")]
struct Report {
    frame: Frame,
    tab: &'static str,
    version: &'static str,
    findings: Vec<Finding>,
    has_orphans: bool,
}

pub(super) async fn show(State(app): State<App>, operator: Operator) -> Result<Html, Failure> {
    let mut findings = app.publisher.examine().await?;
    findings.push(limits(&app));
    findings.extend(app.publisher.examine_programs().await?);
    // All objects are listed for this one, so it has to be asked for.
    let has_orphans = parameter(&operator.uri, "objects") == "yes";
    if has_orphans {
        findings.push(app.publisher.examine_orphans().await);
    }
    let (frame, version) = (operator.frame("State"), env!("CARGO_PKG_VERSION"));
    Ok(Html::new(&Report { frame, tab: "State", version, findings, has_orphans }))
}

fn limits(app: &App) -> Finding {
    match app.limiter.backend().is_degraded() {
        true => {
            Finding::new("limits", Verdict::Warning, "Redis is unavailable: this server counts by itself")
        }
        false => Finding::new("limits", Verdict::Ok, "counted as configured"),
    }
}
