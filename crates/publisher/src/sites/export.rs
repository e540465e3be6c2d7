//! Exports a release as plain files, with the site's media, for any static host.

mod media;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::media::Icon;
use bytes::Bytes;
use generator::{Brand, Fonts, PageCard, SearchFile};
use model::SiteId;
use store::files::{self, Stored};
use store::releases;
use store::sites::Site;
use tokio::task::JoinSet;

use crate::builds::owners_settings;
use crate::sites::drawn::card_png;
use crate::sites::serving::is_html;
use crate::{Error, Found, Publisher};

/// Files read in one step.
const STEP: i64 = 512;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    pub release: i64,
    pub files: usize,
    pub redirects: usize,
    /// Uploaded files, under each of their names.
    pub media: usize,
}

impl Publisher {
    /// Writes a release (the live one, if none is named) into a directory. `progress` is called with the number of
    /// files written so far.
    pub async fn export(
        &self,
        site: &Site,
        release: Option<i64>,
        directory: &Path,
        mut progress: impl FnMut(usize),
    ) -> Result<Exported, Error> {
        let release = self.release_to_export(site, release).await?;
        let mut done = Exported { release, ..Exported::default() };
        let fragments = Arc::new(self.fragments(site.id, release).await?);
        let brand = self.brand(site.id, release).await?;
        let (mut after, mut redirects, mut writing) = (String::new(), String::new(), JoinSet::new());
        loop {
            let id = site.id;
            let from = after.clone();
            let step = self.read(move |tx| Ok(files::list(tx, id, release, &from, STEP)?)).await?;
            let Some(last) = step.last() else { break };
            after = last.path.clone();
            let mut work: Vec<(String, Stored)> = Vec::new();
            for file in step {
                match &file.stored {
                    _ if generator::is_fragment(&file.path) || file.path == "/.md" => continue,
                    Stored::Redirect(target) => {
                        redirects.push_str(&format!("{} {target} 301\n", file.path));
                        done.redirects += 1;
                    }
                    Stored::Bytes { .. } => done.files += 1,
                }
                work.push((file.path, file.stored));
            }
            let (publisher, fragments, directory) = (self.clone(), fragments.clone(), directory.to_owned());
            let brand = brand.clone();
            writing.spawn(async move {
                publisher.export_some((id, release), work, brand, &fragments, &directory).await
            });
            while writing.len() >= 4 {
                done.files += finished(writing.join_next().await)?;
                progress(done.files);
            }
        }
        while let Some(ended) = writing.join_next().await {
            done.files += finished(Some(ended))?;
        }
        done.files += self.export_fonts(site.id, directory).await?;
        if let Some(brand) = brand {
            done.files += self.export_icons(site.id, brand, directory).await?;
        }
        if !redirects.is_empty() {
            write(&directory.join("_redirects"), redirects.as_bytes())?;
        }
        done.media = self.export_media(site.id, directory, |media| progress(done.files + media)).await?;
        progress(done.files + done.media);
        Ok(done)
    }

    /// The files that sites share, if this one uses them. Returns their number.
    async fn export_fonts(&self, site: SiteId, directory: &Path) -> Result<usize, Error> {
        let settings = self.read(move |tx| owners_settings(tx, site)).await?;
        if settings.fonts == Fonts::System {
            return Ok(0);
        }
        for (path, bytes) in generator::shared_assets() {
            write(&directory.join(path.trim_start_matches('/')), bytes)?;
        }
        Ok(generator::shared_assets().count())
    }

    /// Returns their number.
    async fn export_icons(&self, site: SiteId, brand: Brand, directory: &Path) -> Result<usize, Error> {
        let icons = [("favicon.ico", Icon::Favicon), ("apple-touch-icon.png", Icon::Touch)];
        for (name, icon) in icons {
            write(&directory.join(name), &self.draw_icon(site, brand.clone(), icon).await?)?;
        }
        Ok(icons.len())
    }

    async fn release_to_export(&self, site: &Site, wanted: Option<i64>) -> Result<i64, Error> {
        let id = site.id;
        let (live, kept) =
            self.read(move |tx| Ok((releases::live(tx, id)?, releases::list(tx, id)?))).await?;
        let wanted = wanted.or(live).ok_or_else(|| Error::refused("the site was never built"))?;
        match kept.iter().any(|release| release.number == wanted) {
            true => Ok(wanted),
            false => Err(Error::refused(format!("there is no release {wanted} any more"))),
        }
    }

