//! The preview of a page while it is written: rendered by the generator as a build would, but for one page. What it shares
//! with other pages, such as the navigation, is taken from the live release.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use generator::{Changes, File, Page, PageParams, Source};
use model::{ApiEndpoint, PageKey, Secret};
use store::autosaves::{self, Autosave};
use store::hosts::HostedSite;
use store::{hosts, sites};

use crate::builds::owners_settings;
use crate::limits::priority;
use crate::{Error, Found, Publisher};

/// How long the address of a preview is valid after the last change.
const LIFETIME: Duration = Duration::from_secs(3600);

/// A page to be shown.
#[derive(Debug, Clone)]
pub struct PreviewPage {
    pub key: PageKey,
    pub section_spelling: Option<String>,
    pub title: String,
    pub description: Option<String>,
    pub tags: Vec<String>,
    pub published_at: Option<model::Timestamp>,
    pub api_endpoint: Option<ApiEndpoint>,
    /// JSON.
    pub params: String,
    pub content: String,
}

impl Publisher {
    /// What was typed on the form whose preview has this secret.
    pub async fn previewed(&self, site: &HostedSite, secret: &str) -> Result<Option<Autosave>, Error> {
        let Some(secret) = Secret::parse(secret) else { return Ok(None) };
        let (site, hash, since) = (site.id, secret.hash(), self.clock.now().minus(LIFETIME));
        self.peek(move |tx| Ok(autosaves::by_preview(tx, site, &hash, since)?)).await
    }

    /// The HTML of a page. Accounts take turns.
    pub async fn preview(&self, hosted: &HostedSite, page: PreviewPage) -> Result<Bytes, Error> {
        let (id, settings, now) = (hosted.id, self.settings.clone(), self.clock.now());
        let (title, origin, mut owner) = self
            .read(move |tx| {
                let row = sites::get(tx, id)?.ok_or(Error::NoSuchSite)?;
                let origin = settings.main_url(&row.name, &hosts::list(tx, id)?);
                Ok((row.name.as_str().to_owned(), origin, owners_settings(tx, id)?))
            })
            .await?;
        // Scripts do not run in a preview.
        owner.head = None;
        let turn = self.parsing.take(hosted.account).await;
        let rendering = priority::spawn_low(move || {
            let _turn = turn;
            let mut site = generator::Site::new(&origin, owner, &title);
            let content = page.content.clone();
            let page = of_generator(page, now);
            let (id, path) = (page.id, generator::url(&page.key));
            site.apply(Changes { pages: vec![(id, Some(page))], former: vec![] });
            let path = site.path_of(id).unwrap_or(path);
            let html = made(&site, &path, Some(&Source::new(&content))).unwrap_or_default();
            (with_style(&site, html), site)
        });
        let (html, site) =
            rendering.await.map_err(|error| Error::Internal(format!("render a preview: {error}")))?;
        self.join_preview(hosted, &site, html).await
    }

    /// Adds the fragments: those of the live release, or of the page alone.
    async fn join_preview(
        &self,
        hosted: &HostedSite,
        site: &generator::Site,
        html: Vec<u8>,
    ) -> Result<Bytes, Error> {
        let mut fragments: HashMap<String, Option<Bytes>> = HashMap::new();
        loop {
            let mut wanted = Vec::new();
            let joined = generator::join(&html, |path| match fragments.get(path) {
                Some(known) => known.clone(),
                None => {
                    wanted.push(path.to_owned());
                    None
                }
            });
            if wanted.is_empty() {
                return Ok(joined.into());
            }
            let mut found = match hosted.release {
                Some(release) => self.find_each(hosted.id, release, &wanted).await?,
                None => HashMap::new(),
            };
            for path in wanted {
                let fragment = match found.remove(&path) {
                    Some(Found::Body { bytes, .. }) => Some(bytes),
                    _ => made(site, &path, None).map(Bytes::from),
                };
                fragments.insert(path, fragment);
            }
        }
    }
}

pub(super) fn of_generator(page: PreviewPage, now: model::Timestamp) -> Page {
    Page {
        id: model::PageId::new(now),
        key: page.key,
        section_spelling: page.section_spelling,
        title: page.title,
        description: page.description,
        tags: page.tags,
        published_at: page.published_at.unwrap_or(now),
        updated_at: now,
        api_endpoint: page.api_endpoint,
        params: PageParams::read(Some(&page.params)),
        content: None,
        summary: String::new(),
        feed_bytes: 0,
    }
}

/// The bytes of a file.
pub(super) fn made(site: &generator::Site, path: &str, source: Option<&Source>) -> Option<Vec<u8>> {
    match site.make(path, source).ok()??.file {
        File::Bytes(bytes) => Some(bytes),
        File::Redirect(_) => None,
    }
}

/// The page with its style sheet inside: a site that was never built has no file for it.
fn with_style(site: &generator::Site, html: Vec<u8>) -> Vec<u8> {
    const LINK: &str = "<link rel=\"stylesheet\" href=\"";
    let Ok(text) = String::from_utf8(html) else { return Vec::new() };
    let Some((before, rest)) = text.split_once(LINK) else { return text.into_bytes() };
    let Some((path, after)) = rest.split_once("\">") else { return text.into_bytes() };
    let style = made(site, path, None).and_then(|style| String::from_utf8(style).ok()).unwrap_or_default();
    format!("{before}<style>{style}</style>{after}").into_bytes()
}
