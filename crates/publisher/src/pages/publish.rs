//! Publish: one transaction that creates, updates and deletes pages, all of them or none, and queues the build.

use std::sync::Arc;

use api::{BuildOutcome, MediaItem, PublishResponse, PublishedPage};
use model::Trigger;
use store::sites::{self, Site};
use store::{Tx, texts, usage};

use super::changes::{Changes, Written};
use super::draft::{Complete, Request};
use super::look_up::{Ahead, Decision, LookedUp};
use super::texts::Texts;
use crate::accounts::access::site_of;
use crate::builds::{BuildRefusal, queue_build};
use crate::limits::pace::Large;
use crate::media::uploads::StoredFiles;
use crate::{Action, Caller, Draft, Error, Publisher};

impl Draft {
    pub async fn publish(self, caller: &Caller) -> Result<PublishResponse, Error> {
        let complete = self.finish().await?;
        if complete.request.dry_run {
            return complete.plan(caller).await;
        }
        let Complete { publisher, request, looked_up, mut texts, leftovers, files } = complete;
        let request = Arc::new(request);
        let writes_nothing = request.is_refused() || files.is_none() && request.is_empty() && !request.build;
        let ahead = match writes_nothing || files.is_some() || request.is_large() {
            true => Some(Ahead::new(&publisher, caller.account, &request, looked_up).await?),
            false => None,
        };
        texts.wait_for_stashes(0).await?;
        let stored = match (&files, &ahead) {
            (Some(files), Some(Ahead { site, .. })) => {
                // After all other errors.
                if let Some(refusal) = files.refusal() {
                    return Err(refusal);
                }
                let quota = publisher.settings.quota(&caller.plan);
                Some(files.store(&publisher, site.id, quota).await?)
            }
            _ => None,
        };
        let outcome = match ahead {
            Some(Ahead { site, .. }) if writes_nothing => Outcome::nothing(site),
            ahead => publisher.commit(caller, request.clone(), texts, stored, ahead).await?,
        };
        let Outcome { site, changes, build } = outcome;
        if !changes.are_none() {
            leftovers.were_adopted();
        }
        let build = build.map(|queued| match queued {
            Ok(()) => {
                let deploy_url = publisher.settings.deploy_url(&site.name);
                BuildOutcome::Queued { status: "queued", deploy_url }
            }
            Err(refusal) => BuildOutcome::Refused(refusal.into()),
        });
        let pages: Vec<PublishedPage> = changes.pages.into_iter().map(published).collect();
        let page = if request.single { pages.first().cloned() } else { None };
        let media = files.map(|files| files.items()).filter(|items: &Vec<MediaItem>| !items.is_empty());
        Ok(PublishResponse { pages, deleted: changes.deleted, media, build, page, ..Default::default() })
    }

    /// Checks everything that can be checked without the files.
    pub async fn check(self, caller: &Caller) -> Result<(), Error> {
        let Complete { publisher, request, looked_up, .. } = self.finish().await?;
        Ahead::new(&publisher, caller.account, &Arc::new(request), looked_up).await.map(drop)
    }
}

struct Outcome {
    site: Site,
    changes: Changes,
    /// Whether the build was queued, if one was requested.
    build: Option<Result<(), BuildRefusal>>,
}

impl Outcome {
    fn nothing(site: Site) -> Outcome {
        Outcome { site, changes: Changes::default(), build: None }
    }
}

impl Publisher {
    /// Creates or updates pages of a site for its operator. Each entry is a page as in the body of `POST /pages`.
    pub async fn site_publish(
        &self,
        site: &Site,
        pages: &[serde_json::Value],
    ) -> Result<PublishResponse, Error> {
        let plan = self.account_show(site.account).await?.plan;
        let caller = Caller {
            token: None,
            address: None,
            person: None,
            account: site.account,
            plan,
            suspended: false,
        };
        let mut draft = Draft::new(self, &caller);
        draft.begin_batch();
        draft.member("siteId", &serde_json::Value::from(site.id.to_string()).to_string())?;
        for page in pages {
            draft.page(&page.to_string()).await?;
            draft.work_ahead().await?;
        }
        draft.publish(&caller).await
    }

    async fn commit(
        &self,
        caller: &Caller,
        request: Arc<Request>,
        texts: Texts,
        stored: Option<StoredFiles>,
        mut ahead: Option<Ahead>,
    ) -> Result<Outcome, Error> {
        let (account, clock, plan) = (caller.account, self.clock.clone(), caller.plan.clone());
        let (settings, publisher, caller) = (self.settings.clone(), self.clone(), caller.clone());
        let (is_large, is_empty) = (request.is_large(), request.is_empty() && stored.is_none());
        if is_large {
            self.pace.pause(account.0).await;
        }
        let publish = move |tx: &mut Tx| {
            let site = site_of(tx, account, request.site)?;
            // In the same transaction, so that the build is queued even if the server stops right after it.
            let queue = |tx: &mut Tx, now| match request.build {
                true => {
                    let trigger = request.trigger.unwrap_or(Trigger::Publish);
                    queue_build(tx, &settings, (account, &plan), site.id, trigger, now).map(Some)
                }
                false => Ok(None),
            };
            if is_empty {
                let build = queue(tx, clock.now())?;
                return Ok(Outcome { build, ..Outcome::nothing(site) });
            }
            let version = sites::next_version(tx, site.id)?.ok_or(Error::NoSuchSite)?;
            let decision = match ahead.take().filter(|ahead| ahead.holds(&site, version)) {
                Some(ahead) => ahead.decision,
                None => Decision::new(tx, &site, &request, LookedUp::default())?,
            };
            if let Some(expected) = request.expected {
                expected.check(tx, site.id, &decision.targets)?;
            }
            if let Some(stored) = &stored {
                stored.keep(tx)?;
            }
            // The site's lock is held by now, so times follow the order of commits.
            let now = clock.now();
            let mut changes = Changes::new(&request, decision, &texts, now);
            if !changes.are_none() {
                if !texts::adopt(tx, texts.stashes())? {
                    return Err(Error::Overtaken("the request took so long that its texts were swept"));
                }
                changes.store_texts(tx, &texts)?;
                if let Some(exceeded) = usage::charge(tx, site.id, changes.usage, &settings.quota(&plan))? {
                    return Err(exceeded.into());
                }
                changes.write(tx, &site, version, now)?;
                let log = publisher.log_of(&caller, Some(site.id));
                log.note(tx, now, Action::PagesPublished, changes.summary())?;
            }
            let build = queue(tx, now)?;
            Ok(Outcome { site, changes, build })
        };
        if is_large {
            return self.write_large(account.0, Large::Whole, publish).await;
        }
        let outcome = self.store.write(publish).await;
        self.pace.note(account.0);
        outcome
    }
}

pub(super) fn published(Written { status, page, .. }: Written) -> PublishedPage {
    PublishedPage {
        id: page.id.0,
        slug: page.key.slug.as_str().to_owned(),
        title: page.title,
        content_type: page.key.content_type.as_str(),
        section: Some(page.key.section.as_str().to_owned()).filter(|section| !section.is_empty()),
        draft: page.draft,
        status,
        created_at: page.created_at.to_string(),
        updated_at: page.updated_at.to_string(),
    }
}
