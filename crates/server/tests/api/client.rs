//! A client of the API. It sends a request a second, by the test's clock, so that a long table of cases stays
//! within the rate limits and no two pages have the same update time; a hasty client does not move the clock.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use model::ManualClock;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::answer::Answer;

pub const PREFIX: &str = "/api/v1/public";

#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    address: SocketAddr,
    clock: Arc<ManualClock>,
    authorization: Option<HeaderValue>,
    pace: Duration,
}

impl Client {
    pub fn new(address: SocketAddr, clock: Arc<ManualClock>) -> Client {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Client { http, address, clock, authorization: None, pace: Duration::from_secs(1) }
    }

    pub fn with_token(&self, token: &str) -> Client {
        self.with_authorization(format!("Bearer {token}").as_bytes())
    }

    /// The raw header, which may be invalid.
    pub fn with_authorization(&self, header: &[u8]) -> Client {
        Client { authorization: Some(HeaderValue::from_bytes(header).unwrap()), ..self.clone() }
    }

    pub fn hasty(&self) -> Client {
        Client { pace: Duration::ZERO, ..self.clone() }
    }

    pub fn authorization(&self) -> &str {
        self.authorization.as_ref().unwrap().to_str().unwrap()
    }

    /// A request below the prefix, to be sent by `send`.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.request_outside(method, &format!("{PREFIX}{path}"))
    }

    pub fn request_outside(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("http://{}{path}", self.address));
        match &self.authorization {
            Some(value) => request.header(AUTHORIZATION, value),
            None => request,
        }
    }

    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let answer = self.send_to_a_broken_server(request).await;
        assert!(answer.status < 500, "our own fault: {answer:?}");
        answer
    }

    /// For tests that expect a status of 500 or more.
    pub async fn send_to_a_broken_server(&self, request: RequestBuilder) -> Answer {
        self.clock.advance(self.pace);
        Answer::read(request.send().await.unwrap()).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.post_text(path, body.to_string()).await
    }

    /// A body with the content type JSON.
    pub async fn post_text(&self, path: &str, body: impl Into<reqwest::Body>) -> Answer {
        let request = self.request(Method::POST, path).header(CONTENT_TYPE, "application/json");
        self.send(request.body(body)).await
    }

    /// `POST /builds` without a body.
    pub async fn build(&self) -> Answer {
        self.send(self.request(Method::POST, "/builds")).await
    }

    /// Sends pages.
    pub async fn pages(&self, pages: Value) -> Answer {
        self.post("/pages", json!({"pages": pages})).await
    }

    /// Publishes a page, which must succeed, and returns the page from the response.
    pub async fn page(&self, page: Value) -> Value {
        let mut answer = self.pages(json!([page])).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["pages"][0].take()
    }

    /// Publishes a page that is known by its key: `docs/guides/intro`; `blog//hello` has no section.
    pub async fn page_at(&self, key: &str) -> Value {
        let parts: Vec<&str> = key.split('/').collect();
        let [content_type, section, slug] = parts[..] else { panic!("{key} is not a key") };
        self.page(json!({"slug": slug, "contentType": content_type, "section": section, "title": key})).await
    }

    /// All pages, from `GET /pages`.
    pub async fn list(&self) -> Value {
        let mut answer = self.get("/pages").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["pages"].take()
    }

    /// One page from `GET /pages`.
    pub async fn listed(&self, page: &Value) -> Value {
        let pages = self.list().await;
        let found = pages.as_array().unwrap().iter().find(|listed| listed["id"] == page["id"]);
        found.unwrap_or_else(|| panic!("{page} is not among {pages}")).clone()
    }
}

/// `docs/guides/intro`: the key of a page in a response.
pub fn key(page: &Value) -> String {
    let text = |field: &str| page[field].as_str().unwrap_or_default();
    format!("{}/{}/{}", text("contentType"), text("section"), text("slug"))
}
