//! What all screens have in common: the frame around them, and their response.

use askama::Template;
use axum::http::header::CONTENT_TYPE;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use publisher::Session;

use super::assets::{SCRIPT, STYLE};
use super::failure::{message_of, status_of};
use crate::error::ApiError;
use crate::query::Parameters;

/// The frame of a screen.
pub(super) struct Frame {
    pub(super) title: String,
    pub(super) style: &'static str,
    pub(super) script: &'static str,
    /// Whose session it is.
    pub(super) email: Option<String>,
    pub(super) operator: bool,
    pub(super) site: Option<FrameSite>,
    /// The entry of the navigation that the screen belongs to.
    pub(super) current: &'static str,
    /// What was done.
    pub(super) done: Option<&'static str>,
    /// Why nothing was done.
    pub(super) problem: Option<String>,
}

/// The site that the navigation is about.
pub(super) struct FrameSite {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) url: String,
    pub(super) owner: bool,
}

/// What a redirect after an action says was done, by its parameter `done`.
const DONE: [(&str, &str); 20] = [
    ("saved", "Saved. Visitors see it after the next build."),
    ("published", "Saved. A build has been queued."),
    ("deleted", "Deleted. Visitors see it after the next build."),
    ("restored", "Restored. Visitors see it after the next build."),
    ("moved", "Moved. Visitors see it after the next build."),
    ("tagged", "The tag was added. Visitors see it after the next build."),
    ("discarded", "The unsaved changes were discarded."),
    ("queued", "A build has been queued."),
    ("rolled-back", "Rolled back. Visitors get this release until the next build."),
    ("uploaded", "Uploaded."),
    ("removed", "Deleted."),
    ("revoked", "Revoked."),
    ("changed", "Changed."),
    ("ended", "The session has ended."),
    ("domain-added", "Added. Links and feeds use it after the next build, if it is the first domain."),
    ("domain-removed", "Removed. Links and feeds change with the next build."),
    ("protected", "Visitors need the password from now on."),
    ("public", "The site is public."),
    ("passkey-added", "The passkey has been added."),
    ("site-deleted", "The site has been deleted."),
];

impl Frame {
    /// Without navigation.
    pub(super) fn plain(title: impl Into<String>) -> Frame {
        Frame {
            title: title.into(),
            style: &STYLE.url,
            script: &SCRIPT.url,
            email: None,
            operator: false,
            site: None,
            current: "",
            done: None,
            problem: None,
        }
    }

    pub(super) fn of(session: &Session, title: impl Into<String>) -> Frame {
        Frame { email: Some(session.email.clone()), operator: session.operator, ..Frame::plain(title) }
    }

    /// With what the action before it has done.
    pub(super) fn after(mut self, uri: &Uri) -> Frame {
        let asked = parameter(uri, "done");
        self.done = DONE.iter().find(|(key, _)| *key == asked).map(|(_, text)| *text);
        self
    }

    pub(super) fn with_problem(mut self, problem: Option<String>) -> Frame {
        self.problem = problem;
        self
    }
}

/// The status and the message of an action that failed, for the screen that offered it.
pub(super) fn problem(error: impl Into<ApiError>) -> (StatusCode, Option<String>) {
    let error = error.into();
    (status_of(&error), Some(message_of(&error)))
}

/// A parameter of the query; empty if it is missing.
pub(super) fn parameter(uri: &Uri, name: &str) -> String {
    Parameters::of(uri).get(name).ok().flatten().unwrap_or_default().to_owned()
}

/// Which part of a list is shown, by the parameter `from`: its beginning and its end.
pub(super) fn part(uri: &Uri, length: usize) -> (usize, usize) {
    let from: usize = parameter(uri, "from").parse().unwrap_or(0);
    (from, from.saturating_add(length))
}

/// Filters of the templates.
pub(super) mod filters {
    use std::fmt::Display;

    use askama::Values;

    /// A time to the minute: `2026-01-02 03:04`.
    #[askama::filter_fn]
    pub(in crate::dashboard) fn minute(time: impl Display, _: &dyn Values) -> askama::Result<String> {
        let text = time.to_string();
        Ok(text.get(..16).unwrap_or(&text).replace('T', " "))
    }

    /// A number of bytes, for people.
    #[askama::filter_fn]
    pub(in crate::dashboard) fn size(bytes: &u64, _: &dyn Values) -> askama::Result<String> {
        Ok(model::ByteSize(*bytes).to_string())
    }

    /// A value in the query of an address.
    #[askama::filter_fn]
    pub(in crate::dashboard) fn component(value: impl Display, _: &dyn Values) -> askama::Result<String> {
        Ok(form_urlencoded::byte_serialize(value.to_string().as_bytes()).collect())
    }
}

/// A rendered screen.
pub(super) struct Html(String);

impl Html {
    pub(super) fn new(screen: &impl Template) -> Html {
        // Writing into a text does not fail.
        Html(screen.render().unwrap_or_default())
    }

    pub(super) fn with(self, status: StatusCode) -> Response {
        (status, self).into_response()
    }
}

impl IntoResponse for Html {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "text/html; charset=utf-8")], self.0).into_response()
    }
}

/// Before an action that cannot be undone: the question, and a button with the same name.
#[derive(Template)]
#[template(path = "dashboard/confirm.html")]
pub(super) struct Confirm {
    pub(super) frame: Frame,
    pub(super) question: String,
    pub(super) button: &'static str,
    /// What the form sends along.
    pub(super) fields: Vec<(&'static str, String)>,
    pub(super) back: String,
}
