//! Former addresses of pages, which redirect to the present ones.

use askama::Template;
use axum::extract::State;

use super::failure::Failure;
use super::session::Owner;
use super::view::{Frame, Html, filters, parameter};
use crate::App;

const ON_A_SCREEN: usize = 100;

#[derive(Template)]
#[template(path = "dashboard/redirects.html")]
struct Screen {
    frame: Frame,
    path: String,
    tab: &'static str,
    /// What leads where.
    redirects: Vec<(String, String)>,
    next: Option<String>,
}

pub(super) async fn list(State(app): State<App>, Owner(at): Owner) -> Result<Html, Failure> {
    let after = parameter(&at.uri, "after");
    let mut redirects = app.publisher.redirects(&at.access.site, &after, ON_A_SCREEN + 1).await?;
    let more = redirects.len() > ON_A_SCREEN;
    redirects.truncate(ON_A_SCREEN);
    let last = redirects.last().filter(|_| more).map(|(path, _)| path.as_bytes());
    let next = last.map(|last| {
        let after: String = form_urlencoded::byte_serialize(last).collect();
        format!("{}/redirects?after={after}", at.path)
    });
    let mut frame = at.frame("Settings");
    frame.title = "Redirects".to_owned();
    Ok(Html::new(&Screen { frame, path: at.path, tab: "Redirects", redirects, next }))
}
