//! What the account uses of each of its limits.

use askama::Template;
use axum::extract::State;
use model::ByteSize;
use publisher::AccountUsage;

use super::failure::Failure;
use super::session::AtSite;
use super::view::{Frame, Html};
use crate::App;

#[derive(Template)]
#[template(path = "dashboard/usage.html")]
struct Screen {
    frame: Frame,
    plan: String,
    bars: Vec<Bar>,
    largest_file: String,
    deleted_pages: i64,
}

/// How much of a limit is used.
pub(super) struct Bar {
    pub(super) label: &'static str,
    pub(super) used: String,
    pub(super) limit: String,
    /// At least 1, so that a limit of nothing is a full bar.
    pub(super) most: u64,
    pub(super) value: u64,
}

impl Bar {
    fn new(label: &'static str, used: u64, limit: Option<u64>, text: fn(u64) -> String) -> Bar {
        let most = limit.unwrap_or_default().max(1);
        let limit = limit.map_or("?".to_owned(), text);
        Bar { label, used: text(used), limit, most, value: used.min(most) }
    }
}

pub(super) async fn show(State(app): State<App>, at: AtSite) -> Result<Html, Failure> {
    let account = app.publisher.account_show(at.access.caller.account).await?;
    Ok(Html::new(&Screen {
        frame: at.frame("Usage"),
        bars: bars(&account),
        plan: account.plan,
        largest_file: account.file_size_limit_bytes.map_or("?".into(), |bytes| ByteSize(bytes).to_string()),
        deleted_pages: account.deleted_pages,
    }))
}

/// One for each limit of the plan.
pub(super) fn bars(account: &AccountUsage) -> Vec<Bar> {
    let (number, size) = (|number: u64| number.to_string(), |bytes| ByteSize(bytes).to_string());
    let (sites, builds) = (account.sites.max(0) as u64, account.builds_this_month.max(0) as u64);
    vec![
        Bar::new("Sites", sites, account.sites_limit, number),
        Bar::new("Pages", account.pages, account.pages_limit, number),
        Bar::new("Texts", account.text_used_bytes, account.text_limit_bytes, size),
        Bar::new("Storage", account.storage_used_bytes, account.storage_limit_bytes, size),
        Bar::new("Builds this month", builds, account.builds_per_month, number),
    ]
}
