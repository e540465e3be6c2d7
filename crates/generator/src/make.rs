//! The file at a path.

mod document;
mod feeds;
mod fragments;
mod home;
mod plain;
mod shelves;
mod sitemap;
mod timelines;
mod view;

use askama::Template;

use crate::place::Place;
use crate::{File, Made, MissingSource, Site, Source};

impl Site {
    /// The file at a path, if there is one. `source` is what [`Site::need`] asks for.
    pub fn make(&self, path: &str, source: Option<&Source<'_>>) -> Result<Option<Made>, MissingSource> {
        let Some(place) = self.place(path) else { return Ok(None) };
        let text = match place {
            Place::Page(id) => return self.document(id, source).map(Some),
            Place::Markdown(id) => return self.markdown(id, source).map(Some),
            Place::Redirect(to) => return Ok(Some(made(File::Redirect(to)))),
            Place::Style => return Ok(Some(bytes(self.frame.style.clone()))),
            Place::Home => self.home(),
            Place::Blog => self.blog(),
            Place::BlogSection(section) => self.blog_section(&section),
            Place::Tags => self.tags(),
            Place::Tag(slug) => self.tag(&slug),
            Place::Cut(line, cut) => self.cut(&line, cut),
            Place::Docs => self.docs(),
            Place::Shelf(of, section) => self.shelf(of, &section),
            Place::Fragment(fragment) => self.fragment(&fragment),
            Place::Atom => self.atom(),
            Place::Rss => self.rss(),
            Place::JsonFeed => self.json_feed(),
            Place::Sitemap => self.sitemap(),
            Place::SitemapLists => self.sitemap_lists(),
            Place::SitemapShard(shard) => self.sitemap_shard(shard),
            Place::Llms => self.llms(),
            Place::Robots => self.robots(),
            Place::NotFound => self.not_found(),
            Place::Icon => self.frame.icon_svg(),
        };
        Ok(Some(bytes(text.into_bytes())))
    }
}

fn bytes(bytes: Vec<u8>) -> Made {
    made(File::Bytes(bytes))
}

fn made(file: File) -> Made {
    Made { file, summary: None, warning: None }
}

/// Templates fail only where something they show does, and ours shows texts and numbers.
fn render(template: &impl Template) -> String {
    template.render().expect("texts and numbers can be written to memory")
}
