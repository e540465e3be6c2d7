//! Members of the site's account: invite, change the role, remove.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use model::{Email, Role, UserId};
use publisher::{Error, Member};

use super::failure::Failure;
use super::fields::Fields;
use super::links::link_url;
use super::session::{AtSite, RecentOwner};
use super::view::{Confirm, Frame, Html, filters, problem};
use crate::App;

#[derive(Template)]
#[template(path = "dashboard/members.html")]
struct Screen {
    frame: Frame,
    path: String,
    members: Vec<Member>,
    roles: [Role; 2],
    /// The link of the invitation that was just made, and for whom; it is never shown again.
    invited: Option<(String, String)>,
    email: String,
    error: Option<String>,
}

pub(super) async fn list(State(app): State<App>, RecentOwner(at): RecentOwner) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &at).await?))
}

pub(super) async fn invite(
    State(app): State<App>,
    RecentOwner(at): RecentOwner,
    fields: Fields,
) -> Result<Response, Failure> {
    let typed = fields.get("email");
    let role = Role::parse(&fields.get("role")).unwrap_or(Role::Writer);
    let invited = match Email::parse(&typed) {
        Ok(email) => at.publisher(&app).member_invite(at.access.caller.account, email, role).await,
        Err(message) => Err(Error::Refused(message)),
    };
    match invited {
        Ok(invited) => {
            let link = link_url(&app.url, &invited.link);
            let invited = Some((invited.email.as_str().to_owned(), link));
            Ok(Html::new(&Screen { invited, ..screen(&app, &at).await? }).into_response())
        }
        Err(Error::Refused(message)) => {
            let screen = Screen { email: typed, error: Some(message), ..screen(&app, &at).await? };
            Ok(Html::new(&screen).with(StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn set_role(
    State(app): State<App>,
    RecentOwner(at): RecentOwner,
    Path((_, id)): Path<(String, String)>,
    fields: Fields,
) -> Result<Response, Failure> {
    let member = find(&app, &at, &id).await?;
    let role = Role::parse(&fields.get("role")).ok_or(Failure::Missing)?;
    let set = at.publisher(&app).member_set_role(at.access.caller.account, member.user, role).await;
    finish(&app, &at, set, "changed").await
}

pub(super) async fn ask_remove(
    State(app): State<App>,
    RecentOwner(at): RecentOwner,
    Path((_, id)): Path<(String, String)>,
) -> Result<Html, Failure> {
    let member = find(&app, &at, &id).await?;
    Ok(Html::new(&Confirm {
        frame: at.frame("Members"),
        question: format!("Remove {} from this account?", member.email),
        button: "Remove",
        fields: vec![],
        back: format!("{}/members", at.path),
    }))
}

pub(super) async fn remove(
    State(app): State<App>,
    RecentOwner(at): RecentOwner,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let member = find(&app, &at, &id).await?;
    let removed = at.publisher(&app).member_remove(at.access.caller.account, member.user).await;
    finish(&app, &at, removed, "changed").await
}

/// The list, with what was done or why not.
async fn finish(app: &App, at: &AtSite, result: Result<(), Error>, what: &str) -> Result<Response, Failure> {
    match result {
        Ok(()) => Ok(at.done("members", what)),
        Err(error) => {
            let (status, why) = problem(error);
            let mut screen = screen(app, at).await?;
            screen.frame.problem = why;
            Ok(Html::new(&screen).with(status))
        }
    }
}

async fn find(app: &App, at: &AtSite, id: &str) -> Result<Member, Failure> {
    let id = UserId::parse(id).ok_or(Failure::Missing)?;
    let members = app.publisher.member_list(at.access.caller.account).await?;
    members.into_iter().find(|member| member.user == id).ok_or(Failure::Missing)
}

async fn screen(app: &App, at: &AtSite) -> Result<Screen, Failure> {
    Ok(Screen {
        frame: at.frame("Members").after(&at.uri),
        path: at.path.clone(),
        members: app.publisher.member_list(at.access.caller.account).await?,
        roles: Role::ALL,
        invited: None,
        email: String::new(),
        error: None,
    })
}
