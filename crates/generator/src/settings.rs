//! The settings of a site.

use model::Section;
use serde::{Deserialize, Serialize};

use crate::words::Words;
use crate::{accent, text};

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
const MAX_URL_CHARS: usize = 2000;
const MAX_LINKS: usize = 12;
const MAX_SECTIONS: usize = 200;
const MAX_FOOTER_CHARS: usize = 5000;
const MAX_HEAD_CHARS: usize = 8192;
const MAX_CSS_CHARS: usize = 100_000;

impl Settings {
    /// Each key with its description, in display order.
    pub const KEYS: [(&str, &str); 18] = [
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
    ];

    /// Sets `key`; an empty value restores its default. The error message is for the owner.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let value = value.trim();
        if value.contains('\0') {
            return Err(format!("{key} must not contain U+0000"));
        }
        match key {
            "title" => self.title = line(key, value, MAX_TITLE_CHARS)?,
            "description" => self.description = line(key, value, MAX_DESCRIPTION_CHARS)?,
            "language" => self.language = language(value)?,
            "author" => self.author = line(key, value, MAX_TITLE_CHARS)?,
            "logo" => self.logo = address(key, value)?,
            "icon" => self.icon = address(key, value)?,
            "accent" => self.accent = colour(value)?,
            "links" => self.links = links(value)?,
            "sections" => self.sections = sections(value)?,
            "head" => self.head = long(key, value, MAX_HEAD_CHARS)?,
            "footer" => self.footer = long(key, value, MAX_FOOTER_CHARS)?,
            "css" => self.css = long(key, value, MAX_CSS_CHARS)?,
            "noindex" => self.noindex = yes(key, value)?,
            "fonts" => self.fonts = fonts(value)?,
            "punctuation" => self.punctuation = punctuation(value)?,
            "edit" => self.edit = edit(value)?,
            "signals" => self.signals = signals(value)?,
            "hub" => self.hub = hub(value)?,
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

/// A single line of text.
fn line(key: &str, value: &str, limit: usize) -> Result<Option<String>, String> {
    let value = long(key, value, limit)?;
    Ok(value.and_then(text::tidied))
}

fn long(key: &str, value: &str, limit: usize) -> Result<Option<String>, String> {
    match value.chars().count() {
        0 => Ok(None),
        count if count > limit => Err(format!("{key} must be at most {limit} characters, got {count}")),
        _ => Ok(Some(value.to_owned())),
    }
}

fn language(value: &str) -> Result<Option<String>, String> {
    if !value.is_empty() && !is_language(value) {
        return Err(format!("language must be a language tag such as en, de or pt-BR, not \"{value}\""));
    }
    Ok((!value.is_empty()).then(|| value.to_owned()))
}

/// Checks the syntax of a BCP 47 tag, not whether the language exists.
pub(crate) fn is_language(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let first = parts.next().unwrap_or_default();
    (2..=3).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_alphabetic())
        && tag.len() <= 35
        && parts.all(|part| {
            (2..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// Whether a language is written from right to left.
pub(crate) fn is_right_to_left(tag: &str) -> bool {
    let first = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    matches!(first.as_str(), "ar" | "dv" | "fa" | "he" | "iw" | "ks" | "ps" | "sd" | "ug" | "ur" | "yi")
}

fn address(key: &str, value: &str) -> Result<Option<String>, String> {
    if value.is_empty() {
        return Ok(None);
    }
    check_address(key, value).map(Some)
}

fn check_address(key: &str, value: &str) -> Result<String, String> {
    let wrong =
        || format!("{key}: \"{value}\" is not a URL; it must begin with / or https:// and contain no spaces");
    if is_link(value) { Ok(value.to_owned()) } else { Err(wrong()) }
}

/// A path on the site or a web URL: nothing that a browser would execute.
pub(crate) fn is_link(url: &str) -> bool {
    let path = url.starts_with('/') && !url.starts_with("//") && !url.contains('\\');
    let web =
        ["https://", "http://"].iter().any(|scheme| url.len() > scheme.len() && url.starts_with(scheme));
    let clean = |char: char| !char.is_whitespace() && !char.is_control() && !"<>\"'`{}|^".contains(char);
    (path || web) && url.len() <= MAX_URL_CHARS && url.chars().all(clean)
}

fn colour(value: &str) -> Result<Option<String>, String> {
    if !value.is_empty() {
        accent::parse(value)?;
    }
    Ok((!value.is_empty()).then(|| value.to_owned()))
}

fn links(value: &str) -> Result<Vec<Link>, String> {
    let entries = value.split([';', '\n']).map(str::trim).filter(|entry| !entry.is_empty());
    let links = entries.map(link).collect::<Result<Vec<_>, _>>()?;
    if links.len() > MAX_LINKS {
        return Err(format!("links: at most {MAX_LINKS} fit, got {}", links.len()));
    }
    Ok(links)
}

fn sections(value: &str) -> Result<Vec<String>, String> {
    let entries = value.split([';', '\n']).map(str::trim).filter(|entry| !entry.is_empty());
    let section = |entry: &str| match Section::parse_typed(entry) {
        Ok((section, _)) => Ok(section.as_str().to_owned()),
        Err(_) => Err(format!("sections: \"{entry}\" is not a section as in a URL, such as getting-started")),
    };
    let sections = entries.map(section).collect::<Result<Vec<_>, _>>()?;
    if sections.len() > MAX_SECTIONS {
        return Err(format!("sections: at most {MAX_SECTIONS} fit, got {}", sections.len()));
    }
    Ok(sections)
}

fn link(entry: &str) -> Result<Link, String> {
    let wrong = || format!("links: \"{entry}\" is not Text=URL, such as Docs=/docs");
    let (text, url) = entry.split_once('=').ok_or_else(wrong)?;
    let text = line("links", text.trim(), MAX_TITLE_CHARS)?.ok_or_else(wrong)?;
    let url = url.trim();
    let url = if url.starts_with("mailto:") && is_link(&format!("/{url}")) {
        url.to_owned()
    } else {
        check_address("links", url)?
    };
    Ok(Link { text, url })
}

fn yes(key: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" | "on" => Ok(true),
        "" | "no" | "false" | "0" | "off" => Ok(false),
        _ => Err(format!("{key} must be yes or no, not \"{value}\"")),
    }
}

/// A URL with a place for the path of a page.
fn edit(value: &str) -> Result<Option<String>, String> {
    if value.is_empty() {
        return Ok(None);
    }
    if !value.contains("{path}") {
        return Err("edit must contain {path}, such as https://example.com/edit/main/{path}.md".to_owned());
    }
    check_address("edit", &value.replace("{path}", "path"))?;
    Ok(Some(value.to_owned()))
}

/// Content signals: <https://contentsignals.org>.
fn signals(value: &str) -> Result<Option<String>, String> {
    let is_known = |(name, answer): (&str, &str)| {
        ["search", "ai-input", "ai-train"].contains(&name.trim()) && ["yes", "no"].contains(&answer.trim())
    };
    let signals: Vec<&str> = value.split(',').map(str::trim).filter(|signal| !signal.is_empty()).collect();
    if let Some(wrong) = signals.iter().find(|signal| !signal.split_once('=').is_some_and(is_known)) {
        return Err(format!("signals: \"{wrong}\" is not search, ai-input or ai-train with =yes or =no"));
    }
    Ok((!signals.is_empty()).then(|| signals.join(", ")))
}

fn hub(value: &str) -> Result<Option<String>, String> {
    match value {
        "" => Ok(None),
        _ if is_link(value) && value.starts_with("http") => Ok(Some(value.to_owned())),
        _ => Err(format!("hub must be a URL that begins with https://, not \"{value}\"")),
    }
}

fn fonts(value: &str) -> Result<Fonts, String> {
    match value {
        "" | "theme" => Ok(Fonts::Theme),
        "system" => Ok(Fonts::System),
        _ => Err(format!("fonts must be theme or system, not \"{value}\"")),
    }
}

fn punctuation(value: &str) -> Result<Punctuation, String> {
    match value {
        "" | "smart" => Ok(Punctuation::Smart),
        "plain" => Ok(Punctuation::Plain),
        _ => Err(format!("punctuation must be smart or plain, not \"{value}\"")),
    }
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
             accent, links, sections, footer, head, css, noindex, fonts, punctuation, edit, signals, hub",
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

    #[test]
    fn only_paths_and_web_addresses_are_links() {
        for url in ["/", "/docs", "/media/a.webp", "https://example.com", "http://example.com/a?b=c&d#e"] {
            assert!(is_link(url), "{url}");
        }
        for url in [
            "",
            "docs",
            "//example.com",
            "/\\example.com",
            "javascript:x",
            "https://",
            "/a b",
            "/\"",
            "data:x",
        ] {
            assert!(!is_link(url), "{url}");
        }
    }
}
