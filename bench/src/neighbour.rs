//! A noisy neighbour: how long another account waits for a page view, a publish and a small upload while one account
//! causes as much load as it can, compared with an idle server.

pub mod echo;
mod noise;
mod precedence;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use self::echo::Echo;
use self::noise::Noise;
use self::precedence::Precedence;
use crate::publishing;
use crate::recto::Recto;
use crate::report::{Report, Row, Target, ms, progress};
use crate::timing::{ms_since, time as time_of};

/// Each with a new server. The machine itself is sometimes slow for seconds, which must not be in one of the figures only.
const ROUNDS: usize = 3;
const QUIET: Duration = Duration::from_secs(12);
const NOISY: Duration = Duration::from_secs(24);
/// Between two probes of one kind.
const PAUSE: Duration = Duration::from_millis(20);

/// Another account, with a published site.
struct Neighbour {
    recto: Arc<Recto>,
    token: String,
    host: String,
}

/// Durations of each probe in milliseconds.
#[derive(Default)]
struct Waits {
    views: Vec<f64>,
    publishes: Vec<f64>,
    uploads: Vec<f64>,
    /// Of the machine itself.
    echoes: Vec<f64>,
}

pub async fn sqlite() -> Result<Report> {
    measure("SQLite", async || Recto::start(&[]).await).await
}

pub async fn postgres() -> Result<Report> {
    let start = async || {
        let store = tokio::task::spawn_blocking(publishing::fresh_schema).await??;
        Recto::start(&[("RECTO_STORE_URL", store)]).await
    };
    measure("PostgreSQL", start).await
}

async fn measure(database: &str, start: impl AsyncFn() -> Result<Recto>) -> Result<Report> {
    let mut report = Report::default();
    let (mut echo, mut is_privileged) = (Echo::start()?, true);
    for noise in Noise::ALL {
        let (mut quiet, mut busy, mut done) = (Waits::default(), Waits::default(), 0);
        for round in 1..=ROUNDS {
            progress(&format!("{database}, {}: round {round} of {ROUNDS}", noise.name()));
            let recto = Arc::new(start().await?);
            let neighbour = Neighbour::new(recto.clone()).await?;
            let precedence = Precedence::take();
            neighbour.probe(QUIET, &mut echo, &mut quiet).await?;
            let running = noise.start(&recto).await?;
            neighbour.probe(NOISY, &mut echo, &mut busy).await?;
            done += running.stop().await?;
            is_privileged &= precedence.is_granted;
        }
        report.note(format!("{database}, {}: {done} requests of the noisy account", noise.name()));
        for (what, busy, quiet) in [
            ("page view", busy.views, quiet.views),
            ("publish of one page", busy.publishes, quiet.publishes),
            ("small upload", busy.uploads, quiet.uploads),
        ] {
            report.rows.push(row(database, noise.name(), what, p99(busy)?, p99(quiet)?));
        }
        let mut machine = row("no server", noise.name(), "bare echo", p99(busy.echoes)?, p99(quiet.echoes)?);
        machine.target = Target::Informational;
        report.rows.push(machine);
    }
    if !is_privileged {
        report.note("clients and server share the processor: without privileges, both are measured".into());
    }
    Ok(report)
}

fn row(database: &str, noise: &str, what: &str, busy: f64, quiet: f64) -> Row {
    Row {
        what: format!("{database}: {what} during {noise}, p99"),
        ours: ms(busy),
        peer: format!("quiet {}", ms(quiet)),
        ratio: busy / quiet,
        target: Target::AtMost(3.0),
    }
}

fn p99(mut waits: Vec<f64>) -> Result<f64> {
    waits.sort_by(f64::total_cmp);
    let index = (waits.len() * 99).div_ceil(100).saturating_sub(1);
    waits.get(index).copied().context("something was measured")
}

impl Neighbour {
    async fn new(recto: Arc<Recto>) -> Result<Neighbour> {
        let made = recto.command(&["account", "create", "neighbour"])?;
        let text = |key: &str| made[key].as_str().map(str::to_owned).context("an account is made");
        let (token, address) = (text("token")?, text("deployUrl")?);
        let host = address.trim_start_matches("http://").to_owned();
        let neighbour = Neighbour { recto, token, host };
        neighbour.publish(0, true).await?;
        while neighbour.view().await.is_err() {
            tokio::time::sleep(PAUSE).await;
        }
        Ok(neighbour)
    }

    async fn probe(&self, time: Duration, echo: &mut Echo, waits: &mut Waits) -> Result<()> {
        let until = Instant::now() + time;
        let mut number = 0;
        while Instant::now() < until {
            waits.views.push(timed(self.view()).await?);
            waits.publishes.push(timed(self.publish(number, false)).await?);
            waits.uploads.push(timed(self.upload()).await?);
            waits.echoes.push(time_of(|| echo.round_trip())?);
            number += 1;
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    async fn view(&self) -> Result<()> {
        let request = self.recto.client.get(format!("{}/blog/page-0", self.recto.sites));
        let answer = request.header("host", &self.host).send().await?;
        ensure!(answer.status().is_success(), "a page view: {}", answer.status());
        answer.bytes().await?;
        Ok(())
    }

    async fn publish(&self, number: usize, build: bool) -> Result<()> {
        let page = json!({ "title": format!("Page {number}"), "content": "Some words." });
        let body = json!({ "pages": [page], "build": build });
        let request = self.recto.client.post(format!("{}/api/v1/public/pages", self.recto.base));
        let answer = request.bearer_auth(&self.token).json(&body).send().await?;
        ensure!(answer.status().is_success(), "a publish: {}", answer.text().await?);
        Ok(())
    }

    /// A unique image.
    async fn upload(&self) -> Result<()> {
        let (boundary, icon) = ("boundary-in-no-image", noise::png(32, 32, rand())?);
        let mut body = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"icon.png\"\r\n\r\n"
        )
        .into_bytes();
        body.extend(icon);
        body.extend(format!("\r\n--{boundary}--\r\n").into_bytes());
        let request = self.recto.client.post(format!("{}/api/v1/public/media", self.recto.base));
        let request = request.header("content-type", format!("multipart/form-data; boundary={boundary}"));
        let answer = request.bearer_auth(&self.token).body(body).send().await?;
        ensure!(answer.status().is_success(), "an upload: {}", answer.text().await?);
        Ok(())
    }
}

async fn timed(work: impl Future<Output = Result<()>>) -> Result<f64> {
    let start = Instant::now();
    work.await?;
    Ok(ms_since(start))
}

fn rand() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0
}
