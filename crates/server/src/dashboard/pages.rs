//! The list of a site's pages.

use api::BuildRefused;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use model::ContentType;
use publisher::{ListedPage, PageFilter, PageOrder, PageState, Refusal};

use super::assets::HTMX;
use super::failure::Failure;
use super::session::AtSite;
use super::view::{Frame, Html, filters, parameter};
use crate::App;

const ON_A_SCREEN: usize = 50;
/// As the parameters of the query name them.
const STATES: [(&str, &str, PageState); 3] = [
    ("draft", "Drafts", PageState::Draft),
    ("scheduled", "Scheduled", PageState::Scheduled),
    ("published", "Published", PageState::Published),
];
const ORDERS: [(&str, &str, PageOrder); 3] = [
    ("updated", "Newest update", PageOrder::Updated),
    ("title", "By title", PageOrder::Title),
    ("published", "Newest date", PageOrder::Published),
];

#[derive(Template)]
#[template(path = "dashboard/pages.html")]
struct Screen {
    frame: Frame,
    htmx: &'static str,
    path: String,
    types: [ContentType; 4],
    states: [(&'static str, &'static str, PageState); 3],
    orders: [(&'static str, &'static str, PageOrder); 3],
    chosen: Chosen,
    pages: Vec<ListedPage>,
    next: Option<String>,
}

/// What the person has chosen.
struct Chosen {
    content_type: Option<ContentType>,
    state: String,
    order: String,
    search: String,
}

impl Chosen {
    fn of(at: &AtSite) -> Chosen {
        Chosen {
            content_type: ContentType::parse(&parameter(&at.uri, "type")).ok(),
            state: parameter(&at.uri, "state"),
            order: parameter(&at.uri, "sort"),
            search: parameter(&at.uri, "q"),
        }
    }

    fn is_all(&self) -> bool {
        self.content_type.is_none() && self.state.is_empty() && self.search.is_empty()
    }

    fn filter(&self, after: String) -> PageFilter {
        PageFilter {
            content_type: self.content_type,
            state: STATES.iter().find(|(name, ..)| *name == self.state).map(|(.., state)| *state),
            search: self.search.trim().to_owned(),
            order: ORDERS
                .iter()
                .find(|(name, ..)| *name == self.order)
                .map(|(.., order)| *order)
                .unwrap_or_default(),
            after: Some(after).filter(|after| !after.is_empty()),
        }
    }

    fn query(&self, cursor: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("type", self.content_type.map_or("", ContentType::as_str));
        query.append_pair("state", &self.state).append_pair("sort", &self.order);
        query.append_pair("q", &self.search).append_pair("cursor", cursor).finish()
    }
}

pub(super) async fn list(State(app): State<App>, at: AtSite) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &at, None).await?))
}

/// A page is saved, and no build was queued.
pub(super) async fn not_built(app: &App, at: &AtSite, why: &BuildRefused) -> Result<Response, Failure> {
    let status = match why.error == Refusal::quota(0).error {
        true => StatusCode::PAYMENT_REQUIRED,
        false => StatusCode::TOO_MANY_REQUESTS,
    };
    let problem = format!("The page is saved, but no build was queued: {}.", why.message);
    Ok(Html::new(&screen(app, at, Some(problem)).await?).with(status))
}

/// The list, perhaps with the reason why something was not done.
async fn screen(app: &App, at: &AtSite, problem: Option<String>) -> Result<Screen, Failure> {
    let chosen = Chosen::of(at);
    let filter = chosen.filter(parameter(&at.uri, "cursor"));
    let list = app.publisher.page_list(&at.access.site, filter, ON_A_SCREEN).await?;
    Ok(Screen {
        frame: at.frame("Pages").after(&at.uri).with_problem(problem),
        htmx: &HTMX.url,
        path: at.path.clone(),
        types: ContentType::ALL,
        states: STATES,
        orders: ORDERS,
        next: list.next.map(|cursor| format!("{}/pages?{}", at.path, chosen.query(&cursor))),
        chosen,
        pages: list.pages,
    })
}
