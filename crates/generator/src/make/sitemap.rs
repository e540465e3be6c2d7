//! The sitemap: one file, or an index of shards by hash plus one file for lists.

use std::fmt::Write;

use model::{ContentType, Timestamp};

use crate::url::{list_url, url};
use crate::{Page, Site};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

impl Site {
    pub(super) fn sitemap(&self) -> String {
        let shards = self.index.shards.count();
        if shards == 0 {
            return urlset(|urls| {
                self.put_lists(urls);
                self.index.pages_with_ids(self.index.shards.ids()).for_each(|page| self.put_page(page, urls));
            });
        }
        let mut index = format!("{HEAD}<sitemapindex xmlns=\"{NAMESPACE}\">\n");
        let names = (0..shards).map(|shard| shard.to_string());
        for name in ["lists".to_owned()].into_iter().chain(names) {
            let address = format!("{}/sitemap.{name}.xml", self.frame.origin);
            writeln!(index, "<sitemap><loc>{address}</loc></sitemap>")
                .expect("writing to a String cannot fail");
        }
        index + "</sitemapindex>\n"
    }

    pub(super) fn sitemap_lists(&self) -> String {
        urlset(|urls| self.put_lists(urls))
    }

    pub(super) fn sitemap_shard(&self, shard: usize) -> String {
        urlset(|urls| {
            self.index
                .pages_with_ids(self.index.shards.ids_of(shard))
                .for_each(|page| self.put_page(page, urls))
        })
    }

    /// The home page and the lists, except those that are replaced by a page.
    fn put_lists(&self, urls: &mut String) {
        ["/", "/blog", "/docs"].into_iter().for_each(|path| self.put(path, None, urls));
        let of_shelves = [ContentType::Docs, ContentType::Standalone].into_iter();
        let section_lists =
            of_shelves.flat_map(|of| self.index.sections_of(of).map(move |(section, _)| (of, section)));
        let blog = self.index.blog_sections.keys().map(|section| (ContentType::Blog, section));
        for (of, section) in blog.chain(section_lists) {
            if self.index.section_page(of, section).is_none() {
                self.put(&list_url(of, section), None, urls);
            }
        }
    }

    fn put_page(&self, page: &Page, urls: &mut String) {
        self.put(&url(&page.key), Some(page.updated_at), urls);
    }

    fn put(&self, path: &str, changed: Option<Timestamp>, urls: &mut String) {
        let address = crate::text::escape(&self.frame.origin);
        write!(urls, "<url><loc>{address}{path}</loc>").expect("writing to a String cannot fail");
        if let Some(changed) = changed {
            write!(urls, "<lastmod>{changed}</lastmod>").expect("writing to a String cannot fail");
        }
        urls.push_str("</url>\n");
    }
}

fn urlset(put: impl FnOnce(&mut String)) -> String {
    let mut urls = format!("{HEAD}<urlset xmlns=\"{NAMESPACE}\">\n");
    put(&mut urls);
    urls + "</urlset>\n"
}
