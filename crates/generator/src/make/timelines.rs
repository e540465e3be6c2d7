//! Lists by time: the blog, its sections and archives, tags.

use askama::Template;
use model::{ContentType, Section};

use super::render;
use super::view::{Counted, Entry, Shell, Step, joint};
use crate::Site;
use crate::index::cut::{Cut, parts};
use crate::index::timeline::{NEWEST, Timeline, WHOLE};
use crate::inline::plain;
use crate::place::Line;
use crate::text;
use crate::url::{Fragment, list_url};

#[derive(Template)]
#[template(path = "timeline.html")]
struct TimelineTemplate<'s> {
    shell: Shell<'s>,
    crumbs: String,
    title: &'s str,
    lead: &'s str,
    sections: Vec<Counted>,
    entries: Vec<Entry<'s>>,
    archive_title: &'static str,
    years: Vec<Year>,
}

#[derive(Template)]
#[template(path = "timeline_fragment.html")]
struct TimelineFragment<'s> {
    entries: Vec<Entry<'s>>,
    years: Vec<Year>,
}

struct Year {
    name: String,
    links: Vec<Counted>,
}

#[derive(Template)]
#[template(path = "tags.html")]
struct TagsTemplate<'s> {
    shell: Shell<'s>,
    tags: Vec<Counted>,
}

impl Site {
    pub(super) fn blog(&self) -> String {
        let mut shell = self.shell("/blog", "Blog");
        shell.description = self.frame.settings.description.as_deref().unwrap_or_default().into();
        let sections = self.index.blog_sections.iter().map(|(section, posts)| Counted {
            url: list_url(ContentType::Blog, section),
            text: plain(&self.index.section_title(ContentType::Blog, section)).into_owned(),
            count: text::number(posts.len()),
        });
        let mut sections: Vec<_> = sections.collect();
        sections.sort_by_cached_key(|section| (section.text.to_lowercase(), section.url.clone()));
        render(&TimelineTemplate {
            shell,
            crumbs: String::new(),
            title: "Blog",
            lead: "",
            sections,
            entries: self.newest(&self.index.blog),
            archive_title: "Archive",
            years: years("/blog", &self.index.blog),
        })
    }

    pub(super) fn blog_section(&self, section: &Section) -> String {
        let title = self.index.section_title(ContentType::Blog, section);
        let path = list_url(ContentType::Blog, section);
        let posts = &self.index.blog_sections[section];
        render(&TimelineTemplate {
            shell: self.shell(&path, &title),
            crumbs: self.crumbs(&self.steps(ContentType::Blog, &Section::none())),
            title: &title,
            lead: "",
            sections: vec![],
            entries: self.newest(posts),
            archive_title: "Archive",
            years: years(&path, posts),
        })
    }

    /// The posts of a section below the page that stands at its address.
    pub(super) fn posts_below(&self, section: &Section) -> String {
        let Some(posts) = self.index.blog_sections.get(section) else { return String::new() };
        let years = years(&list_url(ContentType::Blog, section), posts);
        render(&TimelineFragment { entries: self.newest(posts), years })
    }

    pub(super) fn tag(&self, slug: &str) -> String {
        let Some(tag) = self.index.tags.get(slug) else { return String::new() };
        let path = format!("/tags/{slug}");
        let steps = [Step { url: "/tags".to_owned(), text: "Tags".to_owned() }];
        render(&TimelineTemplate {
            shell: self.shell(&path, tag.name()),
            crumbs: self.crumbs(&steps),
            title: tag.name(),
            lead: &text::count(tag.timeline.len(), "page"),
            sections: vec![],
            entries: self.newest(&tag.timeline),
            archive_title: "Archive",
            years: years(&path, &tag.timeline),
        })
    }

    /// A month, a day, or a part of a day.
    pub(super) fn cut(&self, line: &Line, cut: Cut) -> String {
        let Some(timeline) = line.of(&self.index) else { return String::new() };
        let (base, title) = (line.url(), cut.title());
        let path = format!("{base}/{cut}");
        let (crumbs, of) = match line {
            Line::Blog => (self.crumbs(&self.steps(ContentType::Blog, &Section::none())), "Blog".to_owned()),
            Line::Section(section) => {
                let crumbs = Fragment::Crumbs(ContentType::Blog, section.clone());
                (joint(&[&crumbs.to_string()]), self.index.spelt_section(ContentType::Blog, section))
            }
            Line::Tag(slug) => {
                (joint(&[&Fragment::TagCrumbs(slug.clone()).to_string()]), text::humanise(slug))
            }
        };
        let mut shell = self.shell(&path, &title);
        shell.full_title = format!("{title} · {of} · {}", self.frame.title);
        let years = inside(&base, timeline, cut);
        let entries = match years.is_empty() {
            true => self.index.of(timeline.ids_of(cut)).map(Entry::of).collect(),
            false => vec![],
        };
        render(&TimelineTemplate {
            shell,
            crumbs,
            title: &title,
            lead: "",
            sections: vec![],
            entries,
            archive_title: "Days",
            years,
        })
    }

    pub(super) fn tags(&self) -> String {
        let tags = self.index.tags.listed().into_iter().map(|(slug, tag)| Counted {
            url: format!("/tags/{slug}"),
            text: tag.name().to_owned(),
            count: text::number(tag.timeline.len()),
        });
        render(&TagsTemplate { shell: self.shell("/tags", "Tags"), tags: tags.collect() })
    }

    /// All entries of a short timeline, the first of a long one.
    fn newest(&self, timeline: &Timeline) -> Vec<Entry<'_>> {
        let shown = if timeline.is_whole() { WHOLE } else { NEWEST };
        self.index.of(timeline.ids().take(shown)).map(Entry::of).collect()
    }
}

/// The months of a timeline that is too long for one list, by year.
fn years(base: &str, timeline: &Timeline) -> Vec<Year> {
    let mut years: Vec<Year> = vec![];
    if timeline.is_whole() {
        return years;
    }
    for (cut, count) in timeline.months() {
        let title = cut.title();
        let (month, year) = title.split_once(' ').unwrap_or((&title, ""));
        let link =
            Counted { url: format!("{base}/{cut}"), text: month.to_owned(), count: text::number(count) };
        match years.last_mut() {
            Some(last) if last.name == year => last.links.push(link),
            _ => years.push(Year { name: year.to_owned(), links: vec![link] }),
        }
    }
    years
}

/// What a cut is cut into, where it is too long itself.
fn inside(base: &str, timeline: &Timeline, cut: Cut) -> Vec<Year> {
    let link = |cut: Cut, text: String, count: usize| Counted {
        url: format!("{base}/{cut}"),
        text,
        count: text::number(count),
    };
    let links: Vec<_> = match cut {
        Cut::Month { year, month } if timeline.month_len(year, month) > WHOLE => {
            timeline.days(year, month).map(|(day, count)| link(Cut::Day(day), day.short(), count)).collect()
        }
        Cut::Day(day) => (0..parts(timeline.day_len(day)))
            .map(|part| Cut::Part(day, part))
            .map(|cut| (cut, timeline.ids_of(cut).len()))
            .map(|(cut, count)| link(cut, cut.title(), count))
            .collect(),
        _ => vec![],
    };
    if links.is_empty() { vec![] } else { vec![Year { name: cut.title(), links }] }
}
