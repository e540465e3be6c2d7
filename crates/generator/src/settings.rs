//! The settings of a site.

mod value;

use serde::{Deserialize, Serialize};

pub use self::value::is_right_to_left;
pub(crate) use self::value::{is_language, is_link};
use crate::words::Words;

/// Set by `recto site set KEY=VALUE`; stored as JSON. Unset keys have defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accent: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// The first sections of the docs, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub css: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub noindex: bool,
    #[serde(skip_serializing_if = "Fonts::is_default")]
    pub fonts: Fonts,
    #[serde(skip_serializing_if = "Punctuation::is_default")]
    pub punctuation: Punctuation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signals: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
    /// The Markdown of each page begins with a line that leads to `/llms.txt`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pointer: bool,
}

/// The fonts of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fonts {
    /// Those of the theme, which browsers load from the site.
    #[default]
    Theme,
    /// Those of the reader's system: nothing to load.
    System,
}

impl Fonts {
    fn is_default(&self) -> bool {
        *self == Fonts::default()
    }
}

/// The punctuation of texts and titles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Punctuation {
    /// Quotes, dashes and ellipses as they are printed in the language of the page.
    #[default]
    Smart,
    /// As it is typed.
    Plain,
}

impl Punctuation {
    fn is_default(&self) -> bool {
        *self == Punctuation::default()
    }
}

/// A link in the masthead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub text: String,
    pub url: String,
}

const MAX_TITLE_CHARS: usize = 100;
const MAX_DESCRIPTION_CHARS: usize = 500;
const MAX_FOOTER_CHARS: usize = 5000;
const MAX_HEAD_CHARS: usize = 8192;
const MAX_CSS_CHARS: usize = 100_000;

impl Settings {
    /// Each key with its description, in display order.
    pub const KEYS: [(&str, &str); 19] = [
        ("title", "the site's name, in the masthead and in feeds; the site's host label when not set"),
        ("description", "one sentence about the site, for its home page, search engines and feeds"),
        ("language", "the language of the texts, such as en, de or pt-BR; en when not set"),
        ("author", "who writes, where a page does not say (params.author)"),
        ("logo", "the URL of an image shown instead of the title in the masthead"),
        ("icon", "the URL of the icon browsers show; made from the title's first letter when not set"),
        (
            "accent",
            "the colour of current and hovered links: #a3301a, or two for light and dark: #a3301a #ff9274",
        ),
        (
            "links",
            "the masthead's links: Text=URL, separated by ; (Docs=/docs; Code=https://example.com/code)",
        ),
        (
            "sections",
            "the order of the docs' sections, as in their URLs: guides; reference; the others follow",
        ),
        ("footer", "Markdown at the foot of every page"),
        ("head", "HTML at the end of the head of every page, if the operator allows it"),
        ("css", "style rules added after the theme's"),
        ("noindex", "yes asks search engines to pass over the whole site; no when not set"),
        ("fonts", "theme, or system to use only the fonts of the reader's system; theme when not set"),
        (
            "punctuation",
            "smart for the quotes, dashes and ellipses of the language, or plain as typed; smart when not set",
        ),
        (
            "edit",
            "where readers can change a docs page; {path} is its path: https://example.com/edit/main/{path}.md",
        ),
        (
            "signals",
            "what robots may use the pages for, in robots.txt: search=yes, ai-input=yes, ai-train=no",
        ),
        ("hub", "the WebSub hub that is notified when the feeds change: https://hub.example.com/"),
        (
            "pointer",
            "yes begins the Markdown of each page with a line that leads to /llms.txt; no when not set",
        ),
    ];

    /// Sets `key`; an empty value restores its default. The error message is for the owner.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let value = value.trim();
        if value.contains('\0') {
            return Err(format!("{key} must not contain U+0000"));
        }
        match key {
            "title" => self.title = value::line(key, value, MAX_TITLE_CHARS)?,
            "description" => self.description = value::line(key, value, MAX_DESCRIPTION_CHARS)?,
            "language" => self.language = value::language(value)?,
            "author" => self.author = value::line(key, value, MAX_TITLE_CHARS)?,
            "logo" => self.logo = value::address(key, value)?,
            "icon" => self.icon = value::address(key, value)?,
            "accent" => self.accent = value::colour(value)?,
            "links" => self.links = value::links(value)?,
            "sections" => self.sections = value::sections(value)?,
            "head" => self.head = value::long(key, value, MAX_HEAD_CHARS)?,
            "footer" => self.footer = value::long(key, value, MAX_FOOTER_CHARS)?,
            "css" => self.css = value::long(key, value, MAX_CSS_CHARS)?,
            "noindex" => self.noindex = value::yes(key, value)?,
            "fonts" => self.fonts = value::fonts(value)?,
            "punctuation" => self.punctuation = value::punctuation(value)?,
            "edit" => self.edit = value::edit(value)?,
            "signals" => self.signals = value::signals(value)?,
            "hub" => self.hub = value::hub(value)?,
            "pointer" => self.pointer = value::yes(key, value)?,
            _ => return Err(format!("unknown setting \"{key}\"; {}", known_keys())),
        }
        Ok(())
    }

    /// The value of `key` in the syntax of [`Settings::set`]; empty if it is not set.
    pub fn get(&self, key: &str) -> Option<String> {
        let value = match key {
            "title" => self.title.clone(),
            "description" => self.description.clone(),
            "language" => self.language.clone(),
            "author" => self.author.clone(),
            "logo" => self.logo.clone(),
            "icon" => self.icon.clone(),
            "accent" => self.accent.clone(),
            "links" => {
                let links: Vec<_> =
                    self.links.iter().map(|link| format!("{}={}", link.text, link.url)).collect();
                Some(links.join("; "))
            }
            "sections" => Some(self.sections.join("; ")),
            "footer" => self.footer.clone(),
            "head" => self.head.clone(),
            "css" => self.css.clone(),
            "noindex" => self.noindex.then(|| "yes".to_owned()),
            "fonts" => (self.fonts == Fonts::System).then(|| "system".to_owned()),
            "punctuation" => (self.punctuation == Punctuation::Plain).then(|| "plain".to_owned()),
            "edit" => self.edit.clone(),
            "signals" => self.signals.clone(),
            "hub" => self.hub.clone(),
            "pointer" => self.pointer.then(|| "yes".to_owned()),
            _ => return None,
        };
        Some(value.unwrap_or_default())
    }

    pub(crate) fn language(&self) -> &str {
        self.language.as_deref().unwrap_or("en")
    }

    /// How the texts of a language are shown; the site's language if there is none.
    pub(crate) fn style(&self, language: Option<&str>) -> markdown::Style {
        let language = language.unwrap_or(self.language());
        markdown::Style {
            words: &Words::of(language).text,
            quotes: match self.punctuation {
                Punctuation::Smart => markdown::Quotes::of(language),
                Punctuation::Plain => None,
            },
        }
    }
}

