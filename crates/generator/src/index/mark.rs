//! Which files depend on a page.
//!
//! | change | dirty paths |
//! |---|---|
//! | its text | its own files, its leaf, the lists that show its summary, feeds, its shard of the sitemap |
//! | its listing (title, position …) | that, and its neighbours, the navigation of its section, its former paths |
//! | the first or last page of a section | the list of the section, its breadcrumbs, its section page, lists of sections |
//! | a section page | that, and the neighbours of the section at its old and new positions |
//! | the first or last page of a type | masthead and footer |
//! | the listing of a page without type and section | the footer |
//! | a page that a search finds is added or removed | its leaf; if that is split or merged, the parts |

use model::{ContentType, PageId, Section};

use super::Index;
use super::dirty::DirtyPaths;
use super::timeline::Timeline;
use crate::Page;
use crate::make::shard_path;
use crate::url::{Fragment, SearchFile, list_url, llms_url, tag_slug, url};

/// The list of a section with up to this many pages shows a description of each; longer lists show only titles.
pub(crate) const MAX_DESCRIBED: usize = 100;

/// Docs of up to this many pages are all in the sidebar; of larger ones, the current section is. The window of a long
/// list is larger, so that none is cut here.
pub(crate) const SMALL_DOCS: usize = 60;

pub(crate) const FEEDS: [&str; 3] = ["/feed.xml", "/rss.xml", "/feed.json"];

/// Whether this is the path of a feed, which is [joined](crate::join()) with the texts of posts.
pub fn is_feed(path: &str) -> bool {
    FEEDS.contains(&path)
}

impl Index {
    /// The page was added or is about to be removed: everything that shows it.
    pub(super) fn mark_listing(&self, id: PageId, dirty: &mut DirtyPaths) {
        let Some(page) = self.page(id).filter(|_| dirty.is_recording()) else { return };
        self.mark_text(id, dirty);
        self.mark_shards(dirty);
        self.former_of.get(&id).into_iter().flatten().for_each(|path| dirty.add(path));

        let (before, after) = self.neighbours(page);
        [before, after].into_iter().flatten().for_each(|page| dirty.add(url(&page.key)));
        self.mark_moved_section(page, dirty);

        let key = &page.key;
        match key.content_type {
            ContentType::Docs => {
                dirty.add("/docs");
                self.mark_home(dirty);
                dirty.add(sidebar(&key.section));
                // One more: the page may be the one with which the docs are not small any more.
                if self.docs_len() <= SMALL_DOCS + 1 {
                    dirty.add(Fragment::Sidebar);
                }
                self.mark_list(ContentType::Docs, &key.section, dirty);
            }
            ContentType::Standalone => {
                dirty.add(format_args!("/standalone{}", url(key)));
                if key.section.is_none() {
                    dirty.add(Fragment::Foot);
                }
                self.mark_list(ContentType::Standalone, &key.section, dirty);
            }
            ContentType::Homepage => {
                dirty.add(url(key));
                dirty.add(Fragment::HomeList);
            }
            ContentType::Blog => {}
        }
        let named = Section::parse(key.slug.as_str()).unwrap_or_default();
        if key.section.is_none() && self.has_section(key.content_type, &named) {
            self.mark_section(key.content_type, &named, dirty);
        }
    }

    /// The text of the page changed: its own files, and the lists that show its summary.
    pub(super) fn mark_text(&self, id: PageId, dirty: &mut DirtyPaths) {
        let Some(page) = self.page(id).filter(|_| dirty.is_recording()) else { return };
        if self.is_found(page) {
            dirty.add_all(SearchFile::of_leaf(self.search.leaf(id)));
        }
        let key = &page.key;
        if key.content_type == ContentType::Homepage {
            ["/", "/.md", "/index.md", "/llms.txt"].into_iter().for_each(|path| dirty.add(path));
            return;
        }
        let path = url(key);
        dirty.add(format_args!("{path}.md"));
        dirty.add(path);
        self.mark_llms(page, dirty);
        self.mark_sitemap(page, dirty);
        self.mark_archives(page, dirty);
        match key.content_type {
            ContentType::Blog => {
                FEEDS.into_iter().for_each(|path| dirty.add(path));
                dirty.add("/404.html");
                self.mark_home(dirty);
            }
            content_type => {
                let ordered_pages = self.ordered_pages(content_type, &key.section);
                if ordered_pages.is_none_or(|ordered_pages| ordered_pages.len() <= MAX_DESCRIBED) {
                    self.mark_list(content_type, &key.section, dirty);
                }
                // These describe pages without a section: they may be section pages.
                if key.section.is_none() {
                    dirty.add("/docs");
                    self.mark_home(dirty);
                }
            }
        }
    }

