//! The paths of pages, lists, fragments and the search index.

use std::fmt;

use model::{ContentType, PageKey, Section, Slug, sha256};
use search::LeafName;

/// The path of a page with this key: `/docs/guides/install`.
///
/// For a homepage it is `/homepage/…`, which redirects to `/`.
pub fn url(key: &PageKey) -> String {
    let mut url = list_url(key.content_type, &key.section);
    url.push('/');
    url.push_str(key.slug.as_str());
    url
}

/// The path of the Markdown of a page.
pub(crate) fn markdown_url(path: &str) -> String {
    format!("{}.md", if path == "/" { "/index" } else { path })
}

/// The path of the list of a section's pages for language models; without a section, of those of the docs or the blog.
pub(crate) fn llms_url(content_type: ContentType, section: &Section) -> String {
    format!("{}/llms.txt", list_url(content_type, section).trim_end_matches('/'))
}

/// The path of a list of pages: `/docs`, `/docs/guides`; `/company` for a standalone section.
pub(crate) fn list_url(content_type: ContentType, section: &Section) -> String {
    let first = match content_type {
        ContentType::Standalone => "",
        content_type => content_type.as_str(),
    };
    let mut url = String::with_capacity(64);
    for segment in [first, section.as_str()] {
        if !segment.is_empty() {
            url.push('/');
            url.push_str(segment);
        }
    }
    url
}

/// The last segment of a tag's URL. Tags that differ only in case or accents share it.
pub(crate) fn tag_slug(tag: &str) -> String {
    let slug = Slug::from_title(tag).map(|slug| slug.as_str().to_owned());
    slug.unwrap_or_else(|| format!("t-{}", hex(&sha256(tag)[..4])))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fragments: files that are joined into pages when these are served.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fragment {
    /// The links of the masthead.
    Nav,
    /// The links of the footer.
    Foot,
    /// The sidebar of the docs: the pages without a section, and all sections.
    Sidebar,
    /// The pages of a section in the sidebar; of a large one, where each part begins.
    SidebarSection(Section),
    /// A part of those pages, or of the pages without a section, named after its first page.
    SidebarPart(Section, String),
    /// The breadcrumbs of a section's pages.
    Crumbs(ContentType, Section),
    /// The breadcrumbs of a tag's archives.
    TagCrumbs(String),
    /// The list of a section, shown on its section page.
    List(ContentType, Section),
    /// The list of the home page, shown on the homepage.
    HomeList,
}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fragment::Nav => f.write_str("/.nav"),
            Fragment::Foot => f.write_str("/.foot"),
            Fragment::Sidebar => f.write_str("/.docs"),
            Fragment::SidebarSection(section) => write!(f, "/.docs/{}", section.as_str()),
            Fragment::SidebarPart(section, first) if section.is_none() => write!(f, "/.root/{first}"),
            Fragment::SidebarPart(section, first) => write!(f, "/.docs/{}/{first}", section.as_str()),
            Fragment::Crumbs(of, section) => write!(f, "/.crumbs/{}/{}", of.as_str(), section.as_str()),
            Fragment::TagCrumbs(tag) => write!(f, "/.crumbs/tags/{tag}"),
            Fragment::List(of, section) => write!(f, "/.list/{}/{}", of.as_str(), section.as_str()),
            Fragment::HomeList => f.write_str("/.list"),
        }
    }
}

impl Fragment {
    pub fn parse(path: &str) -> Option<Fragment> {
        let mut segments = path.strip_prefix("/.")?.split('/');
        let parts = (segments.next()?, segments.next(), segments.next());
        if segments.next().is_some() {
            return None;
        }
        let section = |text: &str| Section::parse(text).ok().filter(|section| !section.is_none());
        let of = |text: &str| ContentType::parse(text).ok().filter(|&of| of != ContentType::Homepage);
        Some(match parts {
            ("nav", None, None) => Fragment::Nav,
            ("foot", None, None) => Fragment::Foot,
            ("docs", None, None) => Fragment::Sidebar,
            ("docs", Some(name), None) => Fragment::SidebarSection(section(name)?),
            ("docs", Some(name), Some(first)) => Fragment::SidebarPart(section(name)?, first.to_owned()),
            ("root", Some(first), None) => Fragment::SidebarPart(Section::none(), first.to_owned()),
            ("crumbs", Some("tags"), Some(tag)) => Fragment::TagCrumbs(tag.to_owned()),
            ("crumbs", Some(name), Some(rest)) => Fragment::Crumbs(of(name)?, section(rest)?),
            ("list", None, None) => Fragment::HomeList,
            ("list", Some(name), Some(rest)) => Fragment::List(of(name)?, section(rest)?),
            _ => return None,
        })
    }
}

