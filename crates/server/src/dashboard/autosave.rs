//! Keeps what a person types on the form of a page. The script sends it after each change; without a script a preview
//! does. It is shown again when the form is opened, until it is saved or discarded.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use model::{PageId, Secret, Timestamp};
use publisher::{Autosave, Error, Typed};
use uuid::Uuid;

use super::failure::Failure;
use super::fields::Fields;
use super::page_form::PageForm;
use super::session::AtSite;
use crate::App;
use crate::error::ApiError;

/// What identifies a form to its server, and to its preview.
pub(super) struct FormIds {
    /// The id of the page; for a new page, one that the form has made up.
    pub(super) form: Uuid,
    /// What is typed next has a higher one.
    pub(super) revision: i64,
    /// The revision that was shown when the form was loaded.
    pub(super) seen: i64,
    /// The secret in the address of the preview. Each loaded form has its own.
    pub(super) preview: Secret,
}

impl FormIds {
    pub(super) fn of(form: Uuid, revision: i64) -> Result<FormIds, Failure> {
        let preview = Secret::generate().map_err(|error| Error::Internal(format!("a secret: {error}")))?;
        Ok(FormIds { form, revision, seen: revision, preview })
    }

    /// Those that a form has sent. `None`: it has none, such as the form of a program.
    pub(super) fn submitted(fields: &Fields, page: Option<PageId>) -> Option<FormIds> {
        let form = match page {
            Some(page) => page.0,
            None => fields.get("form").parse().ok()?,
        };
        let revision = fields.get("revision").parse().unwrap_or_default();
        let seen = fields.get("seen").parse().unwrap_or(i64::MAX);
        Some(FormIds { form, revision, seen, preview: Secret::parse(&fields.get("preview"))? })
    }
}

/// What was typed before, and when.
pub(super) struct Restored {
    pub(super) form: PageForm,
    pub(super) at: Timestamp,
    pub(super) revision: i64,
    pub(super) id: Uuid,
}

impl Restored {
    pub(super) fn of(autosave: Autosave) -> Option<Restored> {
        let mut form: PageForm = serde_json::from_str(&autosave.fields).ok()?;
        form.version = autosave.version;
        Some(Restored { form, at: autosave.saved_at, revision: autosave.revision, id: autosave.form })
    }
}

pub(super) async fn keep_new(
    State(app): State<App>,
    at: AtSite,
    fields: Fields,
) -> Result<StatusCode, Failure> {
    put(&app, &at, &fields, submitted(&fields, None)?).await
}

pub(super) async fn keep(
    State(app): State<App>,
    at: AtSite,
    Path((_, id)): Path<(String, String)>,
    fields: Fields,
) -> Result<StatusCode, Failure> {
    let page = existing(&app, &at, &id).await?;
    put(&app, &at, &fields, submitted(&fields, Some(page))?).await
}

/// Keeps the fields of a form that a person has sent: what this tab has kept before is older.
pub(super) async fn replace(
    app: &App,
    at: &AtSite,
    fields: &Fields,
    page: Option<PageId>,
) -> Result<(), Failure> {
    let mut ids = submitted(fields, page)?;
    let before = app.publisher.autosaved(&at.access.site, at.session.user, ids.form).await?;
    ids.revision = ids.revision.max(before.map_or(0, |before| before.revision + 1));
    put(app, at, fields, ids).await.map(drop)
}

fn submitted(fields: &Fields, page: Option<PageId>) -> Result<FormIds, Failure> {
    let ids = FormIds::submitted(fields, page);
    ids.ok_or_else(|| ApiError::BadRequest("this form has no id".into()).into())
}

async fn put(app: &App, at: &AtSite, fields: &Fields, ids: FormIds) -> Result<StatusCode, Failure> {
    let form = PageForm::submitted(fields);
    let typed = Typed {
        form: ids.form,
        version: form.version,
        revision: ids.revision,
        seen: ids.seen,
        fields: serde_json::to_string(&form).unwrap_or_default(),
        preview: ids.preview,
    };
    match app.publisher.autosave(&at.access.site, at.session.user, typed).await {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(Error::Changed) => Err(Failure::OtherTab),
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn discard_new(
    State(app): State<App>,
    at: AtSite,
    fields: Fields,
) -> Result<Response, Failure> {
    let form = fields.get("form").parse().map_err(|_| Failure::Missing)?;
    app.publisher.autosave_discard(&at.access.site, at.session.user, form).await?;
    Ok(Redirect::to(&format!("{}/pages/new?done=discarded", at.path)).into_response())
}

pub(super) async fn discard(
    State(app): State<App>,
    at: AtSite,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let page = existing(&app, &at, &id).await?;
    app.publisher.autosave_discard(&at.access.site, at.session.user, page.0).await?;
    Ok(Redirect::to(&format!("{}/pages/{page}?done=discarded", at.path)).into_response())
}

/// A live page of the site.
pub(super) async fn existing(app: &App, at: &AtSite, id: &str) -> Result<PageId, Failure> {
    let found = app.publisher.pages_by_id(&at.access.site, vec![page_id(id)?]).await?;
    found.first().map(|page| page.id).ok_or(Failure::Missing)
}

pub(super) fn page_id(text: &str) -> Result<PageId, Failure> {
    PageId::parse(text).ok_or(Failure::Missing)
}
