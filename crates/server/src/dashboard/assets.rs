//! The style of the dashboard: its own rules, and the fonts of the theme.

use std::sync::LazyLock;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

const RULES: &str = include_str!("style.css");
/// The names of the theme's fonts, with their families.
const FONTS: [(&str, &str); 2] = [("sans.", "Recto Sans"), ("serif.", "Recto Serif")];

static STYLE: LazyLock<String> = LazyLock::new(|| {
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

/// Its address, which changes with it: browsers keep it.
pub(super) static STYLE_URL: LazyLock<String> = LazyLock::new(|| {
    let hash: String = Sha256::digest(&*STYLE)[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("/dashboard/style.css?{hash}")
});

pub(super) async fn style() -> Response {
    let headers =
        [(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
    (headers, STYLE.as_str()).into_response()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
