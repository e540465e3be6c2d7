//! One page: write it, change it, delete it.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use model::{ContentType, PageId};
use publisher::{Draft, Error, Expected, FieldErrors, StoredPage};
use serde_json::Value;

use super::failure::Failure;
use super::fields::Fields;
use super::page_form::PageForm;
use super::session::AtSite;
use super::sign_in;
use super::view::{Confirm, Frame, Html, problem};
use crate::App;
use crate::error::{ApiError, json};

#[derive(Template)]
#[template(path = "dashboard/page.html")]
struct Screen {
    frame: Frame,
    /// Where the form is sent to.
    action: String,
    types: [ContentType; 4],
    form: PageForm,
    errors: FieldErrors,
    /// What someone else stored while this person was writing.
    meanwhile: Option<PageForm>,
    /// `None` for a new page.
    stored: Option<Stored>,
}

struct Stored {
    url: String,
}

pub(super) async fn new(at: AtSite) -> Html {
    Html::new(&screen(&at, PageForm::empty(), None))
}

pub(super) async fn edit(
    State(app): State<App>,
    at: AtSite,
    Path((_, id)): Path<(String, String)>,
) -> Result<Html, Failure> {
    let stored = find(&app, &at, &id).await?;
    Ok(Html::new(&screen(&at, PageForm::of(&stored), Some(&stored))))
}

pub(super) async fn create(
    State(app): State<App>,
    at: Result<AtSite, Failure>,
    fields: Fields,
) -> Result<Response, Failure> {
    match at {
        Err(Failure::SignIn(next)) => Ok(sign_in::keep(next, &fields)),
        at => store(&app, &at?, &fields, None).await,
    }
}

pub(super) async fn save(
    State(app): State<App>,
    at: Result<AtSite, Failure>,
    Path((_, id)): Path<(String, String)>,
    fields: Fields,
) -> Result<Response, Failure> {
    let at = match at {
        Err(Failure::SignIn(next)) => return Ok(sign_in::keep(next, &fields)),
        at => at?,
    };
    let stored = find(&app, &at, &id).await?;
    store(&app, &at, &fields, Some(stored)).await
}

/// Stores the page, and queues a build if that was asked for. If anything is wrong, the form is shown again as it was
/// typed.
async fn store(
    app: &App,
    at: &AtSite,
    fields: &Fields,
    stored: Option<StoredPage>,
) -> Result<Response, Failure> {
    let form = PageForm::submitted(fields);
    let error = match write(app, at, &form, stored.as_ref()).await {
        Ok(()) if fields.has("publish") => return Ok(publish(app, at).await),
        Ok(()) => return Ok(at.done("pages", "saved")),
        Err(error) => error,
    };
    let mut again = screen(at, form, stored.as_ref());
    let status = match error {
        Error::Invalid(mut pages) => {
            again.errors = pages.remove(&0).unwrap_or_default();
            again.frame.problem = Some("Not saved: please correct the fields below.".into());
            StatusCode::BAD_REQUEST
        }
        Error::Changed => {
            if let Some(stored) = &stored {
                // Read again: saving once more is then a decision.
                let now = app.publisher.page_read(&at.access.site, stored.page.id).await?;
                again.form.version = now.version;
                again.meanwhile = Some(PageForm::of(&now));
            }
            again.frame.problem = Some(
                "Not saved: someone else changed this page meanwhile. Both texts are below; saving again replaces theirs."
                    .into(),
            );
            StatusCode::CONFLICT
        }
        error => {
            let (status, problem) = problem(error);
            again.frame.problem = problem;
            status
        }
    };
    Ok(Html::new(&again).with(status))
}

async fn write(app: &App, at: &AtSite, form: &PageForm, stored: Option<&StoredPage>) -> Result<(), Error> {
    let page = form.page(stored).map_err(|errors| Error::Invalid([(0, errors)].into()))?;
    let mut draft = Draft::new(&app.publisher, &at.access.caller);
    draft.begin_batch();
    draft.member("siteId", &Value::from(at.access.site.id.to_string()).to_string())?;
    draft.expect(match stored {
        Some(_) => Expected::Version(form.version),
        None => Expected::New,
    });
    draft.page(&String::from_utf8_lossy(&json(&page))).await?;
    draft.publish(&at.access.caller).await.map(drop)
}

/// The page is stored; whether a build can be queued is said on the screen of builds.
async fn publish(app: &App, at: &AtSite) -> Response {
    match app.publisher.build_now(&at.access.caller, &at.access.site).await {
        Ok(_) => at.done("pages", "published"),
        Err(error) => super::builds::refused(app, at, ApiError::from(error)).await,
    }
}

pub(super) async fn ask_delete(
    State(app): State<App>,
    at: AtSite,
    Path((_, id)): Path<(String, String)>,
) -> Result<Html, Failure> {
    let stored = find(&app, &at, &id).await?;
    Ok(Html::new(&Confirm {
        frame: at.frame("Pages"),
        question: format!("Delete the page “{}”? It stays in the trash for a while.", stored.page.title),
        button: "Delete",
        fields: vec![],
        back: format!("{}/pages/{}", at.path, stored.page.id),
    }))
}

pub(super) async fn delete(
    State(app): State<App>,
    at: AtSite,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let stored = find(&app, &at, &id).await?;
    let (caller, site) = (&at.access.caller, Some(at.access.site.id));
    app.publisher.delete(caller, site, Some(stored.page.key)).await?;
    Ok(at.done("pages", "deleted"))
}

async fn find(app: &App, at: &AtSite, id: &str) -> Result<StoredPage, Failure> {
    let id = PageId::parse(id).ok_or(Failure::Missing)?;
    match app.publisher.page_read(&at.access.site, id).await {
        Err(Error::NoSuchPage) => Err(Failure::Missing),
        read => Ok(read?),
    }
}

fn screen(at: &AtSite, form: PageForm, stored: Option<&StoredPage>) -> Screen {
    let mut frame = at.frame("Pages");
    frame.title = stored.map_or("New page".to_owned(), |stored| stored.page.title.clone());
    let last = stored.map_or("new".to_owned(), |stored| stored.page.id.to_string());
    Screen {
        frame,
        action: format!("{}/pages/{last}", at.path),
        types: ContentType::ALL,
        form,
        errors: FieldErrors::new(),
        meanwhile: None,
        stored: stored.map(|stored| Stored { url: at.on_site(&publisher::page_url(&stored.page.key)) }),
    }
}
