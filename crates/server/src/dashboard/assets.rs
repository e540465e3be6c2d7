//! The style of the dashboard, which has its own rules and the fonts of the theme, and its scripts.

use std::sync::LazyLock;

use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
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
pub(super) static STYLE_URL: LazyLock<String> = LazyLock::new(|| versioned("style.css", &STYLE));

pub(super) async fn style() -> Response {
    kept("text/css; charset=utf-8", STYLE.as_str())
}

/// A script of some screens, all of which work without it.
pub(super) struct Script {
    pub(super) url: String,
    text: &'static str,
}

impl Script {
    fn new(name: &str, text: &'static str) -> Script {
        Script { url: versioned(name, text), text }
    }

    pub(super) async fn respond(&self) -> Response {
        kept("text/javascript; charset=utf-8", self.text)
    }
}

pub(super) static BUILDS_SCRIPT: LazyLock<Script> =
    LazyLock::new(|| Script::new("builds.js", include_str!("builds.js")));

pub(super) static SETTINGS_SCRIPT: LazyLock<Script> =
    LazyLock::new(|| Script::new("settings.js", include_str!("settings.js")));

pub(super) static PASSKEYS_SCRIPT: LazyLock<Script> =
    LazyLock::new(|| Script::new("passkeys.js", include_str!("passkeys.js")));

/// A screen with a script: its policy allows those of this server.
pub(super) struct Scripted<T>(pub(super) T);

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; font-src 'self'; \
     img-src 'self' https: data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

impl<T: IntoResponse> IntoResponse for Scripted<T> {
    fn into_response(self) -> Response {
        ([(CONTENT_SECURITY_POLICY, POLICY)], self.0).into_response()
    }
}

fn kept(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "public, max-age=31536000, immutable")], text).into_response()
}

fn versioned(name: &str, text: &str) -> String {
    let hash: String = Sha256::digest(text)[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("/dashboard/{name}?{hash}")
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
