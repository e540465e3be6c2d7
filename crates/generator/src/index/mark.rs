//! Which files tell of a page.
//!
//! | what changes | what is marked |
//! |---|---|
//! | its text | its own files, the lists that show its first words, feeds, its shard of the sitemap |
//! | its place | that, and its neighbours, the navigation of its section, its former addresses |
//! | the first or last page of a section | the list of the section, the way to it, the page in front of it, lists of sections |
//! | the page that stands for a section | that, and the neighbours of the section where it was and where it is |
//! | the first or last page of a type | masthead and foot |

use model::{ContentType, PageId, Section};

use super::Index;
use super::marks::Marks;
use super::timeline::Timeline;
use crate::Page;
use crate::url::{Fragment, list_url, tag_slug, url};

/// Up to so many pages the list of a section tells what each is about; longer lists are titles only.
pub(crate) const TOLD: usize = 100;

pub(crate) const FEEDS: [&str; 3] = ["/feed.xml", "/rss.xml", "/feed.json"];

impl Index {
    /// The page is here now and was not, or goes: everything that names it.
    pub(super) fn mark_place(&self, id: PageId, marks: &mut Marks) {
        let Some(page) = self.page(id).filter(|_| marks.wanted()) else { return };
        self.mark_text(id, marks);
        self.mark_shards(marks);
        self.former_of.get(&id).into_iter().flatten().for_each(|path| marks.add(path));

        let (before, after) = self.neighbours(page);
        [before, after].into_iter().flatten().for_each(|page| marks.add(url(&page.key)));
        self.mark_moved_section(page, marks);

        let key = &page.key;
        match key.content_type {
            ContentType::Docs => {
                marks.add("/docs");
                self.mark_home(marks);
                marks.add(side(&key.section));
                self.mark_list(ContentType::Docs, &key.section, marks);
            }
            ContentType::Standalone => {
                marks.add(format_args!("/standalone{}", url(key)));
                self.mark_list(ContentType::Standalone, &key.section, marks);
            }
            ContentType::Homepage => {
                marks.add(url(key));
                marks.add(Fragment::HomeList);
            }
            ContentType::Blog => {}
        }
        let named = Section::parse(key.slug.as_str()).unwrap_or_default();
        if key.section.is_none() && self.has_section(key.content_type, &named) {
            self.mark_section(key.content_type, &named, marks);
        }
    }

    /// The page says something else: what shows its text, and the lists that show its first words.
    pub(super) fn mark_text(&self, id: PageId, marks: &mut Marks) {
        let Some(page) = self.page(id).filter(|_| marks.wanted()) else { return };
        let key = &page.key;
        if key.content_type == ContentType::Homepage {
            ["/", "/.md", "/index.md"].into_iter().for_each(|path| marks.add(path));
            return;
        }
        let path = url(key);
        marks.add(format_args!("{path}.md"));
        marks.add(path);
        marks.add("/llms.txt");
        self.mark_sitemap(page, marks);
        self.mark_cuts(page, marks);
        match key.content_type {
            ContentType::Blog => {
                FEEDS.into_iter().for_each(|path| marks.add(path));
                self.mark_home(marks);
            }
            content_type => {
                let shelf = self.shelf(content_type, &key.section);
                if shelf.is_none_or(|shelf| shelf.len() <= TOLD) {
                    self.mark_list(content_type, &key.section, marks);
                }
                // These tell what pages without section are about: they may stand for one.
                if key.section.is_none() {
                    marks.add("/docs");
                    self.mark_home(marks);
                }
            }
        }
    }

    /// The lists by time that the page is on, as they are now, without it when it has gone.
    pub(super) fn mark_cuts(&self, page: &Page, marks: &mut Marks) {
        if !marks.wanted() || page.key.content_type == ContentType::Homepage {
            return;
        }
        if page.key.content_type == ContentType::Blog {
            marks.add("/blog");
            mark_timeline("/blog", Some(&self.blog), page, marks);
            if !page.key.section.is_none() {
                let base = list_url(ContentType::Blog, &page.key.section);
                self.mark_list(ContentType::Blog, &page.key.section, marks);
                mark_timeline(&base, self.blog_sections.get(&page.key.section), page, marks);
            }
        }
        for tag in &page.tags {
            let slug = tag_slug(tag);
            let base = format!("/tags/{slug}");
            mark_timeline(&base, self.tags.get(&slug).map(|tag| &tag.timeline), page, marks);
            marks.add(base);
        }
    }

    pub(super) fn mark_sitemap(&self, page: &Page, marks: &mut Marks) {
        if !marks.wanted() || page.key.content_type == ContentType::Homepage {
            return;
        }
        match self.shards.of(page.id) {
            None => marks.add("/sitemap.xml"),
            Some(shard) => marks.add(format_args!("/sitemap.{shard}.xml")),
        }
    }

    /// A page has come or gone: the sitemap may be cut in another way.
    pub(super) fn mark_shards(&self, marks: &mut Marks) {
        let shards = self.shards.at_threshold();
        if !shards.is_empty() {
            marks.add("/sitemap.xml");
            marks.add("/sitemap.lists.xml");
        }
        shards.for_each(|shard| marks.add(format_args!("/sitemap.{shard}.xml")));
    }

    /// A section has come or gone, or the page that stands for it.
    pub(super) fn mark_section(&self, content_type: ContentType, section: &Section, marks: &mut Marks) {
        if !marks.wanted() || section.is_none() {
            return;
        }
        marks.add(list_url(content_type, section));
        marks.add(Fragment::List(content_type, section.clone()));
        marks.add(Fragment::Crumbs(content_type, section.clone()));
        ["/sitemap.xml", "/sitemap.lists.xml", "/llms.txt"].into_iter().for_each(|path| marks.add(path));
        self.mark_home(marks);
        match content_type {
            ContentType::Docs => {
                marks.add("/docs");
                marks.add(Fragment::Side);
                marks.add(Fragment::SideSection(section.clone()));
            }
            ContentType::Blog => marks.add("/blog"),
            ContentType::Standalone => marks.add(format_args!("/standalone/{}", section.as_str())),
            ContentType::Homepage => {}
        }
    }

    /// The entries of a section's list have changed; it stands at its own address or below the page that is there.
    fn mark_list(&self, content_type: ContentType, section: &Section, marks: &mut Marks) {
        if section.is_none() {
            return;
        }
        match self.front(content_type, section) {
            Some(_) => marks.add(Fragment::List(content_type, section.clone())),
            None => marks.add(list_url(content_type, section)),
        }
    }

    /// The masthead or the foot has another link.
    pub(super) fn mark_type(&self, marks: &mut Marks) {
        marks.add(Fragment::Nav);
        marks.add(Fragment::Foot);
    }

    /// The list of the front page, by itself or below the homepage.
    fn mark_home(&self, marks: &mut Marks) {
        marks.add(Fragment::HomeList);
        if self.homepages.is_empty() {
            marks.add("/");
        }
    }
}

fn side(section: &Section) -> Fragment {
    match section.is_none() {
        true => Fragment::Side,
        false => Fragment::SideSection(section.clone()),
    }
}

fn mark_timeline(base: &str, timeline: Option<&Timeline>, page: &Page, marks: &mut Marks) {
    let cuts = timeline.map(|timeline| timeline.cuts_around(page.published_at, page.id));
    cuts.into_iter().flatten().for_each(|cut| marks.add(format_args!("{base}/{cut}")));
}
