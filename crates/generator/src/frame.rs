//! What every file of a site shares: its origin, its name, its style sheet and its script.

use model::sha256;

use crate::accent::{self, Accent};
use crate::route::SettingsPaths;
use crate::settings::is_right_to_left;
use crate::url::hex;
use crate::words::Words;
use crate::{Fonts, Settings, fonts, text};

const THEME: &str = include_str!("../theme/recto.css");
const SCRIPT: &str = include_str!("../theme/recto.js");

pub(crate) struct Frame {
    /// `https://example.com`
    pub origin: String,
    pub settings: Settings,
    pub title: String,
    pub words: &'static Words,
    pub rtl: bool,
    pub style: Vec<u8>,
    pub style_path: String,
    pub script: Vec<u8>,
    pub script_path: String,
    /// The words that the script shows, as JSON.
    pub script_words: String,
    /// The fonts that browsers should load at once.
    pub first_fonts: Vec<&'static str>,
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
        let style = style(accent, &settings);
        let script = compact_script(SCRIPT).into_bytes();
        let footer = settings.footer.as_deref().unwrap_or_default();
        let words = Words::of(settings.language());
        Frame {
            origin: origin.trim_end_matches('/').to_owned(),
            title,
            words,
            rtl: is_right_to_left(settings.language()),
            style_path: format!("/assets/site.{}.css", short_hash(&style)),
            style,
            script_path: format!("/assets/site.{}.js", short_hash(&script)),
            script,
            script_words: words.for_script(),
            first_fonts: match settings.fonts {
                Fonts::Theme => fonts::first_paths().collect(),
                Fonts::System => vec![],
            },
            icon: settings.icon.clone().unwrap_or_else(|| ICON.to_owned()),
            accent,
            footer: markdown::render(footer, settings.style(None))
                .unwrap_or_else(|_| markdown::show_source(footer))
                .html,
            settings,
        }
    }

    pub fn settings_paths(&self) -> SettingsPaths<'_> {
        SettingsPaths {
            style: &self.style_path,
            script: &self.script_path,
            icon: self.settings.icon.is_none().then_some(ICON),
        }
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

fn short_hash(bytes: &[u8]) -> String {
    hex(&sha256(bytes)[..6])
}

/// The fonts, the theme, the accent, and the owner's rules.
fn style(accent: Accent, settings: &Settings) -> Vec<u8> {
    let mut style = match settings.fonts {
        Fonts::Theme => fonts::rules(),
        Fonts::System => String::new(),
    };
    style.push_str(&compact(THEME));
    if accent != Accent::default() {
        style.push_str(&format!(":root{{--rubric:light-dark({},{})}}\n", accent.light, accent.dark));
    }
    style.push_str(settings.css.as_deref().unwrap_or_default());
    style.into_bytes()
}

/// Removes comments on their own lines, and indentation.
fn compact_script(script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
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
    fn a_site_may_do_without_the_themes_fonts() {
        let (theme, system) = (frame(&[]), frame(&[("fonts", "system")]));
        assert_eq!(theme.first_fonts.len(), 2);
        assert!(String::from_utf8(theme.style).unwrap().starts_with("@font-face"));
        assert!(system.first_fonts.is_empty());
        assert!(!String::from_utf8(system.style).unwrap().contains("@font-face"));
    }

    #[test]
    fn the_script_is_small() {
        let script = frame(&[]).script;
        assert!(script.len() <= 4096, "{} bytes", script.len());
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
