//! What is rarely done with a site: export it, delete it.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use super::failure::Failure;
use super::fields::Fields;
use super::session::{AtSite, Owner, RecentOwner};
use super::view::{Frame, Html};
use crate::App;

#[derive(Template)]
#[template(path = "dashboard/more.html")]
struct Screen {
    frame: Frame,
    path: String,
    tab: &'static str,
    name: String,
    typed: String,
    error: Option<String>,
}

pub(super) async fn show(Owner(at): Owner) -> Html {
    Html::new(&screen(&at))
}

/// The screen, with the reason why nothing was exported.
pub(super) fn refused(at: &AtSite, why: &str, status: StatusCode) -> Response {
    let mut screen = screen(at);
    screen.frame.problem = Some(why.to_owned());
    Html::new(&screen).with(status)
}

/// The name of the site has to be typed: it cannot be restored.
pub(super) async fn delete(
    State(app): State<App>,
    RecentOwner(at): RecentOwner,
    fields: Fields,
) -> Result<Response, Failure> {
    let typed = fields.get("name");
    if typed.trim() != at.access.site.name.as_str() {
        let error = Some("Type the name of the site to delete it.".to_owned());
        return Ok(Html::new(&Screen { typed, error, ..screen(&at) }).with(StatusCode::BAD_REQUEST));
    }
    at.publisher(&app).site_delete_soon(&at.access.site).await?;
    Ok(Redirect::to("/dashboard/sites?done=site-deleted").into_response())
}

fn screen(at: &AtSite) -> Screen {
    let mut frame = at.frame("Settings");
    frame.title = "Export and delete".to_owned();
    Screen {
        frame,
        path: at.path.clone(),
        tab: "More",
        name: at.access.site.name.as_str().to_owned(),
        typed: String::new(),
        error: None,
    }
}
