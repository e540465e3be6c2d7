//! The main screens of the dashboard of a site with 10,000 pages and 1,000 media: the time to the whole response, and its
//! weight, compared with what a person should wait for at most.

use anyhow::{Context, Result, ensure};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_TYPE, COOKIE, SET_COOKIE};
use serde_json::Value;

use crate::corpus;
use crate::recto::Recto;
use crate::report::{Report, Row, Target, kb, ms};
use crate::timing::{median, time_async};

const PAGES: usize = 10_000;
const MEDIA: usize = 1000;
const BATCH: usize = 5000;
const TIMES: usize = 30;
/// The most that a screen may take, in milliseconds.
const LIMIT: f64 = 200.0;
const SCREENS: [(&str, &str); 8] = [
    ("pages", "the list of pages"),
    ("pages?sort=title", "the list by title"),
    ("pages?q=harbour", "a search by title"),
    ("pages?state=draft", "drafts, of which there are none"),
    ("pages/trash", "the trash"),
    ("pages/new", "the form of a page, without its scripts"),
    ("media", "media"),
    ("media?unused=yes&view=list", "unused media"),
];

pub async fn screens() -> Result<Report> {
    let recto = Recto::start(&[]).await?;
    for batch in corpus::pages(PAGES).chunks(BATCH) {
        recto.publish(corpus::payload(batch)).await?;
    }
    for number in 0..MEDIA {
        upload(&recto, number).await?;
    }
    let (session, site) = (sign_in(&recto).await?, site(&recto).await?);
    let mut rows = Vec::new();
    for (path, what) in SCREENS {
        let url = format!("{}/dashboard/sites/{site}/{path}", recto.base);
        let (mut times, mut bytes) = (Vec::new(), 0);
        for _ in 0..TIMES {
            let load = async {
                let asked = recto.client.get(&url).header(COOKIE, &session).header(ACCEPT_ENCODING, "gzip");
                bytes = asked.send().await?.error_for_status()?.bytes().await?.len();
                Ok(())
            };
            times.push(time_async(load).await?);
        }
        let ours = median(times);
        rows.push(Row {
            what: format!("dashboard: {what} ({})", kb(bytes as f64)),
            ours: ms(ours),
            peer: format!("at most {}", ms(LIMIT)),
            ratio: ours / LIMIT,
            target: Target::AtMost(1.0),
        });
    }
    Ok(rows.into())
}

async fn upload(recto: &Recto, number: usize) -> Result<()> {
    let body = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{number}.txt\"\r\n\r\nfile {number}\r\n--x--\r\n"
    );
    let sent = recto.client.post(format!("{}/api/v1/public/media", recto.base)).bearer_auth(&recto.token);
    sent.header(CONTENT_TYPE, "multipart/form-data; boundary=x")
        .body(body)
        .send()
        .await?
        .error_for_status()?;
    Ok(())
}

/// The cookie of a new owner's session.
async fn sign_in(recto: &Recto) -> Result<String> {
    let made = recto.command(&["user", "create", "bench@example.com", "--account", &recto.account])?;
    let url = made["url"].as_str().context("a link")?;
    let (_, key) = url.split_once("key=").context("the secret of a link")?;
    let form = format!("key={key}&password=correct+horse+battery&repeat=correct+horse+battery");
    let sent =
        recto.client.post(format!("{}/dashboard/link", recto.base)).header("sec-fetch-site", "same-origin");
    let answer = sent.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form).send().await?;
    ensure!(answer.status() == 303, "no password was set: {}", answer.status());
    let cookie = answer.headers().get(SET_COOKIE).context("a cookie")?.to_str()?;
    Ok(cookie.split(';').next().unwrap_or_default().to_owned())
}

async fn site(recto: &Recto) -> Result<String> {
    let asked = recto.client.get(format!("{}/api/v1/public/sites", recto.base)).bearer_auth(&recto.token);
    let sites: Value = serde_json::from_slice(&asked.send().await?.error_for_status()?.bytes().await?)?;
    Ok(sites["sites"][0]["id"].as_str().with_context(|| format!("a site: {sites}"))?.to_owned())
}
