//! A browser without scripts: it keeps the session's cookie and submits forms, and does not follow redirects.

use std::net::SocketAddr;

use model::{AccountId, Email, Role, Secret};
use reqwest::header::{CONTENT_TYPE, COOKIE, HeaderMap, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder};

use crate::app::App;

pub const PASSWORD: &str = "correct horse battery";

#[derive(Clone)]
pub struct Browser {
    http: reqwest::Client,
    address: SocketAddr,
    cookie: Option<String>,
}

/// A response.
#[derive(Debug)]
pub struct Seen {
    pub status: u16,
    pub headers: HeaderMap,
    pub html: String,
}

impl Seen {
    pub fn location(&self) -> &str {
        self.headers.get(LOCATION).map_or("", |value| value.to_str().unwrap())
    }

    /// Checks the status, and that the text is on the screen.
    pub fn shows(&self, status: u16, text: &str) -> &Seen {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.html.contains(text), "{text:?} is not in {}", self.html);
        self
    }

    pub fn redirects_to(&self, path: &str) {
        assert_eq!((self.status, self.location()), (303, path), "{}", self.html);
    }

    /// The text between the first `start` and the `end` after it.
    pub fn between(&self, start: &str, end: &str) -> String {
        let (_, rest) = self.html.split_once(start).unwrap_or_else(|| panic!("{start:?} in {}", self.html));
        rest.split_once(end).unwrap().0.to_owned()
    }
}

impl Browser {
    pub fn new(app: &App) -> Browser {
        let http = reqwest::Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
        Browser { http, address: app.address, cookie: None }
    }

    /// Of a new member of the account, signed in.
    pub async fn of_member(app: &App<'_>, account: AccountId, email: &str, role: Role) -> Browser {
        let made =
            app.publisher.user_create(Email::parse(email).unwrap(), account, role, false).await.unwrap();
        let mut browser = Browser::new(app);
        browser.choose_password(&made.link, PASSWORD).await;
        browser
    }

    pub async fn choose_password(&mut self, link: &Secret, password: &str) {
        let fields = [("key", link.as_str()), ("password", password), ("repeat", password)];
        self.post("/dashboard/link", &fields).await.redirects_to("/dashboard");
    }

    pub async fn sign_in(&mut self, email: &str, password: &str) -> Seen {
        self.post("/dashboard/sign-in", &[("email", email), ("password", password)]).await
    }

    /// Without the headers by which a browser says where a form is from.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("http://{}{path}", self.address));
        match &self.cookie {
            Some(cookie) => request.header(COOKIE, cookie),
            None => request,
        }
    }

    pub async fn send(&mut self, request: RequestBuilder) -> Seen {
        let response = request.send().await.unwrap();
        if let Some(cookie) = response.headers().get(SET_COOKIE) {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Seen { status, headers, html: response.text().await.unwrap() }
    }

    pub async fn get(&mut self, path: &str) -> Seen {
        let request = self.request(Method::GET, path);
        self.send(request).await
    }

    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Seen {
        let mut form = form_urlencoded::Serializer::new(String::new());
        let request = self
            .request(Method::POST, path)
            .header("sec-fetch-site", "same-origin")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.extend_pairs(fields).finish());
        self.send(request).await
    }

    /// Uploads one file.
    pub async fn upload(&mut self, path: &str, name: &str, bytes: &str) -> Seen {
        let body = format!(
            "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\n\r\n{bytes}\r\n--x--\r\n"
        );
        let request = self
            .request(Method::POST, path)
            .header("sec-fetch-site", "same-origin")
            .header(CONTENT_TYPE, "multipart/form-data; boundary=x")
            .body(body);
        self.send(request).await
    }
}