    /// Fragments are shared by many pages, and read once. The search index is not among them.
    async fn fragments(&self, site: SiteId, release: i64) -> Result<HashMap<String, Bytes>, Error> {
        let (mut fragments, mut after) = (HashMap::new(), "/.".to_owned());
        loop {
            let from = after.clone();
            let step = self.read(move |tx| Ok(files::list(tx, site, release, &from, STEP)?)).await?;
            let Some(last) = step.last() else { return Ok(fragments) };
            after = last.path.clone();
            for file in step {
                if !file.path.starts_with("/.") {
                    return Ok(fragments);
                }
                if SearchFile::parse(&file.path).is_some() {
                    continue;
                }
                if let Found::Body { bytes, .. } = self.fetch(file.stored).await? {
                    fragments.insert(file.path, bytes);
                }
            }
        }
    }

    async fn export_some(
        &self,
        (site, release): (SiteId, i64),
        files: Vec<(String, Stored)>,
        brand: Option<Brand>,
        fragments: &HashMap<String, Bytes>,
        directory: &Path,
    ) -> Result<usize, Error> {
        let mut bodies = Vec::with_capacity(files.len());
        for (path, stored) in files {
            let found = match generator::is_feed(&path) {
                true => self.find(site, release, &path).await?,
                false => Some(self.fetch(stored).await?),
            };
            bodies.extend(found.map(|found| (path, found)));
        }
        let made: Vec<(PathBuf, Vec<u8>)> =
            bodies.into_iter().map(|(path, found)| plain(&path, found, fragments, directory)).collect();
        let directory = directory.to_owned();
        let written = tokio::task::spawn_blocking(move || {
            made.iter().try_fold(0, |cards, (path, bytes)| {
                let card = write_card(brand.as_ref(), path, bytes, &directory)?;
                write(path, bytes).map(|()| cards + usize::from(card))
            })
        });
        written.await.map_err(|error| Error::refused(format!("write the files: {error}")))?
    }
}

/// Where a file goes, and its bytes: a page as visitors get it, a redirect as a small page.
fn plain(
    path: &str,
    found: Found,
    fragments: &HashMap<String, Bytes>,
    directory: &Path,
) -> (PathBuf, Vec<u8>) {
    let relative = path.trim_start_matches('/');
    let is_page = is_html(path) && !path.ends_with(".html");
    let file = match is_page {
        true => directory.join(relative).join("index.html"),
        false => directory.join(relative),
    };
    let bytes = match found {
        // A static host cannot search.
        Found::Body { bytes, .. } if path == "/search" => {
            let page = generator::join(&bytes, |path| fragments.get(path));
            let filled = generator::fill_search_page(&String::from_utf8_lossy(&page), "", &[]);
            filled.map_or(page, String::into_bytes)
        }
        Found::Body { bytes, .. } if is_html(path) => generator::join(&bytes, |path| fragments.get(path)),
        Found::Body { bytes, .. } => bytes.to_vec(),
        Found::Redirect(target) => {
            return (directory.join(relative).join("index.html"), redirect_page(&target).into());
        }
    };
    (file, bytes)
}

/// The preview card of a page, if it has one: `true`.
fn write_card(brand: Option<&Brand>, path: &Path, page: &[u8], directory: &Path) -> Result<bool, Error> {
    let is_page = path.extension().is_some_and(|extension| extension == "html");
    let card = is_page.then(|| PageCard::read(&String::from_utf8_lossy(page))).flatten();
    let (Some(brand), Some(card)) = (brand, card) else { return Ok(false) };
    let file = directory.join(card.path.trim_start_matches('/'));
    write(&file, &card_png(brand, card)).map(|()| true)
}

/// A page for hosts that do not read `_redirects`.
fn redirect_page(target: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Moved</title>\
         <meta http-equiv=\"refresh\" content=\"0; url={target}\"><link rel=\"canonical\" href=\"{target}\">\
         <p>This page has moved to <a href=\"{target}\">{target}</a>.</p></html>\n"
    )
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = match std::fs::write(path, bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let parent = path.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(parent).and_then(|()| std::fs::write(path, bytes))
        }
        written => written,
    };
    written.map_err(|error| Error::refused(format!("write {}: {error}", path.display())))
}

/// Returns how many cards were written.
fn finished(ended: Option<Result<Result<usize, Error>, tokio::task::JoinError>>) -> Result<usize, Error> {
    match ended {
        None => Ok(0),
        Some(Ok(result)) => result,
        Some(Err(error)) => Err(Error::refused(format!("write the files: {error}"))),
    }
}
