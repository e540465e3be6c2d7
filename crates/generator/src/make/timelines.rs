//! Lists by time: the blog, its sections and archives, tags.

use std::borrow::Cow;

use askama::Template;
use model::{ContentType, Section};

use super::render;
use super::view::{Breadcrumb, CountedLink, Entry, Image, Shell, placeholder};
use crate::Site;
use crate::index::archive::{Archive, parts};
use crate::index::timeline::{MAX_LIST_ENTRIES, NEWEST_ENTRIES, Timeline};
use crate::inline::plain;
use crate::route::TimelineKey;
use crate::text::{self, Day};
use crate::url::{Fragment, list_url};
use crate::words::Words;

#[derive(Template)]
#[template(path = "timeline.html")]
struct TimelineTemplate<'s> {
    shell: Shell<'s>,
    crumbs: String,
    title: &'s str,
    lead: &'s str,
    sections: Vec<CountedLink>,
    groups: Vec<Group<'s>>,
    archive_title: &'static str,
    years: Vec<Year>,
}

#[derive(Template)]
#[template(path = "timeline_fragment.html")]
struct TimelineFragment<'s> {
    words: &'static Words,
    entries: Vec<Entry<'s>>,
    years: Vec<Year>,
}

/// The entries of a year; without its name if they are all of one year.
struct Group<'s> {
    year: String,
    entries: Vec<Entry<'s>>,
}

struct Year {
    name: String,
    links: Vec<CountedLink>,
}

#[derive(Template)]
#[template(path = "tags.html")]
struct TagsTemplate<'s> {
    shell: Shell<'s>,
    tags: Vec<CountedLink>,
}

impl Site {
    pub(super) fn blog(&self) -> String {
        let words = self.frame.words;
        let entries = self.newest(&self.index.blog);
        let shell = self.shell("/blog", words.blog).like_site().listing(titles(&entries));
        let sections = self.index.blog_sections.iter().map(|(section, posts)| CountedLink {
            url: list_url(ContentType::Blog, section),
            text: plain(&self.index.section_title(ContentType::Blog, section)).into_owned(),
            count: words.number(posts.len()),
        });
        let mut sections: Vec<_> = sections.collect();
        sections.sort_by_cached_key(|section| (section.text.to_lowercase(), section.url.clone()));
        render(&TimelineTemplate {
            shell,
            crumbs: String::new(),
            title: words.blog,
            lead: "",
            sections,
            groups: by_year(entries),
            archive_title: self.frame.words.archive,
            years: years(words, "/blog", &self.index.blog),
        })
    }

    pub(super) fn blog_section(&self, section: &Section) -> String {
        let title = self.index.section_title(ContentType::Blog, section);
        let path = list_url(ContentType::Blog, section);
        let posts = &self.index.blog_sections[section];
        let entries = self.newest(posts);
        render(&TimelineTemplate {
            shell: self.shell(&path, &title).listing(titles(&entries)),
            crumbs: self.crumbs(&self.breadcrumbs(ContentType::Blog, &Section::none())),
            title: &title,
            lead: "",
            sections: vec![],
            groups: by_year(entries),
            archive_title: self.frame.words.archive,
            years: years(self.frame.words, &path, posts),
        })
    }

    /// The posts of a section, for its section page.
    pub(super) fn posts_below(&self, section: &Section) -> String {
        let Some(posts) = self.index.blog_sections.get(section) else { return String::new() };
        let years = years(self.frame.words, &list_url(ContentType::Blog, section), posts);
        render(&TimelineFragment { words: self.frame.words, entries: self.newest(posts), years })
    }

    pub(super) fn tag(&self, slug: &str) -> String {
        let Some(tag) = self.index.tags.get(slug) else { return String::new() };
        let path = format!("/tags/{slug}");
        let breadcrumbs = [Breadcrumb { url: "/tags".to_owned(), text: self.frame.words.tags.to_owned() }];
        let entries = self.newest(&tag.timeline);
        render(&TimelineTemplate {
            shell: self.shell(&path, tag.name()).listing(titles(&entries)),
            crumbs: self.crumbs(&breadcrumbs),
            title: tag.name(),
            lead: &self.frame.words.pages(tag.timeline.len()),
            sections: vec![],
            groups: by_year(entries),
            archive_title: self.frame.words.archive,
            years: years(self.frame.words, &path, &tag.timeline),
        })
    }