    /// The timelines that the page is on, in their current state, without it if it was removed.
    pub(super) fn mark_archives(&self, page: &Page, dirty: &mut DirtyPaths) {
        if !dirty.is_recording() || page.key.content_type == ContentType::Homepage {
            return;
        }
        if page.key.content_type == ContentType::Blog {
            dirty.add("/blog");
            mark_timeline("/blog", Some(&self.blog), page, dirty);
            if !page.key.section.is_none() {
                let base = list_url(ContentType::Blog, &page.key.section);
                self.mark_list(ContentType::Blog, &page.key.section, dirty);
                mark_timeline(&base, self.blog_sections.get(&page.key.section), page, dirty);
            }
        }
        for tag in &page.tags {
            let slug = tag_slug(tag);
            let base = format!("/tags/{slug}");
            mark_timeline(&base, self.tags.get(&slug).map(|tag| &tag.timeline), page, dirty);
            dirty.add(base);
        }
    }

    pub(super) fn mark_sitemap(&self, page: &Page, dirty: &mut DirtyPaths) {
        if !dirty.is_recording() || page.key.content_type == ContentType::Homepage {
            return;
        }
        match self.shards.of(page.id) {
            None => dirty.add("/sitemap.xml"),
            Some(shard) => {
                dirty.add(format_args!("/sitemap.{shard}.xml"));
                dirty.add(shard_path(shard));
            }
        }
    }

    /// The lists for language models that show the page.
    fn mark_llms(&self, page: &Page, dirty: &mut DirtyPaths) {
        let (of, section) = (page.key.content_type, &page.key.section);
        dirty.add("/llms.txt");
        match of {
            ContentType::Blog => dirty.add(llms_url(of, &Section::none())),
            _ => dirty.add(llms_url(of, section)),
        }
        // It may be a section page.
        if section.is_none() && of != ContentType::Blog {
            let named = Section::parse(page.key.slug.as_str()).unwrap_or_default();
            dirty.add_all(self.has_section(of, &named).then(|| llms_url(of, &named)));
        }
    }

    /// A page was added or removed: the number of shards may have changed.
    pub(super) fn mark_shards(&self, dirty: &mut DirtyPaths) {
        let shards = self.shards.at_threshold();
        if !shards.is_empty() {
            dirty.add("/sitemap.xml");
            dirty.add("/sitemap.lists.xml");
            dirty.add("/llms.txt");
        }
        shards.for_each(|shard| {
            dirty.add(format_args!("/sitemap.{shard}.xml"));
            dirty.add(shard_path(shard));
        });
    }

    /// A section, or its section page, was added or removed.
    pub(super) fn mark_section(&self, content_type: ContentType, section: &Section, dirty: &mut DirtyPaths) {
        if !dirty.is_recording() || section.is_none() {
            return;
        }
        dirty.add(list_url(content_type, section));
        dirty.add(Fragment::List(content_type, section.clone()));
        dirty.add(Fragment::Crumbs(content_type, section.clone()));
        dirty.add(llms_url(content_type, section));
        ["/sitemap.xml", "/sitemap.lists.xml", "/llms.txt"].into_iter().for_each(|path| dirty.add(path));
        self.mark_home(dirty);
        match content_type {
            ContentType::Docs => {
                dirty.add("/docs");
                dirty.add("/docs/llms.txt");
                dirty.add(Fragment::Sidebar);
                dirty.add(Fragment::SidebarSection(section.clone()));
            }
            ContentType::Blog => dirty.add("/blog"),
            ContentType::Standalone => {
                dirty.add(format_args!("/standalone/{}", section.as_str()));
                dirty.add(Fragment::Foot);
            }
            ContentType::Homepage => {}
        }
    }

    /// The entries of a section's list changed; the list is at its own path or on the section page.
    fn mark_list(&self, content_type: ContentType, section: &Section, dirty: &mut DirtyPaths) {
        if section.is_none() {
            return;
        }
        match self.section_page(content_type, section) {
            Some(_) => dirty.add(Fragment::List(content_type, section.clone())),
            None => dirty.add(list_url(content_type, section)),
        }
    }

    /// The links of the masthead or the footer changed.
    pub(super) fn mark_type(&self, dirty: &mut DirtyPaths) {
        dirty.add(Fragment::Nav);
        dirty.add(Fragment::Foot);
    }

    /// The list of the home page, by itself or on the homepage.
    fn mark_home(&self, dirty: &mut DirtyPaths) {
        dirty.add(Fragment::HomeList);
        if self.homepages.is_empty() {
            dirty.add("/");
        }
    }
}

fn sidebar(section: &Section) -> Fragment {
    match section.is_none() {
        true => Fragment::Sidebar,
        false => Fragment::SidebarSection(section.clone()),
    }
}

fn mark_timeline(base: &str, timeline: Option<&Timeline>, page: &Page, dirty: &mut DirtyPaths) {
    let archives = timeline.map(|timeline| timeline.archives_around(page.published_at, page.id));
    archives.into_iter().flatten().for_each(|archive| dirty.add(format_args!("{base}/{archive}")));
}
