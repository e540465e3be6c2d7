//! Generates the file at a path.

mod document;
mod feeds;
mod fragments;
mod home;
mod llms;
mod plain;
mod search;
mod section_lists;
mod sitemap;
mod timelines;
mod view;

use askama::Template;

pub(crate) use self::llms::shard_path;
pub use self::search::SearchText;
use crate::route::Route;
use crate::url::SearchFile;
use crate::{Brand, File, Made, MissingSource, Site, Source};

impl Site {
    /// The file at a path, if there is one. `source` is required where [`Site::need`] says so. The leaves of the search
    /// index are not made here.
    pub fn make(&self, path: &str, source: Option<&Source<'_>>) -> Result<Option<Made>, MissingSource> {
        let Some(route) = self.route(path) else { return Ok(None) };
        let text = match route {
            Route::Page(id) => return self.document(id, source).map(Some),
            Route::Markdown(id) => return self.markdown(id, source).map(Some),
            Route::Redirect(to) => return Ok(Some(made(File::Redirect(to)))),
            Route::Search(SearchFile::Terms(_) | SearchFile::Texts(_)) => return Ok(None),
            Route::Search(SearchFile::Leaves) => self.search_leaves(),
            Route::Style => return Ok(Some(bytes(self.frame.style.clone()))),
            Route::Script => return Ok(Some(bytes(self.frame.script.clone()))),
            Route::Home => self.home(),
            Route::Blog => self.blog(),
            Route::BlogSection(section) => self.blog_section(&section),
            Route::Tags => self.tags(),
            Route::Tag(slug) => self.tag(&slug),
            Route::Archive(key, archive) => self.archive(&key, archive),
            Route::Docs => self.docs(),
            Route::SectionList(of, section) => self.ordered_pages(of, &section),
            Route::Fragment(fragment) => self.fragment(&fragment),
            Route::Atom => self.atom(),
            Route::Rss => self.rss(),
            Route::JsonFeed => self.json_feed(),
            Route::Sitemap => self.sitemap(),
            Route::SitemapLists => self.sitemap_lists(),
            Route::SitemapShard(shard) => self.sitemap_shard(shard),
            Route::Llms => self.llms(),
            Route::LlmsOf(of, section) => self.llms_of(of, &section),
            Route::LlmsShard(shard) => self.llms_shard(shard),
            Route::Robots => self.robots(),
            Route::NotFound => self.not_found(),
            Route::SearchPage => self.search_page(),
            Route::Icon => self.frame.icon_svg(),
            Route::Brand => Brand::of(&self.frame).to_json(),
        };
        Ok(Some(bytes(text.into_bytes())))
    }
}

fn bytes(bytes: Vec<u8>) -> Made {
    made(File::Bytes(bytes))
}

fn made(file: File) -> Made {
    Made { file, summary: None, search: None, warning: None }
}

/// Templates fail only if a value they show does, and ours show only texts and numbers.
fn render(template: &impl Template) -> String {
    template.render().expect("texts and numbers can be written to memory")
}
