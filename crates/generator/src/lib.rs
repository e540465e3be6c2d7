//! Pages to files: a pure function of a snapshot. No I/O, no clock.
//!
//! A file of a site is a function of the [`Site`] and a path. A change makes a set of paths *dirty*
//! ([`Site::apply`]); for each of them one asks what is there now ([`Site::make`]), and keeps it if it differs:
//!
//! 1. [`Site::load`] the pages as of the last release; [`Site::apply`] what has changed since.
//! 2. Make the dirty paths that [`Site::need`] a page's text, on as many threads as there are; then
//!    [`Site::summarise`] these pages, because lists show their first words.
//! 3. Make the others. Where nothing is made, nothing is any more.
//!
//! No page's text makes a build fail: one that cannot be rendered within its bounds is shown as its source, with a
//! [`Made::warning`].
//!
//! A clean build is [`Site::load`] with all pages, and [`Site::all_paths`] instead of the dirty ones: the same files,
//! byte for byte. Other settings, another origin or another [`VERSION`] call for one.
//!
//! What many pages share and that changes often (navigation, the way to a section) is a *fragment*: a file of its
//! own, whose path begins with `/.`, [`join`]ed into the HTML when that is served.
//!
//! # Paths
//!
//! | path | file |
//! |---|---|
//! | [`url`] of a page, and that with `.md` | the page; its Markdown, byte for byte |
//! | `/`, `/.md`, `/index.md` | the homepage, else a list of what there is |
//! | `/blog`, `/docs`, `/blog/S`, `/docs/S`, `/S` | lists; a page of that address wins |
//! | `/blog/2026.05`, `/blog/S/2026.05`, `/tags/T/2026.05`, `….05.14`, `….05.14.0` | archives of lists that are too long |
//! | `/tags`, `/tags/T` | tags |
//! | `/standalone/…`, `/homepage/…`, former addresses | redirects |
//! | `/feed.xml`, `/rss.xml`, `/feed.json` | the newest posts |
//! | `/sitemap.xml`, `/sitemap.lists.xml`, `/sitemap.0.xml` … | the sitemap; from 501 pages on in shards |
//! | `/robots.txt`, `/llms.txt`, `/404.html`, `/favicon.svg`, `/assets/site.HASH.css` | one each |
//! | `/.nav`, `/.foot`, `/.docs`, `/.docs/S`, `/.crumbs/…`, `/.list`, `/.list/…` | fragments |
//! | `/.docs/S/P`, `/.root/P` | fragments: the part that begins with page `P` of a navigation that is too long for one |
//!
//! # Params
//!
//! What the theme understands of a page's `params` is in [`PageParams`]; what the owner may choose for the whole site
//! in [`Settings`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod accent;
mod frame;
mod index;
mod inline;
mod join;
mod make;
mod page;
mod params;
mod place;
mod settings;
mod site;
mod text;
mod url;

pub use join::{is_fragment, join};
pub use page::Page;
pub use params::PageParams;
pub use settings::{Link, Settings};
pub use site::{Changes, File, Made, MissingSource, Need, Site, Source};
pub use url::url;

/// Changes whenever the theme or the generator's code does: files made by another version are no base to build on.
pub const VERSION: &str = env!("RECTO_GENERATOR_VERSION");
