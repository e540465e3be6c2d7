//! Requests to a site, over a connection that is kept alive.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use bytes::Bytes;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::Recto;
use crate::corpus::Page;

const SERVED_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(1);

pub struct Visited {
    pub status: StatusCode,
    pub encoding: Option<String>,
    pub body: Bytes,
}

impl Recto {
    pub async fn visit(&self, path: &str, accept_encoding: Option<&str>) -> Result<Visited> {
        let mut request = self.client.get(format!("{}{path}", self.sites)).header("host", &self.host);
        if let Some(encoding) = accept_encoding {
            request = request.header("accept-encoding", encoding);
        }
        let answer = request.send().await?;
        let encoding = answer.headers().get("content-encoding").and_then(|value| value.to_str().ok());
        Ok(Visited {
            status: answer.status(),
            encoding: encoding.map(str::to_owned),
            body: answer.bytes().await?,
        })
    }

    /// Publishes a page and queues a build; returns the page from the response.
    pub async fn publish_and_build(&self, page: impl serde::Serialize) -> Result<Value> {
        let body = serde_json::to_vec(&json!({ "pages": [page], "build": true }))?;
        let answer: Value = serde_json::from_str(&self.post("/pages", body).await?)?;
        if answer["build"]["status"] != "queued" {
            bail!("no build was queued: {}", answer["build"]);
        }
        Ok(answer["pages"][0].clone())
    }

    /// Waits until the site serves what is expected at a path.
    pub async fn until(&self, path: &str, expected: impl Fn(&Visited) -> bool) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < SERVED_TIMEOUT {
            if expected(&self.visit(path, None).await?) {
                return Ok(());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        bail!("{path} was not served as expected within {SERVED_TIMEOUT:?}")
    }

    /// From sending a page with new words until a visitor can read them.
    pub async fn change(&self, page: &Page, words: &str) -> Result<()> {
        let page = Page { content: format!("{}\n{words}\n", page.content), ..page.clone() };
        self.publish_and_build(&page).await?;
        self.until(&page.url(), |visited| contains(&visited.body, words)).await
    }
}

pub fn contains(body: &[u8], words: &str) -> bool {
    body.windows(words.len()).any(|window| window == words.as_bytes())
}
