//! `/search` and `/search.json`: searches the live release of a site.

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Request, StatusCode, Uri};
use publisher::{Error, HostedSite, SearchQuery, SearchResults, Searched, fill_search_page};
use serde_json::json;

use super::file::{File, FileContent};
use super::{Parts, SiteResponse, headers, notes, response};
use crate::listen::RequestBody;
use crate::query::Parameters;

const PAGE: &str = "/search";
const JSON: &str = "/search.json";
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 50;

#[derive(Debug, PartialEq, Eq)]
struct Asked {
    query: String,
    limit: usize,
}

/// Whether a path is one of these. They are not files of the release.
pub(super) fn is_search(path: &str) -> bool {
    matches!(path, PAGE | JSON)
}

impl Parts {
    /// The response for a path of [`is_search`].
    pub(super) async fn search(
        &self,
        site: &HostedSite,
        release: i64,
        path: &str,
        request: &Request<RequestBody>,
    ) -> Result<SiteResponse, Error> {
        let asked = Asked::of(request.uri()).and_then(|asked| {
            let query = SearchQuery::parse(&asked.query);
            query.map(|query| (asked, query)).map_err(|_| "q must be at most 200 characters".to_owned())
        });
        let (asked, query) = match asked {
            Ok(asked) => asked,
            Err(message) => return Ok(refused(path, &message)),
        };
        let searched = Searched { account: site.account, site: site.id, release };
        let results = match query.is_empty() {
            true => SearchResults::default(),
            false => self.publisher.search(searched, query, asked.limit).await?,
        };
        let bytes = match path {
            JSON => {
                json!({"query": asked.query, "total": results.total, "results": results.hits}).to_string()
            }
            _ => match self.results_page(searched, &asked.query, results).await? {
                Some(page) => page,
                None => return Ok(notes::not_found()),
            },
        };
        let file = self.files.made(release, path, bytes.into_bytes());
        let FileContent::Body(body) = &file.content else { return Ok(notes::not_found()) };
        Ok(response::whole(body, request.method(), request.headers()).await)
    }

    /// `None`: a release of an earlier version has no such page.
    async fn results_page(
        &self,
        Searched { site, release, .. }: Searched,
        query: &str,
        results: SearchResults,
    ) -> Result<Option<String>, Error> {
        let page = self.files.find(&self.publisher, site, release, PAGE).await?;
        let Some(File { content: FileContent::Body(body), .. }) = page.as_deref() else { return Ok(None) };
        Ok(fill_search_page(&String::from_utf8_lossy(&body.plain.bytes), query, &results.hits))
    }
}

impl Asked {
    /// The error message is for the client.
    fn of(uri: &Uri) -> Result<Asked, String> {
        let parameters = Parameters::of(uri);
        let limit = match parameters.first("limit") {
            None => DEFAULT_LIMIT,
            Some(limit) => {
                let limit = limit.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
                limit.ok_or_else(|| format!("limit must be a number from 1 to {MAX_LIMIT}"))?
            }
        };
        Ok(Asked { query: parameters.first("q").unwrap_or_default().to_owned(), limit })
    }
}

fn refused(path: &str, message: &str) -> SiteResponse {
    match path {
        JSON => {
            let body = json!({"error": "bad request", "message": message}).to_string();
            let mut headers = headers::fresh(body.len());
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response::build(StatusCode::BAD_REQUEST, headers, body.into())
        }
        _ => notes::bad_search(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_has_words_and_a_limit() {
        let check = |uri: &str, expected: Result<(&str, usize), &str>| {
            let expected = expected.map(|(query, limit)| Asked { query: query.into(), limit });
            assert_eq!(Asked::of(&uri.parse().expect("a URI")), expected.map_err(str::to_owned), "{uri}");
        };
        let wrong = Err("limit must be a number from 1 to 50");
        check("/search", Ok(("", 20)));
        check("/search?q=", Ok(("", 20)));
        check("/search.json?q=a+b%20c&limit=50", Ok(("a b c", 50)));
        check("/search?q=%E6%9C%88", Ok(("月", 20)));
        check("/search?q=a&limit=0", wrong);
        check("/search?q=a&limit=51", wrong);
        check("/search?q=a&limit=x", wrong);
        check("/search?q=a&limit=", wrong);
    }
}
