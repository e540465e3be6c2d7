//! The type of a page.

use crate::Checked;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentType {
    #[default]
    Blog,
    Docs,
    Homepage,
    Standalone,
}

impl ContentType {
    pub const ALL: [ContentType; 4] =
        [ContentType::Blog, ContentType::Docs, ContentType::Homepage, ContentType::Standalone];

    pub fn as_str(self) -> &'static str {
        match self {
            ContentType::Blog => "blog",
            ContentType::Docs => "docs",
            ContentType::Homepage => "homepage",
            ContentType::Standalone => "standalone",
        }
    }

    pub fn parse(text: &str) -> Checked<ContentType> {
        // The message is prescribed by the specification, "Errors".
        Self::ALL
            .into_iter()
            .find(|content_type| content_type.as_str() == text)
            .ok_or_else(|| "invalid contentType; must be one of: blog, docs, homepage, standalone".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_content_type_parses_back() {
        for content_type in ContentType::ALL {
            assert_eq!(ContentType::parse(content_type.as_str()), Ok(content_type));
        }
    }

    #[test]
    fn anything_else_is_refused_with_the_message_of_the_specification() {
        let message = "invalid contentType; must be one of: blog, docs, homepage, standalone";
        for text in ["", "Blog", "blog ", "post"] {
            assert_eq!(ContentType::parse(text), Err(message.into()), "{text}");
        }
    }
}
