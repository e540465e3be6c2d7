//! Turns pages into files: a pure function of a snapshot. No I/O, no clock.
//!
//! A file of a site is a function of the [`Site`] and a path. A change makes a set of paths *dirty* ([`Site::apply`]);
//! the caller generates the file at each of them ([`Site::make`]), and stores it if it differs:
//!
//! 1. [`Site::load`] the pages as of the last release; [`Site::apply`] the changes since.
//! 2. Make the dirty paths that [`Site::need`] a page's text, in parallel; then [`Site::summarise`] these pages,
//!    because lists show the beginning of their texts.
//! 3. Make the others. A dirty path for which no file is made has no file any more.
//!
//! The search index is the exception: its leaves are merged by the caller ([`Need::Leaf`]), from [`Made::search`] of the
//! pages generated in this build, and for the other pages of a leaf, from the dirty leaves of the last release.
//!
//! No text makes a build fail: a page that cannot be rendered within its bounds is shown as its source, with a
//! [`Made::warning`].
//!
//! A clean build is [`Site::load`] with all pages, and [`Site::all_paths`] instead of the dirty ones: the same files,
//! byte for byte. It is needed after a change of the settings, the origin or the [`VERSION`].
//!
//! Content that many pages share and that changes often (navigation, breadcrumbs) is a *fragment*: a separate file,
//! whose path begins with `/.`, [joined](join()) into the HTML when that is served.
//!
//! # Paths
//!
//! | path | file |
//! |---|---|
//! | [`url()`] of a page, and that with `.md` | the page; its Markdown, byte for byte |
//! | `/`, `/.md`, `/index.md` | the homepage, else an overview of the site |
//! | `/blog`, `/docs`, `/blog/S`, `/docs/S`, `/S` | lists; a page with the same path takes precedence |
//! | `/blog/2026.05`, `/blog/S/2026.05`, `/tags/T/2026.05`, `….05.14`, `….05.14.0` | archives of long lists |
//! | `/tags`, `/tags/T` | tags |
//! | `/standalone/…`, `/homepage/…`, former paths | redirects |
//! | `/feed.xml`, `/rss.xml`, `/feed.json` | the newest posts; their texts are [joined](join()) |
//! | `/sitemap.xml`, `/sitemap.lists.xml`, `/sitemap.0.xml` … | the sitemap; in shards from 501 pages on |
//! | `/search` | the page of the search, without results: [`fill_search_page`] |
//! | `/robots.txt`, `/404.html`, `/favicon.svg`, `/assets/site.HASH.css`, `/assets/site.HASH.js` | one each |
//! | `/llms.txt`; `/docs/llms.txt`, `/docs/S/llms.txt`, `/S/llms.txt`, `/blog/llms.txt`; `/llms.0.txt` … | lists for language models: an index; the pages of sections; from 501 pages on, all pages by hash |
//! | `/assets/fonts/…` | not generated: [`shared_asset`] |
//! | `/.site` | what the server draws cards and icons of: [`Brand`], [`PageCard`] |
//! | `/.nav`, `/.foot`, `/.docs`, `/.docs/S`, `/.crumbs/…`, `/.list`, `/.list/…` | fragments |
//! | `/.search/leaves`, `/.search/LEAF`, `/.search/LEAF.text` | the search index: see [`SearchFile`] |
//! | `/.docs/S/P`, `/.root/P` | fragments: the part of a long navigation that begins with page `P` |
//!
//! # Params
//!
//! [`PageParams`] are the `params` of a page that the theme supports, [`Settings`] the options for the whole site.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod accent;
mod fonts;
mod frame;
mod index;
mod inline;
mod join;
mod make;
mod page;
mod params;
mod preview;
mod route;
mod search_page;
mod settings;
mod site;
mod text;
mod url;
mod words;

pub use fonts::{shared_asset, shared_assets};
pub use index::mark::is_feed;
pub use join::{is_fragment, join};
pub use make::SearchText;
pub use page::Page;
pub use params::PageParams;
pub use preview::{Brand, PageCard};
pub use search_page::{SearchResult, fill_search_page};
pub use settings::{Fonts, Link, Punctuation, Settings, is_right_to_left};
pub use site::{Changes, File, Made, MissingSource, Need, Site, Source, Summary};
pub use url::{SearchFile, url};

/// Changes whenever the theme or the generator's code does: an incremental build cannot start from another version's
/// files.
pub const VERSION: &str = env!("RECTO_GENERATOR_VERSION");
