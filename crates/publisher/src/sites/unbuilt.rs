//! The pages of a site before its first build, for `recto dev`: each is generated when it is opened, as a build does it. They
//! have other ids than after the first publish, which decide where a long navigation is cut, and in which order posts of one
//! date are.

use std::collections::HashMap;

use bytes::Bytes;
use generator::{Need, Settings, Site, Source};
use model::{PageId, Timestamp};

use super::preview::{PreviewPage, made, of_generator};

/// What a part of a list begins with: it shows the beginnings of texts, which only a build knows.
const LISTS: &str = "/.list";

pub struct UnbuiltSite {
    site: Site,
    texts: HashMap<PageId, String>,
}

impl UnbuiltSite {
    /// `origin` and `title` are those of the site, `now` is the time of a first publish.
    pub fn new(
        origin: &str,
        title: &str,
        settings: Settings,
        pages: Vec<PreviewPage>,
        now: Timestamp,
    ) -> UnbuiltSite {
        let (mut of_site, mut texts) = (Vec::with_capacity(pages.len()), HashMap::with_capacity(pages.len()));
        for mut page in pages {
            let content = std::mem::take(&mut page.content);
            let page = of_generator(page, now);
            texts.insert(page.id, content);
            of_site.push(page);
        }
        UnbuiltSite { site: Site::load(origin, settings, title, of_site, Vec::new()), texts }
    }

    /// A page, joined with its fragments, or a file that pages use. `None`: there is none, or only a build can make it.
    pub fn file(&self, path: &str) -> Option<Bytes> {
        if let Some(shared) = generator::shared_asset(path) {
            return Some(Bytes::from_static(shared));
        }
        match self.site.need(path) {
            Need::Page(id) => {
                let text = self.texts.get(&id)?;
                self.joined(made(&self.site, path, Some(&Source::new(text)))?)
            }
            Need::Index if path.starts_with("/assets/") || path.ends_with(".svg") => {
                made(&self.site, path, None).map(Bytes::from)
            }
            _ => None,
        }
    }

    fn joined(&self, page: Vec<u8>) -> Option<Bytes> {
        let mut lists_texts = false;
        let joined = generator::join(&page, |path| {
            lists_texts |= path.starts_with(LISTS);
            made(&self.site, path, None).map(Bytes::from)
        });
        (!lists_texts).then(|| joined.into())
    }
}
