//! The key of a page: no two live pages of a site share one.

use crate::{ContentType, Section, Slug};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageKey {
    pub content_type: ContentType,
    pub section: Section,
    pub slug: Slug,
}

/// First segments that a site uses for other paths than standalone pages.
const RESERVED: [&str; 11] =
    ["api", "assets", "blog", "docs", "feed", "homepage", "mcp", "media", "search", "standalone", "tags"];

impl PageKey {
    /// Where visitors find the page: `/docs/guides/install`. A homepage is at the root.
    pub fn path(&self) -> String {
        let first = match self.content_type {
            ContentType::Homepage => return "/".to_owned(),
            ContentType::Standalone => "",
            content_type => content_type.as_str(),
        };
        let segments = [first, self.section.as_str(), self.slug.as_str()];
        segments
            .into_iter()
            .filter(|segment| !segment.is_empty())
            .flat_map(|segment| ["/", segment])
            .collect()
    }

    /// The field and the message, if the page would take a path that the site uses itself.
    ///
    /// Only standalone pages are at the root; the paths of others begin with their content type.
    pub fn reserved(&self) -> Option<(&'static str, String)> {
        if self.content_type != ContentType::Standalone {
            return None;
        }
        let (field, segment) = if self.section.is_none() {
            ("slug", self.slug.as_str())
        } else {
            ("section", self.section.as_str())
        };
        RESERVED.contains(&segment).then(|| {
            (field, format!("{field} \"{segment}\" is reserved and cannot be used by a standalone page"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_at_its_path() {
        let check = |content_type, section, slug, expected| {
            let (section, slug) = (Section::parse(section).unwrap(), Slug::parse(slug).unwrap());
            assert_eq!(PageKey { content_type, section, slug }.path(), expected);
        };
        check(ContentType::Docs, "guides", "install", "/docs/guides/install");
        check(ContentType::Blog, "", "hello", "/blog/hello");
        check(ContentType::Standalone, "", "about", "/about");
        check(ContentType::Homepage, "", "index", "/");
    }

    #[test]
    fn a_standalone_page_may_not_begin_with_a_reserved_segment() {
        let check = |content_type, section, slug, expected: Option<(&'static str, &str)>| {
            let key = PageKey {
                content_type,
                section: Section::parse(section).unwrap(),
                slug: Slug::parse(slug).unwrap(),
            };
            assert_eq!(key.reserved(), expected.map(|(field, message)| (field, message.to_owned())));
        };
        let slug = "slug \"docs\" is reserved and cannot be used by a standalone page";
        let section = "section \"blog\" is reserved and cannot be used by a standalone page";
        check(ContentType::Standalone, "", "docs", Some(("slug", slug)));
        check(ContentType::Standalone, "blog", "about", Some(("section", section)));
        check(ContentType::Standalone, "company", "docs", None);
        check(ContentType::Standalone, "", "about", None);
        check(ContentType::Blog, "", "docs", None);
        check(ContentType::Docs, "api", "docs", None);
        check(ContentType::Homepage, "", "media", None);
    }
}
