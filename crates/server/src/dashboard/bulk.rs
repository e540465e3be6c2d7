//! The same for several pages: delete them, move them to a section, add a tag. Each is one request as of the API, so all
//! pages change or none.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use model::PageId;
use publisher::{Draft, Error, Page};
use serde_json::{Value, json};

use super::failure::Failure;
use super::fields::Fields;
use super::session::AtSite;
use super::view::{Frame, Html, problem};
use crate::App;
use crate::error::ApiError;

/// Before the ids of the chosen pages.
const CHOSEN: &str = "page.";
/// More than a screen of the list has.
const MAX_PAGES: usize = 200;

/// Asks once more, and for the section or the tag.
#[derive(Template)]
#[template(path = "dashboard/bulk.html")]
struct Screen {
    frame: Frame,
    path: String,
    action: Action,
    pages: Vec<Page>,
    value: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Delete,
    Move,
    Tag,
}

impl Action {
    fn of(fields: &Fields) -> Result<Action, Failure> {
        match fields.get("do").as_str() {
            "delete" => Ok(Action::Delete),
            "move" => Ok(Action::Move),
            "tag" => Ok(Action::Tag),
            _ => Err(Failure::Missing),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Action::Delete => "delete",
            Action::Move => "move",
            Action::Tag => "tag",
        }
    }

    /// The button's.
    fn label(self) -> &'static str {
        match self {
            Action::Delete => "Delete",
            Action::Move => "Move",
            Action::Tag => "Add tag",
        }
    }
}

pub(super) async fn ask(State(app): State<App>, at: AtSite, fields: Fields) -> Result<Html, Failure> {
    let (action, pages) = (Action::of(&fields)?, chosen(&app, &at, &fields).await?);
    Ok(Html::new(&screen(&at, action, pages, String::new())))
}

pub(super) async fn delete(State(app): State<App>, at: AtSite, fields: Fields) -> Result<Response, Failure> {
    let pages = chosen(&app, &at, &fields).await?;
    let mut draft = draft(&app, &at)?;
    for page in &pages {
        let key = json!({"slug": page.key.slug.as_str(), "contentType": page.key.content_type.as_str(),
            "section": page.key.section.as_str()});
        draft.delete(&key.to_string())?;
    }
    finish(&at, draft, (Action::Delete, "deleted"), pages, String::new()).await
}

pub(super) async fn move_to(State(app): State<App>, at: AtSite, fields: Fields) -> Result<Response, Failure> {
    let (pages, section) = (chosen(&app, &at, &fields).await?, fields.get("section").trim().to_owned());
    let mut draft = draft(&app, &at)?;
    for page in &pages {
        draft.page(&json!({"id": page.id.to_string(), "section": section}).to_string()).await?;
    }
    finish(&at, draft, (Action::Move, "moved"), pages, section).await
}

pub(super) async fn tag(State(app): State<App>, at: AtSite, fields: Fields) -> Result<Response, Failure> {
    let (pages, tag) = (chosen(&app, &at, &fields).await?, fields.get("tag").trim().to_owned());
    let mut draft = draft(&app, &at)?;
    for page in &pages {
        let mut tags: Vec<String> = serde_json::from_str(&page.tags).unwrap_or_default();
        tags.extend((!tag.is_empty() && !tags.contains(&tag)).then(|| tag.clone()));
        draft.page(&json!({"id": page.id.to_string(), "tags": tags}).to_string()).await?;
    }
    finish(&at, draft, (Action::Tag, "tagged"), pages, tag).await
}

/// Those of the chosen pages that still exist.
async fn chosen(app: &App, at: &AtSite, fields: &Fields) -> Result<Vec<Page>, Failure> {
    let ids = fields.below(CHOSEN).into_iter().filter_map(|(id, _)| PageId::parse(&id));
    let ids: Vec<PageId> = ids.take(MAX_PAGES + 1).collect();
    if ids.len() > MAX_PAGES {
        return Err(ApiError::BadRequest(format!("choose at most {MAX_PAGES} pages at a time")).into());
    }
    let pages = app.publisher.pages_by_id(&at.access.site, ids).await?;
    match pages.is_empty() {
        true => Err(ApiError::BadRequest("choose at least one page of the list".into()).into()),
        false => Ok(pages),
    }
}

fn draft(app: &App, at: &AtSite) -> Result<Draft, Failure> {
    let mut draft = Draft::new(&app.publisher, &at.access.caller);
    draft.begin_batch();
    draft.member("siteId", &Value::from(at.access.site.id.to_string()).to_string())?;
    Ok(draft)
}

/// Stores it. If that is refused, the question is shown again with the reason.
async fn finish(
    at: &AtSite,
    draft: Draft,
    (action, done): (Action, &str),
    pages: Vec<Page>,
    value: String,
) -> Result<Response, Failure> {
    let error = match draft.publish(&at.access.caller).await {
        Ok(_) => return Ok(at.done("pages", done)),
        Err(error) => error,
    };
    let wrong = match &error {
        Error::Invalid(errors) => first(errors, &pages),
        _ => None,
    };
    let (status, why) = problem(error);
    let mut screen = screen(at, action, pages, value);
    screen.frame.problem = wrong.or(why);
    Ok((status, Html::new(&screen)).into_response())
}

/// Which page is the first that cannot be changed, and why.
fn first(errors: &publisher::PageErrors, pages: &[Page]) -> Option<String> {
    let (index, errors) = errors.iter().next()?;
    let (page, why) = (pages.get(*index)?, errors.values().next()?);
    Some(format!("Nothing was changed: “{}”: {why}.", page.title))
}

fn screen(at: &AtSite, action: Action, pages: Vec<Page>, value: String) -> Screen {
    let frame = Frame { title: action.label().to_owned(), ..at.frame("Pages") };
    Screen { frame, path: at.path.clone(), action, pages, value }
}
