//! Preview cards and icons: drawn at the first request, from what the release says, and kept for the next.

use axum::http::{Request, StatusCode};
use bytes::Bytes;
use model::SiteId;
use publisher::{Brand, Error, HostedSite, Icon, PageCard, Publisher};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;

use super::file::{File, FileContent};
use super::files::Files;
use super::{SiteResponse, response};
use crate::listen::RequestBody;

/// Images in memory, in bytes. A card has 10 to 100 KB.
const MAX_BYTES: u64 = 32 << 20;
/// Images that are drawn at a time: each takes some milliseconds of CPU time, and an uploaded icon a child process.
const MAX_CONCURRENT: usize = 2;

/// The images that were requested last.
pub(super) struct Drawn {
    images: Cache<Key, Bytes, Weight>,
    drawing: Semaphore,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    site: SiteId,
    /// The path, and for an icon, of which path the content may change, what it is made of.
    what: String,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Key, Bytes> for Weight {
    fn weight(&self, key: &Key, image: &Bytes) -> u64 {
        (key.what.len() + image.len()) as u64 + 64
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Drawing {
    /// The card of the page at this path.
    Card(String),
    Icon(Icon),
}

impl Drawing {
    fn at(path: &str) -> Option<Drawing> {
        match path {
            "/favicon.ico" => Some(Drawing::Icon(Icon::Favicon)),
            "/apple-touch-icon.png" => Some(Drawing::Icon(Icon::Touch)),
            _ => PageCard::page_of(path).map(Drawing::Card),
        }
    }
}

impl Drawn {
    pub(super) fn new() -> Drawn {
        Drawn {
            images: Cache::with_weighter(1024, MAX_BYTES, Weight),
            drawing: Semaphore::new(MAX_CONCURRENT),
        }
    }

    /// `None`: nothing is drawn at this path, or the release has no such page, or was built by an earlier version.
    pub(super) async fn respond(
        &self,
        publisher: &Publisher,
        files: &Files,
        site: &HostedSite,
        release: i64,
        path: &str,
        request: &Request<RequestBody>,
    ) -> Result<Option<SiteResponse>, Error> {
        let Some(drawing) = Drawing::at(path) else { return Ok(None) };
        let Some(brand) = publisher.brand(site.id, release).await? else { return Ok(None) };
        let image = match drawing {
            Drawing::Card(page) => {
                let Some(card) = card_of(publisher, files, site.id, release, &page).await? else {
                    return Ok(None);
                };
                if card.path != path {
                    // What the page shows has changed since its former card was linked.
                    return Ok(Some(response::moved(StatusCode::FOUND, &card.path, request.uri())));
                }
                let key = Key { site: site.id, what: path.to_owned() };
                self.image(key, publisher.draw_card(brand, card)).await?
            }
            Drawing::Icon(icon) => {
                let key = Key { site: site.id, what: icon_key(path, &brand) };
                self.image(key, publisher.draw_icon(site.id, brand, icon)).await?
            }
        };
        let file = files.made(release, path, image);
        let FileContent::Body(body) = &file.content else { return Ok(None) };
        Ok(Some(response::whole(body, request.method(), request.headers()).await))
    }

    /// Concurrent requests for an image share one drawing.
    async fn image(
        &self,
        key: Key,
        draw: impl Future<Output = Result<Bytes, Error>>,
    ) -> Result<Bytes, Error> {
        let make = async {
            let _permit = self.drawing.acquire().await;
            draw.await
        };
        self.images.get_or_insert_async(&key, make).await
    }
}

fn icon_key(path: &str, brand: &Brand) -> String {
    format!("{path} {brand:?}")
}

/// The card that the page refers to.
async fn card_of(
    publisher: &Publisher,
    files: &Files,
    site: SiteId,
    release: i64,
    page: &str,
) -> Result<Option<PageCard>, Error> {
    let file = files.find(publisher, site, release, page).await?;
    let Some(File { content: FileContent::Body(body), .. }) = file.as_deref() else { return Ok(None) };
    Ok(PageCard::read(page, &String::from_utf8_lossy(&body.plain.bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icons_and_cards_have_their_paths() {
        let card = |path: &str| Some(Drawing::Card(path.to_owned()));
        assert_eq!(Drawing::at("/favicon.ico"), Some(Drawing::Icon(Icon::Favicon)));
        assert_eq!(Drawing::at("/apple-touch-icon.png"), Some(Drawing::Icon(Icon::Touch)));
        assert_eq!(Drawing::at("/assets/cards/0123/blog/a.png"), card("/blog/a"));
        assert_eq!(Drawing::at("/assets/cards/0123.png"), card("/"));
        for path in ["/", "/favicon.svg", "/assets/site.css", "/blog/a.png", "/a/favicon.ico"] {
            assert_eq!(Drawing::at(path), None, "{path}");
        }
    }
}
