//! What a person types on the form of a page is kept until it is saved or discarded, so that no fault loses it.

use std::time::Duration;

use model::{Secret, UserId};
use store::autosaves::{self, Autosave};
use store::sites::Site;
use uuid::Uuid;

use crate::{Error, Publisher};

/// Forms that are kept of a person.
const KEPT_FORMS: i64 = 20;
/// How long a form is kept on which nothing more is typed.
const LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);
/// Forms that are forgotten in one transaction.
const SWEPT: i64 = 100;

/// What a person has typed.
#[derive(Debug, Clone)]
pub struct Typed {
    /// The id of the page; for a new page, one that its form has made up.
    pub form: Uuid,
    /// The version of the page that the person has read; 0 for a new page.
    pub version: i64,
    /// Rises with what is typed.
    pub revision: i64,
    /// The revision that this tab has shown, or `i64::MAX` for any.
    pub seen: i64,
    /// The fields of the form as JSON.
    pub fields: String,
    /// In the address of the preview.
    pub preview: Secret,
}

impl Publisher {
    /// `Error::Changed`: another tab of the same person has typed something else.
    pub async fn autosave(&self, site: &Site, user: UserId, typed: Typed) -> Result<(), Error> {
        self.disks.check()?;
        let (site, Typed { form, version, revision, seen, fields, preview }) = (site.id, typed);
        let autosave =
            Autosave { form, version, revision, fields, preview: preview.hash(), saved_at: self.clock.now() };
        let kept = self.write(move |tx, _| Ok(autosaves::put(tx, site, user, &autosave, seen, KEPT_FORMS)?));
        if kept.await? { Ok(()) } else { Err(Error::Changed) }
    }

    /// What a person has typed on a form.
    pub async fn autosaved(&self, site: &Site, user: UserId, form: Uuid) -> Result<Option<Autosave>, Error> {
        let site = site.id;
        self.peek(move |tx| Ok(autosaves::get(tx, site, user, form)?)).await
    }

    /// The new page that a person has typed last.
    pub async fn autosaved_new(&self, site: &Site, user: UserId) -> Result<Option<Autosave>, Error> {
        let site = site.id;
        self.peek(move |tx| Ok(autosaves::newest_of_new(tx, site, user)?)).await
    }

    pub async fn autosave_discard(&self, site: &Site, user: UserId, form: Uuid) -> Result<(), Error> {
        let site = site.id;
        self.write(move |tx, _| Ok(autosaves::remove(tx, site, user, form)?)).await
    }

    /// After a page was saved. What another tab has typed is kept.
    pub async fn autosave_saved(
        &self,
        site: &Site,
        user: UserId,
        form: Uuid,
        (preview, seen): (&Secret, i64),
    ) -> Result<(), Error> {
        let (site, preview) = (site.id, preview.hash());
        self.write(move |tx, _| Ok(autosaves::remove_seen(tx, site, user, form, &preview, seen)?)).await
    }

    pub(crate) async fn sweep_autosaves(&self) -> Result<(), Error> {
        let until = self.clock.now().minus(LIFETIME);
        while self.write(move |tx, _| Ok(autosaves::sweep(tx, until, SWEPT)?)).await? > 0 {}
        Ok(())
    }
}
