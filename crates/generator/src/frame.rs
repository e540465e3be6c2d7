//! What every file of a site shares: its origin, its name, its style sheet.

use sha2::{Digest, Sha256};

use crate::accent::{self, Accent};
use crate::route::SettingsPaths;
use crate::settings::is_right_to_left;
use crate::url::hex;
use crate::{Settings, text};

const THEME: &str = include_str!("../theme/recto.css");

pub(crate) struct Frame {
    /// `https://example.com`
    pub origin: String,
    pub settings: Settings,
    pub title: String,
    pub rtl: bool,
    pub style: Vec<u8>,
    pub style_path: String,
    /// The URL of the icon.
    pub icon: String,
    pub accent: Accent,
    /// HTML.
    pub footer: String,
}

const ICON: &str = "/favicon.svg";

impl Frame {
    pub fn new(origin: &str, settings: Settings, default_title: &str) -> Frame {
        let mut title = settings.title.clone().unwrap_or_else(|| default_title.to_owned());
        text::tidy(&mut title);
        // Settings are checked when they are set; an invalid one is ignored.
        let accent = settings.accent.as_deref().and_then(|text| accent::parse(text).ok()).unwrap_or_default();
        let style = style(accent, settings.css.as_deref().unwrap_or_default());
        let footer = settings.footer.as_deref().unwrap_or_default();
        Frame {
            origin: origin.trim_end_matches('/').to_owned(),
            title,
            rtl: is_right_to_left(settings.language()),
            style_path: format!("/assets/site.{}.css", hex(&Sha256::digest(&style)[..6])),
            style,
            icon: settings.icon.clone().unwrap_or_else(|| ICON.to_owned()),
            accent,
            footer: markdown::render(footer).unwrap_or_else(|_| markdown::show_source(footer)).html,
            settings,
        }
    }

    pub fn settings_paths(&self) -> SettingsPaths<'_> {
        SettingsPaths { style: &self.style_path, icon: self.settings.icon.is_none().then_some(ICON) }
    }

    /// The absolute URL for a path or URL.
    pub fn absolute(&self, url: &str) -> String {
        match url.starts_with('/') {
            true => format!("{}{url}", self.origin),
            false => url.to_owned(),
        }
    }

    /// The site's initial on its accent colour.
    pub fn icon_svg(&self) -> String {
        let initial: String = self.title.chars().find(|char| char.is_alphanumeric()).into_iter().collect();
        let (initial, accent) = (text::escape(&initial.to_uppercase()), self.accent.light);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\">\
             <rect width=\"64\" height=\"64\" rx=\"10\" fill=\"{accent}\"/>\
             <text x=\"32\" y=\"46\" text-anchor=\"middle\" fill=\"#fdfcf9\" font-size=\"42\" font-weight=\"600\" \
             font-family=\"Iowan Old Style, Palatino, Georgia, serif\">{initial}</text></svg>\n"
        )
    }
}

/// The theme, the accent, and the owner's rules.
fn style(accent: Accent, css: &str) -> Vec<u8> {
    let mut style = compact(THEME);
    if accent != Accent::default() {
        style.push_str(&format!(":root{{--rubric:light-dark({},{})}}\n", accent.light, accent.dark));
    }
    style.push_str(css);
    style.into_bytes()
}

/// Removes comments and indentation; enough for a file that is loaded once.
fn compact(css: &str) -> String {
    let mut compact = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, comment)) = rest.split_once("/*") {
        compact.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    compact.push_str(rest);
    let lines = compact.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(keys: &[(&str, &str)]) -> Frame {
        let mut settings = Settings::default();
        keys.iter().for_each(|(key, value)| settings.set(key, value).unwrap());
        Frame::new("https://example.com/", settings, "acme")
    }

    #[test]
    fn the_style_sheet_is_theme_accent_and_rules() {
        let plain = frame(&[]);
        let own = frame(&[("accent", "#005f5f"), ("css", "h1 { color: red }")]);
        let style = String::from_utf8(own.style).unwrap();
        assert!(style.ends_with(":root{--rubric:light-dark(#005f5f,#5c9999)}\nh1 { color: red }"), "{style}");
        assert!(!style.contains("/*"));
        assert_ne!(plain.style_path, own.style_path);
        assert!(plain.style_path.starts_with("/assets/site.") && plain.style_path.ends_with(".css"));
    }

    #[test]
    fn the_icon_is_the_initial() {
        assert!(frame(&[]).icon_svg().contains(">A</text>"));
        assert!(frame(&[("title", "… <ßeta>")]).icon_svg().contains(">SS</text>"));
    }

    #[test]
    fn no_icon_is_generated_for_a_site_that_has_one() {
        assert_eq!(frame(&[]).settings_paths().icon, Some("/favicon.svg"));
        assert_eq!(frame(&[("icon", "/media/a/icon.webp")]).settings_paths().icon, None);
    }
}
