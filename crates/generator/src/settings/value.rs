//! What an owner typed as the value of a setting, checked and parsed. The error messages are for the owner.

use model::Section;

use super::{Fonts, Link, Punctuation};
use crate::{accent, text};

const MAX_URL_CHARS: usize = 2000;
const MAX_LINKS: usize = 12;
const MAX_SECTIONS: usize = 200;

/// A single line of text.
pub(super) fn line(key: &str, value: &str, limit: usize) -> Result<Option<String>, String> {
    let value = long(key, value, limit)?;
    Ok(value.and_then(text::tidied))
}

pub(super) fn long(key: &str, value: &str, limit: usize) -> Result<Option<String>, String> {
    match value.chars().count() {
        0 => Ok(None),
        count if count > limit => Err(format!("{key} must be at most {limit} characters, got {count}")),
        _ => Ok(Some(value.to_owned())),
    }
}

pub(super) fn language(value: &str) -> Result<Option<String>, String> {
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
pub fn is_right_to_left(tag: &str) -> bool {
    let first = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    matches!(first.as_str(), "ar" | "dv" | "fa" | "he" | "iw" | "ks" | "ps" | "sd" | "ug" | "ur" | "yi")
}

pub(super) fn address(key: &str, value: &str) -> Result<Option<String>, String> {
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

pub(super) fn colour(value: &str) -> Result<Option<String>, String> {
    if !value.is_empty() {
        accent::parse(value)?;
    }
    Ok((!value.is_empty()).then(|| value.to_owned()))
}

pub(super) fn links(value: &str) -> Result<Vec<Link>, String> {
    let entries = value.split([';', '\n']).map(str::trim).filter(|entry| !entry.is_empty());
    let links = entries.map(link).collect::<Result<Vec<_>, _>>()?;
    if links.len() > MAX_LINKS {
        return Err(format!("links: at most {MAX_LINKS} fit, got {}", links.len()));
    }
    Ok(links)
}

pub(super) fn sections(value: &str) -> Result<Vec<String>, String> {
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
    let text = line("links", text.trim(), super::MAX_TITLE_CHARS)?.ok_or_else(wrong)?;
    let url = url.trim();
    let url = if url.starts_with("mailto:") && is_link(&format!("/{url}")) {
        url.to_owned()
    } else {
        check_address("links", url)?
    };
    Ok(Link { text, url })
}

pub(super) fn yes(key: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" | "on" => Ok(true),
        "" | "no" | "false" | "0" | "off" => Ok(false),
        _ => Err(format!("{key} must be yes or no, not \"{value}\"")),
    }
}

/// A URL with a place for the path of a page.
pub(super) fn edit(value: &str) -> Result<Option<String>, String> {
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
pub(super) fn signals(value: &str) -> Result<Option<String>, String> {
    let is_known = |(name, answer): (&str, &str)| {
        ["search", "ai-input", "ai-train"].contains(&name.trim()) && ["yes", "no"].contains(&answer.trim())
    };
    let signals: Vec<&str> = value.split(',').map(str::trim).filter(|signal| !signal.is_empty()).collect();
    if let Some(wrong) = signals.iter().find(|signal| !signal.split_once('=').is_some_and(is_known)) {
        return Err(format!("signals: \"{wrong}\" is not search, ai-input or ai-train with =yes or =no"));
    }
    Ok((!signals.is_empty()).then(|| signals.join(", ")))
}

pub(super) fn hub(value: &str) -> Result<Option<String>, String> {
    match value {
        "" => Ok(None),
        _ if is_link(value) && value.starts_with("http") => Ok(Some(value.to_owned())),
        _ => Err(format!("hub must be a URL that begins with https://, not \"{value}\"")),
    }
}

pub(super) fn fonts(value: &str) -> Result<Fonts, String> {
    match value {
        "" | "theme" => Ok(Fonts::Theme),
        "system" => Ok(Fonts::System),
        _ => Err(format!("fonts must be theme or system, not \"{value}\"")),
    }
}

pub(super) fn punctuation(value: &str) -> Result<Punctuation, String> {
    match value {
        "" | "smart" => Ok(Punctuation::Smart),
        "plain" => Ok(Punctuation::Plain),
        _ => Err(format!("punctuation must be smart or plain, not \"{value}\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