    /// A month, a day, or a part of a day.
    pub(super) fn archive(&self, key: &TimelineKey, archive: Archive) -> String {
        let Some(timeline) = key.timeline(&self.index) else { return String::new() };
        let words = self.frame.words;
        let (base, title) = (key.url(), archive.title(words));
        let path = format!("{base}/{archive}");
        let (crumbs, of) = match key {
            TimelineKey::Blog => {
                (self.crumbs(&self.breadcrumbs(ContentType::Blog, &Section::none())), words.blog.to_owned())
            }
            TimelineKey::Section(section) => {
                let crumbs = Fragment::Crumbs(ContentType::Blog, section.clone());
                (placeholder(&[&crumbs.to_string()]), self.index.spelt_section(ContentType::Blog, section))
            }
            TimelineKey::Tag(slug) => {
                (placeholder(&[&Fragment::TagCrumbs(slug.clone()).to_string()]), text::humanise(slug))
            }
        };
        let years = inside(words, &base, timeline, archive);
        let entries: Vec<_> = match years.is_empty() {
            true => self.index.pages_with_ids(timeline.ids_of(archive)).map(Entry::of).collect(),
            false => vec![],
        };
        let links = years.iter().flat_map(|year| &year.links).map(|link| link.text.as_str().into());
        let mut shell = self.shell(&path, &title).listing(titles(&entries).chain(links));
        // There are more archives than pages, and few are shared: a card of its own would not be worth a file.
        shell.image = match key {
            TimelineKey::Tag(_) => Image::card(&self.frame, "/tags", words.tags, ""),
            _ => Image::card(&self.frame, "/blog", words.blog, ""),
        };
        shell.full_title = format!("{title} · {of} · {}", self.frame.title);
        render(&TimelineTemplate {
            shell,
            crumbs,
            title: &title,
            lead: "",
            sections: vec![],
            groups: by_year(entries),
            archive_title: words.days,
            years,
        })
    }

    pub(super) fn tags(&self) -> String {
        let words = self.frame.words;
        let tags = self.index.tags.listed().into_iter().map(|(slug, tag)| CountedLink {
            url: format!("/tags/{slug}"),
            text: tag.name().to_owned(),
            count: words.number(tag.timeline.len()),
        });
        let tags: Vec<_> = tags.collect();
        let names = tags.iter().map(|tag| tag.text.as_str().into());
        render(&TagsTemplate { shell: self.shell("/tags", words.tags).listing(names), tags })
    }

    /// All entries of a short timeline, the first of a long one.
    fn newest(&self, timeline: &Timeline) -> Vec<Entry<'_>> {
        let shown = if timeline.is_whole() { MAX_LIST_ENTRIES } else { NEWEST_ENTRIES };
        self.index.pages_with_ids(timeline.ids().take(shown)).map(Entry::of).collect()
    }
}

fn titles<'e>(entries: &'e [Entry<'_>]) -> impl Iterator<Item = Cow<'e, str>> {
    entries.iter().map(|entry| entry.title.plain())
}

fn by_year(entries: Vec<Entry<'_>>) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = vec![];
    for entry in entries {
        let year = entry.day.year.to_string();
        match groups.last_mut() {
            Some(last) if last.year == year => last.entries.push(entry),
            _ => groups.push(Group { year, entries: vec![entry] }),
        }
    }
    if let [only] = groups.as_mut_slice() {
        only.year.clear();
    }
    groups
}

/// The months of a timeline that is split, by year.
fn years(words: &Words, base: &str, timeline: &Timeline) -> Vec<Year> {
    let mut years: Vec<Year> = vec![];
    if timeline.is_whole() {
        return years;
    }
    for (archive, count) in timeline.months() {
        let Archive::Month { year, month } = archive else { continue };
        let (month, year) = (words.month(&Day { year, month, day: 1 }), year.to_string());
        let link = CountedLink { url: format!("{base}/{archive}"), text: month, count: words.number(count) };
        match years.last_mut() {
            Some(last) if last.name == year => last.links.push(link),
            _ => years.push(Year { name: year, links: vec![link] }),
        }
    }
    years
}

/// The archives that an archive is itself split into, if it is too long.
fn inside(words: &Words, base: &str, timeline: &Timeline, archive: Archive) -> Vec<Year> {
    let link = |archive: Archive, text: String, count: usize| CountedLink {
        url: format!("{base}/{archive}"),
        text,
        count: words.number(count),
    };
    let links: Vec<_> = match archive {
        Archive::Month { year, month } if timeline.month_len(year, month) > MAX_LIST_ENTRIES => timeline
            .days(year, month)
            .map(|(day, count)| link(Archive::Day(day), words.short(&day), count))
            .collect(),
        Archive::Day(day) => (0..parts(timeline.day_len(day)))
            .map(|part| Archive::Part(day, part))
            .map(|archive| (archive, timeline.ids_of(archive).len()))
            .map(|(archive, count)| link(archive, archive.title(words), count))
            .collect(),
        _ => vec![],
    };
    if links.is_empty() { vec![] } else { vec![Year { name: archive.title(words), links }] }
}