/// The files of the search index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchFile {
    /// The names of all leaves, one a line, sorted.
    Leaves,
    /// [`search::Files::terms`] of a leaf.
    Terms(LeafName),
    /// [`search::Files::texts`] of a leaf.
    Texts(LeafName),
}

impl fmt::Display for SearchFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchFile::Leaves => f.write_str("/.search/leaves"),
            SearchFile::Terms(leaf) => write!(f, "/.search/{leaf}"),
            SearchFile::Texts(leaf) => write!(f, "/.search/{leaf}.text"),
        }
    }
}

impl SearchFile {
    /// The reverse of its `Display`.
    pub fn parse(path: &str) -> Option<SearchFile> {
        let name = path.strip_prefix("/.search/")?;
        match name.strip_suffix(".text") {
            Some(name) => LeafName::parse(name).map(SearchFile::Texts),
            None if name == "leaves" => Some(SearchFile::Leaves),
            None => LeafName::parse(name).map(SearchFile::Terms),
        }
    }

    /// The two files of a leaf.
    pub fn of_leaf(leaf: LeafName) -> [SearchFile; 2] {
        [SearchFile::Terms(leaf), SearchFile::Texts(leaf)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_s_path_is_its_type_section_and_slug() {
        let check = |content_type, section, slug, expected: &str| {
            let (section, slug) = (Section::parse(section).unwrap(), Slug::parse(slug).unwrap());
            assert_eq!(url(&PageKey { content_type, section, slug }), expected);
        };
        check(ContentType::Blog, "", "hello", "/blog/hello");
        check(ContentType::Blog, "news", "hello", "/blog/news/hello");
        check(ContentType::Docs, "", "hello", "/docs/hello");
        check(ContentType::Docs, "guides", "hello", "/docs/guides/hello");
        check(ContentType::Standalone, "", "about", "/about");
        check(ContentType::Standalone, "company", "about", "/company/about");
        check(ContentType::Homepage, "", "index", "/homepage/index");
        check(ContentType::Homepage, "a", "index", "/homepage/a/index");
    }

    #[test]
    fn a_tag_has_a_slug() {
        let check = |tag: &str, expected: &str| assert_eq!(tag_slug(tag), expected, "{tag}");
        check("Rust", "rust");
        check("rust!", "rust");
        check("C++", "c");
        check("Ünïcode tag", "unicode-tag");
        check("!!!", "t-e84c538e");
    }

    #[test]
    fn the_path_of_a_fragment_parses_back() {
        let guides = Section::parse("guides").unwrap();
        for fragment in [
            Fragment::Nav,
            Fragment::Foot,
            Fragment::Sidebar,
            Fragment::SidebarSection(guides.clone()),
            Fragment::SidebarPart(guides.clone(), "install".into()),
            Fragment::SidebarPart(Section::none(), "install".into()),
            Fragment::Crumbs(ContentType::Blog, guides.clone()),
            Fragment::TagCrumbs("rust".into()),
            Fragment::List(ContentType::Standalone, guides),
            Fragment::HomeList,
        ] {
            assert_eq!(Fragment::parse(&fragment.to_string()), Some(fragment));
        }
        for path in
            ["/.", "/.md", "/.docs/", "/.docs//b", "/.list/homepage/a", "/.list/docs", "/nav", "/.nav/a/b/c"]
        {
            assert_eq!(Fragment::parse(path), None, "{path}");
        }
    }
}
