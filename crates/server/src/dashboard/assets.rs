//! The style and the scripts of the dashboard. Their addresses change with them, so browsers keep them.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use model::sha256;

use super::failure::Failure;

const RULES: &str = include_str!("style.css");
/// The names of the theme's fonts, with their families.
const FONTS: [(&str, &str); 2] = [("sans.", "Recto Sans"), ("serif.", "Recto Serif")];

/// The rules, and the fonts of the theme.
static STYLE_TEXT: LazyLock<String> = LazyLock::new(|| {
    let face = |(path, family)| {
        format!(
            "@font-face{{font-family:\"{family}\";font-weight:400 700;src:url({path}) format(\"woff2\");font-display:swap}}\n"
        )
    };
    let of_font = |(name, family): &(&str, &'static str)| {
        let mut assets = generator::shared_assets();
        assets.find_map(|(path, _)| file_name(path).starts_with(name).then_some((path, *family)))
    };
    FONTS.iter().filter_map(of_font).map(face).chain([RULES.to_owned()]).collect()
});

pub(super) static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("style.css", "text/css; charset=utf-8", &STYLE_TEXT));
/// On every screen.
pub(super) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| script("dashboard.js", include_str!("dashboard.js")));
/// On screens with lists that are updated in place.
pub(super) static HTMX: LazyLock<Asset> = LazyLock::new(|| script("htmx.js", include_str!("vendor/htmx.js")));
/// On the form of a page.
pub(super) static EDITOR: LazyLock<Asset> =
    LazyLock::new(|| script("editor.js", include_str!("vendor/editor.js")));

/// On the screen of the builds.
pub(super) static BUILDS: LazyLock<Asset> = LazyLock::new(|| script("builds.js", include_str!("builds.js")));
/// On the form of a site's settings.
pub(super) static SETTINGS: LazyLock<Asset> =
    LazyLock::new(|| script("settings.js", include_str!("settings.js")));
/// Where passkeys are used.
pub(super) static PASSKEYS: LazyLock<Asset> =
    LazyLock::new(|| script("passkeys.js", include_str!("passkeys.js")));

pub(super) struct Asset {
    pub(super) url: String,
    kind: &'static str,
    text: &'static str,
}

impl Asset {
    fn new(name: &str, kind: &'static str, text: &'static str) -> Asset {
        let hash: String = sha256(text)[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        Asset { url: format!("/dashboard/assets/{name}?{hash}"), kind, text }
    }
}

fn script(name: &str, text: &'static str) -> Asset {
    Asset::new(name, "text/javascript; charset=utf-8", text)
}

pub(super) async fn show(Path(name): Path<String>) -> Result<Response, Failure> {
    let asset = match name.as_str() {
        "style.css" => &STYLE,
        "dashboard.js" => &SCRIPT,
        "htmx.js" => &HTMX,
        "editor.js" => &EDITOR,
        "builds.js" => &BUILDS,
        "settings.js" => &SETTINGS,
        "passkeys.js" => &PASSKEYS,
        _ => return Err(Failure::Missing),
    };
    let headers = [(CONTENT_TYPE, asset.kind), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
    Ok((headers, asset.text).into_response())
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