fn known_keys() -> String {
    let keys = Settings::KEYS.map(|(key, _)| key).join(", ");
    format!("the settings are {keys}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(key: &str, value: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        settings.set(key, value).map(|()| settings)
    }

    #[test]
    fn every_key_can_be_set_read_back_and_cleared() {
        let values = [
            ("title", "Lanternfish"),
            ("description", "Notes from the tower."),
            ("language", "pt-BR"),
            ("author", "The keepers"),
            ("logo", "/media/0123456789ab/logo.webp"),
            ("icon", "https://example.com/icon.png"),
            ("accent", "#0a7"),
            ("links", "Docs=/docs; Write=mailto:a@example.com; Code=https://example.com/?a=b"),
            ("sections", "guides; api"),
            ("footer", "Made *by hand*."),
            ("head", "<script src=/a.js></script>"),
            ("css", "h1 { color: red }"),
            ("noindex", "yes"),
            ("fonts", "system"),
            ("punctuation", "plain"),
            ("edit", "https://example.com/edit/main/{path}.md"),
            ("signals", "search=yes, ai-train=no"),
            ("hub", "https://hub.example.com/"),
            ("pointer", "yes"),
        ];
        assert_eq!(values.map(|(key, _)| key), Settings::KEYS.map(|(key, _)| key));
        for (key, value) in values {
            let mut settings = set(key, value).unwrap();
            assert_ne!(settings, Settings::default(), "{key}");
            assert_eq!(settings.get(key).as_deref(), Some(value));
            let json = serde_json::to_string(&settings).unwrap();
            assert_eq!(serde_json::from_str::<Settings>(&json).unwrap(), settings);
            settings.set(key, " ").unwrap();
            assert_eq!(settings, Settings::default(), "{key}");
        }
        assert_eq!(Settings::default().get("colour"), None);
    }

    #[test]
    fn an_invalid_value_is_explained() {
        let check = |key, value: &str, expected: &str| assert_eq!(set(key, value), Err(expected.to_owned()));
        check(
            "colour",
            "red",
            "unknown setting \"colour\"; the settings are title, description, language, author, logo, icon, \
             accent, links, sections, footer, head, css, noindex, fonts, punctuation, edit, signals, hub, pointer",
        );
        check("title", &"x".repeat(101), "title must be at most 100 characters, got 101");
        check("title", "a\0b", "title must not contain U+0000");
        check(
            "language",
            "english",
            "language must be a language tag such as en, de or pt-BR, not \"english\"",
        );
        check(
            "logo",
            "logo.png",
            "logo: \"logo.png\" is not a URL; it must begin with / or https:// and contain no spaces",
        );
        check("accent", "red", "accent must be a colour such as #a3301a, or two of them, not \"red\"");
        check("links", "Docs", "links: \"Docs\" is not Text=URL, such as Docs=/docs");
        check("links", "=/docs", "links: \"=/docs\" is not Text=URL, such as Docs=/docs");
        check(
            "sections",
            "API; a b",
            "sections: \"a b\" is not a section as in a URL, such as getting-started",
        );
        check("sections", &"a;".repeat(201), "sections: at most 200 fit, got 201");
        check("head", &"x".repeat(8193), "head must be at most 8192 characters, got 8193");
        check("noindex", "maybe", "noindex must be yes or no, not \"maybe\"");
        check("pointer", "maybe", "pointer must be yes or no, not \"maybe\"");
        check(
            "signals",
            "search=yes, ai=no",
            "signals: \"ai=no\" is not search, ai-input or ai-train with =yes or =no",
        );
        check("fonts", "comic", "fonts must be theme or system, not \"comic\"");
        check("punctuation", "off", "punctuation must be smart or plain, not \"off\"");
        check(
            "edit",
            "https://example.com/edit",
            "edit must contain {path}, such as https://example.com/edit/main/{path}.md",
        );
        check("hub", "/hub", "hub must be a URL that begins with https://, not \"/hub\"");
        check("links", &"A=/a;".repeat(13), "links: at most 12 fit, got 13");
    }
}
