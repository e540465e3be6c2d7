//! The list of a site's pages.

use askama::Template;
use axum::extract::State;
use model::ContentType;
use publisher::{Cursor, ListedPage, PageFilter};

use super::failure::Failure;
use super::session::AtSite;
use super::view::{Frame, Html, filters, parameter};
use crate::App;

const ON_A_SCREEN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages.html")]
struct Screen {
    frame: Frame,
    path: String,
    types: [ContentType; 4],
    chosen: Option<ContentType>,
    search: String,
    pages: Vec<ListedPage>,
    next: Option<String>,
}

pub(super) async fn list(State(app): State<App>, at: AtSite) -> Result<Html, Failure> {
    let (chosen, search) = (ContentType::parse(&parameter(&at.uri, "type")).ok(), parameter(&at.uri, "q"));
    let filter = PageFilter {
        content_type: chosen,
        title: search.trim().to_owned(),
        after: Cursor::parse(&parameter(&at.uri, "cursor")),
    };
    let list = app.publisher.page_list(&at.access.site, filter, ON_A_SCREEN).await?;
    let next = list.next.map(|cursor| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("type", chosen.map_or("", ContentType::as_str)).append_pair("q", &search);
        format!("{}/pages?{}", at.path, query.append_pair("cursor", &cursor.text()).finish())
    });
    let frame = at.frame("Pages").after(&at.uri);
    let types = ContentType::ALL;
    Ok(Html::new(&Screen { frame, path: at.path, types, chosen, search, pages: list.pages, next }))
}
