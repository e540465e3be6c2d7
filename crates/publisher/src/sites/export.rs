//! Exports a release as plain files, with the site's media, for any static host: into a directory, or as an archive.

mod media;
mod output;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ::media::Icon;
use bytes::Bytes;
use generator::{Brand, Fonts, PageCard, SearchFile};
use model::SiteId;
use store::files::{self, Stored};
use store::releases;
use store::sites::Site;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use self::output::Output;
use crate::builds::owners_settings;
use crate::sites::drawn::card_png;
use crate::sites::serving::is_html;
use crate::{Error, Found, Publisher};

/// Files read in one step, and steps at the same time: their bytes are in memory.
const STEP: i64 = 64;
const STEPS_AT_ONCE: usize = 4;

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
        progress: impl FnMut(usize),
    ) -> Result<Exported, Error> {
        self.export_to(site, release, Output::directory(directory), progress).await
    }

    /// The same as a tar archive, whose bytes are sent to `out`. An error is returned when it is closed.
    pub async fn export_archive(&self, site: &Site, out: mpsc::Sender<Bytes>) -> Result<Exported, Error> {
        let output = Output::archive(out, self.clock.now());
        let done = self.export_to(site, None, output.clone(), |_| {}).await?;
        output.finish().await?;
        Ok(done)
    }

    async fn export_to(
        &self,
        site: &Site,
        release: Option<i64>,
        output: Output,
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
            let (publisher, fragments, output) = (self.clone(), fragments.clone(), output.clone());
            let brand = brand.clone();
            writing.spawn(async move {
                publisher.export_some((id, release), work, brand, fragments, &output).await
            });
            while writing.len() >= STEPS_AT_ONCE {
                done.files += finished(writing.join_next().await)?;
                progress(done.files);
            }
        }
        while let Some(ended) = writing.join_next().await {
            done.files += finished(Some(ended))?;
        }
        done.files += self.export_fonts(site.id, &output).await?;
        if let Some(brand) = brand {
            done.files += self.export_icons(site.id, brand, &output).await?;
        }
        if !redirects.is_empty() {
            output.write(vec![("_redirects".to_owned(), redirects.into_bytes())]).await?;
        }
        done.media = self.export_media(site.id, &output, |media| progress(done.files + media)).await?;
        progress(done.files + done.media);
        Ok(done)
    }

    /// The files that sites share, if this one uses them. Returns their number.
    async fn export_fonts(&self, site: SiteId, output: &Output) -> Result<usize, Error> {
        let settings = self.read(move |tx| owners_settings(tx, site)).await?;
        if settings.fonts == Fonts::System {
            return Ok(0);
        }
        let fonts = generator::shared_assets();
        let fonts: Vec<_> = fonts.map(|(path, bytes)| (relative(path), bytes.to_vec())).collect();
        let count = fonts.len();
        output.write(fonts).await.map(|()| count)
    }

    /// Returns their number.
    async fn export_icons(&self, site: SiteId, brand: Brand, output: &Output) -> Result<usize, Error> {
        let icons = [("favicon.ico", Icon::Favicon), ("apple-touch-icon.png", Icon::Touch)];
        for (name, icon) in icons {
            let drawn = self.draw_icon(site, brand.clone(), icon).await?;
            output.write(vec![(name.to_owned(), drawn.to_vec())]).await?;
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
        fragments: Arc<HashMap<String, Bytes>>,
        output: &Output,
    ) -> Result<usize, Error> {
        let mut bodies = Vec::with_capacity(files.len());
        for (path, stored) in files {
            let found = match generator::is_feed(&path) {
                true => self.find(site, release, &path).await?,
                false => Some(self.fetch(stored).await?),
            };
            bodies.extend(found.map(|found| (path, found)));
        }
        let made = tokio::task::spawn_blocking(move || {
            let (mut made, mut cards) = (vec![], vec![]);
            for (path, found) in bodies {
                let (name, bytes) = plain(&path, found, &fragments);
                if is_html(&path) {
                    cards.extend(draw_card(brand.as_ref(), &path, &bytes));
                }
                made.push((name, bytes));
            }
            let count = cards.len();
            made.extend(cards);
            (made, count)
        });
        let (made, cards) = made.await.map_err(|error| Error::refused(format!("make the files: {error}")))?;
        output.write(made).await.map(|()| cards)
    }
}

/// The name of a file, and its bytes: a page as visitors get it, a redirect as a small page.
fn plain(path: &str, found: Found, fragments: &HashMap<String, Bytes>) -> (String, Vec<u8>) {
    let name = relative(path);
    let index = || if name.is_empty() { "index.html".to_owned() } else { format!("{name}/index.html") };
    let bytes = match found {
        // A static host cannot search.
        Found::Body { bytes, .. } if path == "/search" => {
            let page = generator::join(&bytes, |path| fragments.get(path));
            let filled = generator::fill_search_page(&String::from_utf8_lossy(&page), "", &[]);
            filled.map_or(page, String::into_bytes)
        }
        Found::Body { bytes, .. } if is_html(path) => generator::join(&bytes, |path| fragments.get(path)),
        Found::Body { bytes, .. } => bytes.to_vec(),
        Found::Redirect(target) => return (index(), redirect_page(&target).into()),
    };
    let is_page = is_html(path) && !path.ends_with(".html");
    (if is_page { index() } else { name.clone() }, bytes)
}

/// The preview card of a page, if it has one.
fn draw_card(brand: Option<&Brand>, path: &str, page: &[u8]) -> Option<(String, Vec<u8>)> {
    let card = PageCard::read(path, &String::from_utf8_lossy(page))?;
    Some((relative(&card.path), card_png(brand?, card)))
}

fn relative(path: &str) -> String {
    path.trim_start_matches('/').to_owned()
}

/// A page for hosts that do not read `_redirects`.
fn redirect_page(target: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Moved</title>\
         <meta http-equiv=\"refresh\" content=\"0; url={target}\"><link rel=\"canonical\" href=\"{target}\">\
         <p>This page has moved to <a href=\"{target}\">{target}</a>.</p></html>\n"
    )
}

/// Returns how many cards were written.
fn finished(ended: Option<Result<Result<usize, Error>, tokio::task::JoinError>>) -> Result<usize, Error> {
    match ended {
        None => Ok(0),
        Some(Ok(result)) => result,
        Some(Err(error)) => Err(Error::refused(format!("write the files: {error}"))),
    }
}
