//! Draws preview cards and icons of a release.

use std::path::PathBuf;
use std::sync::Arc;

use blob::Key;
use bytes::Bytes;
use card::Card;
use generator::{Brand, PageCard};
use media::{Icon, Job, MediaKind};
use model::{MediaUrl, SiteId};
use tokio::task::spawn_blocking;

use crate::{Error, Found, Medium, Publisher};

impl Publisher {
    /// What a release says about its site. `None`: it was built by an earlier version.
    pub async fn brand(&self, site: SiteId, release: i64) -> Result<Option<Brand>, Error> {
        let found = self.find(site, release, Brand::PATH).await?;
        Ok(match found {
            Some(Found::Body { bytes, .. }) => Brand::parse(&bytes),
            _ => None,
        })
    }

    /// A PNG.
    pub async fn draw_card(&self, brand: Brand, card: PageCard) -> Result<Bytes, Error> {
        drawn(move || card_png(&brand, card)).await
    }

    /// The owner's icon if that is an uploaded image, else one that is drawn. A PNG; the favicon is an .ico.
    pub async fn draw_icon(&self, site: SiteId, brand: Brand, icon: Icon) -> Result<Bytes, Error> {
        let own = self.own_icon(site, &brand, icon).await?;
        drawn(move || match own {
            Some(png) => in_format(png, icon),
            None => initial(&brand, icon),
        })
        .await
    }

    async fn own_icon(&self, site: SiteId, brand: &Brand, icon: Icon) -> Result<Option<Vec<u8>>, Error> {
        let url = brand.icon.as_deref().and_then(MediaUrl::parse);
        let Some(url) = url.filter(|url| url.name.ends_with(".webp")) else { return Ok(None) };
        let Some(medium) = self.find_medium(site, &url).await? else { return Ok(None) };
        let made = self.shrink_to_icon(medium, icon).await;
        Ok(made
            .inspect_err(|error| tracing::warn!(%site, %url, %error, "icon not made, the initial is used"))
            .ok())
    }

    /// A child process opens the upload.
    async fn shrink_to_icon(&self, medium: Medium, icon: Icon) -> Result<Vec<u8>, Error> {
        let directory = Arc::new(self.spool.request_directory()?);
        let input = match self.blob.local_path(&Key::media(medium.object)) {
            Some(path) => path,
            None => self.fetch_to(medium.object, medium.size, "source.webp", directory.clone()).await?,
        };
        let (pool, output): (_, PathBuf) = (self.file_processor.pool(), directory.path().join("icon.png"));
        let work = spawn_blocking(move || {
            let job = Job { kind: MediaKind::Image, input, output };
            pool.icon(&job, icon).map_err(|failure| Error::Internal(failure.to_string()))?;
            std::fs::read(&job.output).map_err(|error| Error::Internal(format!("read an icon: {error}")))
        });
        work.await.map_err(|error| Error::Internal(format!("make an icon: {error}")))?
    }
}

pub(super) fn card_png(brand: &Brand, card: PageCard) -> Vec<u8> {
    let PageCard { title, section, .. } = card;
    Card { title, section, site: brand.title.clone(), accent: brand.accent }.png()
}

/// An icon with the initial of the site's title.
pub fn initial(brand: &Brand, icon: Icon) -> Vec<u8> {
    in_format(card::icon(&brand.title, brand.accent, icon.side().into()), icon)
}

fn in_format(png: Vec<u8>, icon: Icon) -> Vec<u8> {
    match icon {
        Icon::Favicon => card::ico(&png, icon.side()),
        Icon::Touch => png,
    }
}

async fn drawn(draw: impl FnOnce() -> Vec<u8> + Send + 'static) -> Result<Bytes, Error> {
    let drawn = spawn_blocking(draw).await;
    drawn.map(Bytes::from).map_err(|error| Error::Internal(format!("draw an image: {error}")))
}
