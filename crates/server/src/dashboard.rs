//! The dashboard below `/dashboard`: pages and forms for people. Every action is a plain form, which works without a
//! script, and calls the same use cases as the API.
//!
//! Threats and countermeasures:
//! - CSRF: a form is accepted only from this origin (`origin`). Sites of tenants may be on the same domain, so
//!   `SameSite` alone is not enough.
//! - Scripts in titles or texts: templates escape everything, and the policy allows only the scripts of
//!   `assets`, which evaluate no text.
//! - Guessing passwords: see `sign_in`. Other accounts' ids: `session::AtSite` answers them like unknown ones.

mod assets;
mod audit;
mod autosave;
mod build_events;
mod builds;
mod bulk;
mod domains;
mod export;
mod failure;
mod fields;
mod links;
mod media;
mod members;
mod more;
mod new_site;
mod operator;
mod origin;
mod page;
mod page_form;
mod pages;
mod params_form;
mod passkeys;
pub(crate) mod preview;
mod protection;
mod redirects;
mod releases;
mod session;
mod sessions;
mod settings;
mod sign_in;
mod sites;
mod tokens;
mod trash;
mod usage;
mod view;

use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{get, post};

pub(crate) use self::build_events::{Streams, streams};
pub(crate) use self::domains::lookups;
pub(crate) use self::export::{Exports, exports};
use self::failure::Failure;
pub use self::links::link_url;
pub(crate) use self::sign_in::SignIns;
use crate::App;

const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; font-src 'self'; \
    img-src 'self' https: data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/// Forms need the origin of their page; other hosts get nothing.
const REFERRER: HeaderValue = HeaderValue::from_static("same-origin");

/// To be nested at `/dashboard`.
pub(crate) fn router(app: App) -> Router<App> {
    Router::new()
        .route("/", get(sites::home))
        .route("/assets/{name}", get(assets::show))
        .route("/sign-in", get(sign_in::form).post(sign_in::submit))
        .route("/sign-in/challenge", post(passkeys::sign_in_challenge))
        .route("/sign-in/passkey", post(passkeys::sign_in))
        .route("/sign-out", post(sessions::sign_out))
        .route("/link", get(links::open).post(links::submit))
        .route("/sessions", get(sessions::list))
        .route("/sessions/{id}/end", post(sessions::end))
        .route("/passkeys", get(passkeys::list).post(passkeys::register))
        .route("/passkeys/challenge", post(passkeys::register_challenge))
        .route("/passkeys/{credential}/remove", get(passkeys::ask_remove).post(passkeys::remove))
        .route("/sites", get(sites::choose))
        .route("/sites/new", get(new_site::form).post(new_site::create))
        .nest("/sites/{site}", site_router())
        .nest("/operator", operator::router())
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app, origin::check))
        .layer(map_response(add_headers))
}

/// What belongs to one site, or to its account.
fn site_router() -> Router<App> {
    Router::new()
        .route("/pages", get(pages::list))
        .route("/pages/new", get(page::new).post(page::create))
        .route("/pages/new/autosave", post(autosave::keep_new))
        .route("/pages/new/preview", post(preview::show_new))
        .route("/pages/new/discard", post(autosave::discard_new))
        .route("/pages/bulk", post(bulk::ask))
        .route("/pages/bulk/delete", post(bulk::delete))
        .route("/pages/bulk/move", post(bulk::move_to))
        .route("/pages/bulk/tag", post(bulk::tag))
        .route("/pages/trash", get(trash::list))
        .route("/pages/{page}", get(page::edit).post(page::save))
        .route("/pages/{page}/autosave", post(autosave::keep))
        .route("/pages/{page}/preview", post(preview::show))
        .route("/pages/{page}/discard", post(autosave::discard))
        .route("/pages/{page}/restore", post(trash::restore))
        .route("/pages/{page}/delete", get(page::ask_delete).post(page::delete))
        .route("/media", get(media::list).post(media::upload))
        .route("/media/add", post(media::add))
        .route("/media/delete", get(media::ask_delete).post(media::delete))
        .route("/builds", get(builds::list).post(builds::build_now))
        .route("/builds/events", get(build_events::follow))
        .route("/builds/page", get(builds::open_page))
        .route("/builds/{release}", get(releases::show))
        .route("/builds/{release}/roll-back", get(releases::ask_roll_back).post(releases::roll_back))
        .route("/settings", get(settings::show).post(settings::save))
        .route("/domains", get(domains::list).post(domains::add))
        .route("/domains/{host}/remove", get(domains::ask_remove).post(domains::remove))
        .route("/password", get(protection::show).post(protection::set))
        .route("/password/remove", get(protection::ask_remove).post(protection::remove))
        .route("/redirects", get(redirects::list))
        .route("/more", get(more::show))
        .route("/export", get(export::download))
        .route("/delete", post(more::delete))
        .route("/tokens", get(tokens::list).post(tokens::create))
        .route("/tokens/{token}/revoke", get(tokens::ask_revoke).post(tokens::revoke))
        .route("/members", get(members::list).post(members::invite))
        .route("/members/{user}/role", post(members::set_role))
        .route("/members/{user}/remove", get(members::ask_remove).post(members::remove))
        .route("/usage", get(usage::show))
        .route("/audit", get(audit::list))
        .route("/audit.csv", get(audit::csv))
        .route("/audit.jsonl", get(audit::json_lines))
}

async fn missing() -> Failure {
    Failure::Missing
}

async fn wrong_method() -> Failure {
    Failure::WrongMethod
}

async fn add_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    // A screen that shows more, such as a preview, has its own.
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, REFERRER);
    response
}
