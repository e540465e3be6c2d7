//! All accounts: find one, change its plan, suspend it.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use model::AccountId;
use publisher::{AccountUsage, Error};

use super::Operator;
use crate::App;
use crate::dashboard::failure::Failure;
use crate::dashboard::fields::Fields;
use crate::dashboard::usage::{Bar, bars};
use crate::dashboard::view::{Confirm, Frame, Html, filters, parameter, part, problem};

const ON_A_SCREEN: usize = 50;
const PATH: &str = "/dashboard/operator/accounts";

#[derive(Template)]
#[template(path = "dashboard/operator/accounts.html")]
struct List {
    frame: Frame,
    tab: &'static str,
    search: String,
    accounts: Vec<AccountUsage>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "dashboard/operator/account.html")]
struct Screen {
    frame: Frame,
    tab: &'static str,
    account: AccountUsage,
    bars: Vec<Bar>,
    plans: Vec<String>,
    /// The sites, by name.
    sites: Vec<(String, String)>,
}

pub(super) async fn list(State(app): State<App>, operator: Operator) -> Result<Html, Failure> {
    let (search, (from, end)) = (parameter(&operator.uri, "q"), part(&operator.uri, ON_A_SCREEN));
    let (accounts, more) = app.publisher.account_page(&search, from, ON_A_SCREEN).await?;
    let query: String = form_urlencoded::byte_serialize(search.as_bytes()).collect();
    let next = more.then(|| format!("{PATH}?q={query}&from={end}"));
    Ok(Html::new(&List { frame: operator.frame("Accounts"), tab: "Accounts", search, accounts, next }))
}

pub(super) async fn show(
    State(app): State<App>,
    operator: Operator,
    Path(id): Path<String>,
) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &operator, find(&app, &id).await?).await?))
}

pub(super) async fn set_plan(
    State(app): State<App>,
    operator: Operator,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, Failure> {
    let account = find(&app, &id).await?;
    let set = operator.publisher(&app).account_set_plan(account.account_id, &fields.get("plan")).await;
    match set {
        Ok(()) => Ok(done(&account, "changed")),
        Err(error @ Error::Refused(_)) => {
            let (status, why) = problem(error);
            let mut screen = screen(&app, &operator, account).await?;
            screen.frame.problem = why;
            Ok(Html::new(&screen).with(status))
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn ask_suspend(
    State(app): State<App>,
    operator: Operator,
    Path(id): Path<String>,
) -> Result<Html, Failure> {
    let account = find(&app, &id).await?;
    Ok(Html::new(&Confirm {
        frame: operator.frame("Suspend"),
        question: format!(
            "Suspend “{}”? Its members and tokens are refused, and its sites are off line, until it is resumed.",
            account.name
        ),
        button: "Suspend",
        fields: vec![],
        back: format!("{PATH}/{}", account.account_id),
    }))
}

pub(super) async fn suspend(
    State(app): State<App>,
    operator: Operator,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let account = find(&app, &id).await?;
    operator.publisher(&app).account_suspend(account.account_id).await?;
    Ok(done(&account, "changed"))
}

pub(super) async fn resume(
    State(app): State<App>,
    operator: Operator,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let account = find(&app, &id).await?;
    operator.publisher(&app).account_resume(account.account_id).await?;
    Ok(done(&account, "changed"))
}

fn done(account: &AccountUsage, what: &str) -> Response {
    Redirect::to(&format!("{PATH}/{}?done={what}", account.account_id)).into_response()
}

async fn find(app: &App, id: &str) -> Result<AccountUsage, Failure> {
    let id = AccountId::parse(id).ok_or(Failure::Missing)?;
    match app.publisher.account_show(id).await {
        Err(Error::Refused(_)) => Err(Failure::Missing),
        found => found.map_err(Failure::from),
    }
}

async fn screen(app: &App, operator: &Operator, account: AccountUsage) -> Result<Screen, Failure> {
    let sites = app.publisher.sites_of_account(account.account_id).await?;
    let site = |site: publisher::Site| {
        (site.name.as_str().to_owned(), format!("/dashboard/sites/{}/pages", site.id))
    };
    Ok(Screen {
        frame: operator.frame(account.name.clone()),
        tab: "Accounts",
        bars: bars(&account),
        account,
        plans: app.publisher.settings().plans.iter().map(|plan| plan.name.clone()).collect(),
        sites: sites.into_iter().map(site).collect(),
    })
}
