//! The HTTP API for Rust programs: publish, list and build. Rate limits and the build cooldown are waited for, as their
//! headers say; requests that are safe to repeat are repeated when the server is not available for a moment.
//!
//! Publishing is safe to repeat: the same pages again change nothing.

mod body;
mod error;
mod http;
mod types;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::sleep;

pub use body::{OnSent, Upload};
pub use error::Error;
pub use types::{Account, Build, Listed, MediaItem, Published, PublishedPage, Site, Usage};

use crate::body::Content;
use crate::http::{Answer, Http};

/// Called before a wait: for how many seconds, and why.
pub type OnWait = Box<dyn Fn(u64, &str) + Send + Sync>;

pub struct Client {
    http: Http,
    /// Up to the version of the API, without a slash at the end.
    base: String,
    token: String,
    on_wait: OnWait,
}

/// A longer wait is an error: a person would not wait for it.
const LONGEST_WAIT: u64 = 90;
/// How often a request is sent again after the server was not available.
const REPEATS: u32 = 3;
/// How long the server waits for the end of a build before it answers, in seconds.
const BUILD_WAIT: u64 = 20;
/// Between two looks at a build of a server that does not wait: short at first, for small builds.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LAST_LOOK: Duration = Duration::from_secs(1);

impl Client {
    /// `url` is the address of the server, `http://127.0.0.1:8080`.
    pub fn new(url: &str, token: &str, on_wait: OnWait) -> Result<Client, Error> {
        let url = url.trim_end_matches('/');
        let http = Http::new(url)?;
        Ok(Client { http, base: format!("{url}/api/v1/public"), token: token.to_owned(), on_wait })
    }

    /// The sites of the account; the first one is the default site, if it has one.
    pub async fn sites(&self) -> Result<Vec<Site>, Error> {
        let mut answer: Value = self.get("/sites").await?;
        read(answer["sites"].take())
    }

    /// All pages of a site, with their hashes.
    pub async fn list(&self, site: &str) -> Result<Vec<Listed>, Error> {
        let mut answer: Value = self.get(&format!("/pages?hashes=true&siteId={site}")).await?;
        read(answer["pages"].take())
    }

    /// What the account uses of its limits.
    pub async fn account(&self) -> Result<Account, Error> {
        self.get("/account").await
    }

    /// The settings of a site, by key; empty if they are not set.
    pub async fn settings(&self, site: &str) -> Result<BTreeMap<String, String>, Error> {
        self.get(&format!("/sites/{site}/settings")).await
    }

    /// Changes some settings of a site; an empty text restores the default.
    pub async fn set_settings(&self, site: &str, changes: &BTreeMap<String, String>) -> Result<(), Error> {
        let content = Content::Json(json!(changes).to_string().into());
        self.send::<Value>("PATCH", &format!("/sites/{site}/settings"), &content).await.map(drop)
    }

    /// Sends a payload of `POST /pages`, with files if it refers to any. `on_sent` is called with the bytes of the files
    /// that were sent so far.
    pub async fn publish(
        &self,
        payload: &Value,
        files: &[Upload],
        on_sent: OnSent,
    ) -> Result<Published, Error> {
        let content = match files.is_empty() {
            true => Content::Json(payload.to_string().into()),
            false => Content::form(payload, files, on_sent),
        };
        self.send("POST", "/pages", &content).await
    }

    /// Queues a build, after the cooldown if there is one.
    pub async fn build(&self, site: &str) -> Result<(), Error> {
        let content = Content::Json(json!({ "siteId": site }).to_string().into());
        self.send::<Value>("POST", "/builds", &content).await.map(drop)
    }

    /// `None`: the site has no build yet.
    pub async fn latest_build(&self, site: &str) -> Result<Option<Build>, Error> {
        self.build_after(site, 0).await
    }

    /// As soon as it has ended, or after some seconds.
    async fn build_after(&self, site: &str, wait: u64) -> Result<Option<Build>, Error> {
        match self.get(&format!("/builds/latest?siteId={site}&wait={wait}")).await {
            Err(Error::Refused { status: 404, .. }) => Ok(None),
            build => build.map(Some),
        }
    }

    /// Waits until the newest build of a site has ended.
    pub async fn finished_build(&self, site: &str) -> Result<Build, Error> {
        let mut pause = FIRST_LOOK;
        loop {
            if let Some(build) = self.build_after(site, BUILD_WAIT).await?.filter(Build::is_over) {
                return Ok(build);
            }
            sleep(pause).await;
            pause = (pause * 3 / 2).min(LAST_LOOK);
        }
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        self.send("GET", path, &Content::None).await
    }

    async fn send<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        content: &Content,
    ) -> Result<T, Error> {
        let url = format!("{}{path}", self.base);
        let mut repeats = 0;
        loop {
            let (wait, why) = match self.http.send(method, &url, &self.token, content).await {
                Ok(Answer { status: 200..300, body, .. }) => return read(body),
                Ok(Answer { status: 429, retry_after: Some(seconds), body }) if seconds <= LONGEST_WAIT => {
                    (seconds.max(1), text(&body, "error"))
                }
                Ok(Answer { status: 503, .. }) if repeats < REPEATS => {
                    repeats += 1;
                    (1 << repeats, "the server is busy".to_owned())
                }
                Ok(answer) => return Err(refusal(answer)),
                Err(_) if repeats < REPEATS => {
                    repeats += 1;
                    (1, "the server does not answer".to_owned())
                }
                Err(error) => return Err(error),
            };
            (self.on_wait)(wait, &why);
            sleep(Duration::from_secs(wait)).await;
        }
    }
}

fn refusal(Answer { status, body, .. }: Answer) -> Error {
    Error::Refused { status, error: text(&body, "error"), message: text(&body, "message"), body }
}

fn text(body: &Value, key: &str) -> String {
    body[key].as_str().unwrap_or_default().to_owned()
}

fn read<T: DeserializeOwned>(body: Value) -> Result<T, Error> {
    serde_json::from_value(body).map_err(|error| Error::Protocol(error.to_string()))
}
