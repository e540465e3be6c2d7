//! One page: write it, change it, delete it.

use api::BuildOutcome;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use model::{ContentType, Secret, Timestamp, Trigger};
use publisher::{Draft, Error, Expected, FieldErrors, StoredPage};
use serde_json::Value;
use uuid::Uuid;

use super::assets::EDITOR;
use super::autosave::{FormIds, Restored, page_id};
use super::failure::Failure;
use super::fields::Fields;
use super::page_form::PageForm;
use super::params_form::{Input, KNOWN, Known, PREFIX};
use super::session::AtSite;
use super::view::{Confirm, Frame, Html, filters, problem};
use super::{autosave, pages, preview, sign_in};
use crate::App;
use crate::error::json;

#[derive(Template)]
#[template(path = "dashboard/page.html")]
struct Screen {
    frame: Frame,
    editor: &'static str,
    /// Where the form is sent to.
    action: String,
    types: [ContentType; 4],
    known: [Known; KNOWN.len()],
    form: PageForm,
    ids: FormIds,
    /// The address of the preview.
    preview: String,
    /// Where the script uploads files to.
    media: String,
    /// For the style sheets of the editor.
    nonce: Secret,
    errors: FieldErrors,
    /// When what is shown was typed, if it is not saved.
    restored: Option<Timestamp>,
    /// What someone else stored while this person was writing.
    meanwhile: Option<PageForm>,
    /// `None` for a new page.
    stored: Option<Stored>,
}

struct Stored {
    url: String,
}

impl Screen {
    fn value(&self, known: &Known) -> &str {
        self.form.known.get(known.name).map_or("", String::as_str)
    }

    /// Whether the fields that are rarely needed are shown.
    fn shows_more(&self) -> bool {
        let rare = |name: &&str| name.starts_with(PREFIX) || ["apiEndpoint", "params"].contains(name);
        self.errors.keys().any(rare)
    }

    fn respond(&self, at: &AtSite, status: StatusCode) -> Response {
        preview::with_frame(at, Html::new(self).with(status), Some(self.nonce.as_str()))
    }
}

pub(super) async fn new(State(app): State<App>, at: AtSite) -> Result<Response, Failure> {
    let kept = app.publisher.autosaved_new(&at.access.site, at.session.user).await?;
    let kept = kept.and_then(Restored::of).filter(|kept| kept.form != PageForm::empty());
    let screen = match kept {
        Some(kept) => restored(&at, kept, None)?,
        None => screen(&at, PageForm::empty(), FormIds::of(Uuid::new_v4(), 0)?, None)?,
    };
    Ok(screen.respond(&at, StatusCode::OK))
}

pub(super) async fn edit(
    State(app): State<App>,
    at: AtSite,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let stored = find(&app, &at, &id).await?;
    let kept = app.publisher.autosaved(&at.access.site, at.session.user, stored.page.id.0).await?;
    let (kept, form) = (kept.and_then(Restored::of), PageForm::of(&stored));
    let screen = match kept {
        // The same text, although the page may have been changed and changed back.
        Some(kept) if kept.form != (PageForm { version: kept.form.version, ..form.clone() }) => {
            restored(&at, kept, Some(&stored))?
        }
        kept => {
            let revision = kept.map_or(0, |kept| kept.revision);
            screen(&at, form, FormIds::of(stored.page.id.0, revision)?, Some(&stored))?
        }
    };
    Ok(screen.respond(&at, StatusCode::OK))
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
    let page = stored.as_ref().map(|stored| stored.page.id);
    let ids = FormIds::submitted(fields, page);
    let error = match write(app, at, &form, stored.as_ref(), fields.has("publish")).await {
        Ok(build) => {
            if let Some(ids) = ids {
                let own = (&ids.preview, ids.seen);
                app.publisher.autosave_saved(&at.access.site, at.session.user, ids.form, own).await?;
            }
            return match build {
                None => Ok(at.done("pages", "saved")),
                Some(BuildOutcome::Queued { .. }) => Ok(at.done("pages", "published")),
                Some(BuildOutcome::Refused(why)) => pages::not_built(app, at, &why).await,
            };
        }
        Err(error) => error,
    };
    let ids = match ids {
        Some(ids) => {
            // If this fails, too, the form still shows it.
            let _ = autosave::replace(app, at, fields, page).await;
            ids
        }
        None => FormIds::of(page.map_or_else(Uuid::new_v4, |page| page.0), 0)?,
    };
    let mut again = screen(at, form, ids, stored.as_ref())?;
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
    Ok(again.respond(at, status))
}

/// In one transaction. What became of the build, if one was asked for.
async fn write(
    app: &App,
    at: &AtSite,
    form: &PageForm,
    stored: Option<&StoredPage>,
    publish: bool,
) -> Result<Option<BuildOutcome>, Error> {
    let page = form.page(stored).map_err(|errors| Error::Invalid([(0, errors)].into()))?;
    let mut draft = Draft::new(&app.publisher, &at.access.caller);
    draft.begin_batch();
    draft.member("siteId", &Value::from(at.access.site.id.to_string()).to_string())?;
    draft.expect(match stored {
        Some(_) => Expected::Version(form.version),
        None => Expected::New,
    });
    draft.page(&String::from_utf8_lossy(&json(&page))).await?;
    if publish {
        draft.build(Trigger::Dashboard);
    }
    Ok(draft.publish(&at.access.caller).await?.build)
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
    match app.publisher.page_read(&at.access.site, page_id(id)?).await {
        Err(Error::NoSuchPage) => Err(Failure::Missing),
        read => Ok(read?),
    }
}

fn screen(at: &AtSite, form: PageForm, ids: FormIds, stored: Option<&StoredPage>) -> Result<Screen, Failure> {
    let mut frame = at.frame("Pages").after(&at.uri);
    frame.title = stored.map_or("New page".to_owned(), |stored| stored.page.title.clone());
    let last = stored.map_or("new".to_owned(), |stored| stored.page.id.to_string());
    let nonce = Secret::generate().map_err(|error| Error::Internal(format!("a nonce: {error}")))?;
    Ok(Screen {
        frame,
        editor: &EDITOR.url,
        action: format!("{}/pages/{last}", at.path),
        types: ContentType::ALL,
        known: KNOWN,
        form,
        preview: preview::url(at, ids.preview.as_str()),
        media: format!("{}/media/add", at.path),
        ids,
        nonce,
        errors: FieldErrors::new(),
        restored: None,
        meanwhile: None,
        stored: stored.map(|stored| Stored { url: at.on_site(&publisher::page_url(&stored.page.key)) }),
    })
}

/// With what was typed before, and not saved.
fn restored(at: &AtSite, kept: Restored, stored: Option<&StoredPage>) -> Result<Screen, Failure> {
    let mut screen = screen(at, kept.form, FormIds::of(kept.id, kept.revision)?, stored)?;
    screen.restored = Some(kept.at);
    Ok(screen)
}
