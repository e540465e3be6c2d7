//! What is shown instead of a screen.

use askama::Template;
use axum::http::uri::PathAndQuery;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use publisher::Error;

use super::view::{Frame, Html};
use crate::error::ApiError;

pub(super) enum Failure {
    /// There is no session. With the address to return to.
    SignIn(String),
    /// The person signed in too long ago for this. With the address to return to.
    SignInAgain(String),
    Missing,
    WrongMethod,
    OtherOrigin,
    OwnersOnly,
    /// The link was used, or is too old.
    LinkGone,
    /// The same person writes the same page in another tab.
    OtherTab,
    Api(ApiError),
}

impl Failure {
    pub(super) fn sign_in(asked: &Uri) -> Failure {
        Failure::SignIn(asked.path_and_query().map(PathAndQuery::to_string).unwrap_or_default())
    }

    fn status(&self) -> StatusCode {
        match self {
            Failure::SignIn(_) | Failure::SignInAgain(_) => StatusCode::SEE_OTHER,
            Failure::Missing => StatusCode::NOT_FOUND,
            Failure::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Failure::OtherOrigin | Failure::OwnersOnly => StatusCode::FORBIDDEN,
            Failure::LinkGone => StatusCode::GONE,
            Failure::OtherTab => StatusCode::CONFLICT,
            Failure::Api(error) => status_of(error),
        }
    }

    fn message(&self) -> String {
        match self {
            Failure::SignIn(_) | Failure::SignInAgain(_) => "Please sign in.".into(),
            Failure::Missing => "There is nothing at this address.".into(),
            Failure::WrongMethod => "This address does not accept that.".into(),
            Failure::OtherOrigin => {
                "This form was sent from another site. Open the dashboard and try again.".into()
            }
            Failure::OwnersOnly => "Only owners of the account may do this. Ask one of them.".into(),
            Failure::LinkGone => {
                "This link was used already, or is older than 24 hours. Ask for another one.".into()
            }
            Failure::OtherTab => {
                "You have typed something else on this page in another tab or browser. Save or discard it there, or save this text."
                    .into()
            }
            Failure::Api(error) => message_of(error),
        }
    }
}

#[derive(Template)]
#[template(path = "dashboard/failure.html")]
struct Screen {
    frame: Frame,
    message: String,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        if let Failure::SignIn(next) | Failure::SignInAgain(next) = &self {
            let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
            let again = if matches!(self, Failure::SignInAgain(_)) { "again=yes&" } else { "" };
            return Redirect::to(&format!("/dashboard/sign-in?{again}next={next}")).into_response();
        }
        let (status, message) = (self.status(), self.message());
        if let Failure::Api(ApiError::Publisher(error)) = &self
            && status.is_server_error()
        {
            tracing::error!(%error, "a screen of the dashboard failed");
        }
        Html::new(&Screen { frame: Frame::plain(title_of(status)), message }).with(status)
    }
}

fn title_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN => "Not allowed",
        StatusCode::GONE => "Link expired",
        _ if status.is_server_error() => "Something went wrong",
        _ => "That did not work",
    }
}

/// What a use case refuses is the person's to correct, and sites of others do not exist.
pub(super) fn status_of(error: &ApiError) -> StatusCode {
    match error {
        ApiError::Publisher(Error::NoSuchSite) => StatusCode::NOT_FOUND,
        ApiError::Publisher(Error::Refused(_)) => StatusCode::BAD_REQUEST,
        error => error.status(),
    }
}

/// In the same words as the API.
pub(super) fn message_of(error: &ApiError) -> String {
    let text = match error {
        ApiError::Publisher(Error::NoSuchSite) => "there is nothing at this address".to_owned(),
        ApiError::Publisher(Error::Refused(message)) => message.clone(),
        error => error.message(),
    };
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Failure {
        Failure::Api(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Api(error.into())
    }
}
