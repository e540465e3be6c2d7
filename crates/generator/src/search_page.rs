//! The page `/search`: generated with the site, without results. The server fills in those of each query.

use std::fmt::Write;

use serde::Serialize;

use crate::text::escape;
use crate::words::{Words, fill};

/// A page that a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchResult {
    /// A path, with the anchor of a heading if there is one.
    pub url: String,
    pub title: String,
    /// The slug of its section.
    pub section: Option<String>,
    /// Plain text.
    pub excerpt: String,
}

/// Where the query and the results are filled in. Texts of users never contain U+0001.
const QUERY: &str = "\u{1}query\u{1}";
const RESULTS: &str = "\u{1}results\u{1}";
/// Between the words that the results are shown with.
const SEPARATOR: char = '\u{2}';

/// The value of the field for the query.
pub(crate) fn query_mark() -> &'static str {
    QUERY
}

/// The place of the results, with the words for them.
pub(crate) fn results_mark(words: &Words) -> String {
    let words = [words.results, words.no_results, words.search_hint];
    format!("{RESULTS}{}{RESULTS}", words.join(&SEPARATOR.to_string()))
}

/// The page for a query and the pages that were found. `None`: this is no search page.
pub fn fill_search_page(page: &str, query: &str, results: &[SearchResult]) -> Option<String> {
    let (before, rest) = page.split_once(QUERY)?;
    let (between, rest) = rest.split_once(RESULTS)?;
    let (words, after) = rest.split_once(RESULTS)?;
    let mut words = words.split(SEPARATOR);
    let (found, nothing, hint) = (words.next()?, words.next()?, words.next()?);
    let mut html = format!("{before}{}{between}", escape(query));
    match (query.trim().is_empty(), results.is_empty()) {
        (true, _) => {}
        (false, true) => {
            let nothing = fill(nothing, &escape(query));
            write!(html, "<p class=\"none\" role=\"status\">{nothing} {hint}</p>")
                .expect("writing to a String cannot fail");
        }
        (false, false) => {
            write!(
                html,
                "<h2 class=\"label\" role=\"status\">{}</h2>\n<ol class=\"results\">",
                fill(found, &escape(query))
            )
            .expect("writing to a String cannot fail");
            results.iter().for_each(|result| push_result(&mut html, result));
            html.push_str("</ol>");
        }
    }
    html.push_str(after);
    Some(html)
}

fn push_result(html: &mut String, result: &SearchResult) {
    let SearchResult { url, title, excerpt, .. } = result;
    writeln!(
        html,
        "<li><a href=\"{}\" dir=\"auto\">{}</a><p dir=\"auto\">{}</p></li>",
        escape(url),
        escape(title),
        escape(excerpt)
    )
    .expect("writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> String {
        format!("<input value=\"{QUERY}\">{}</main>", results_mark(Words::of("en")))
    }

    #[test]
    fn a_page_shows_query_and_results_as_text() {
        let result = SearchResult {
            url: "/a#b".into(),
            title: "A <b>".into(),
            section: None,
            excerpt: "x & y".into(),
        };
        let html = fill_search_page(&page(), "\"><script>", &[result]).unwrap();
        assert!(html.starts_with("<input value=\"&quot;&gt;&lt;script&gt;\">"), "{html}");
        assert!(
            html.contains("<a href=\"/a#b\" dir=\"auto\">A &lt;b&gt;</a><p dir=\"auto\">x &amp; y</p>"),
            "{html}"
        );
        assert!(!html.contains("<script>") && !html.contains(['\u{1}', '\u{2}']), "{html}");
    }

    #[test]
    fn without_results_the_page_says_so_and_without_a_query_nothing() {
        let html = fill_search_page(&page(), "moon", &[]).unwrap();
        assert!(html.contains("Nothing found for “moon”. All words must occur on a page."), "{html}");
        assert_eq!(fill_search_page(&page(), " ", &[]).unwrap(), "<input value=\" \"></main>");
        assert_eq!(fill_search_page("<p>another page</p>", "moon", &[]), None);
    }
}
