//! The audit log of the site's account: who did what. It can be downloaded.

use std::io;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{Stream, stream};
use model::{AccountId, AuditId};
use publisher::{Action, AuditEntry};
use serde_json::json;

use super::failure::Failure;
use super::session::Owner;
use super::view::{Frame, Html, filters, parameter};
use crate::App;

const ON_A_SCREEN: usize = 100;
/// Entries that are read at a time for a download.
const STEP: usize = 500;

#[derive(Template)]
#[template(path = "dashboard/audit.html")]
struct Screen {
    frame: Frame,
    path: String,
    actions: [Action; Action::ALL.len()],
    /// Empty: all.
    chosen: &'static str,
    entries: Vec<AuditEntry>,
    next: Option<String>,
}

pub(super) async fn list(State(app): State<App>, Owner(at): Owner) -> Result<Html, Failure> {
    let (account, chosen) = (at.access.caller.account, action(&parameter(&at.uri, "action")));
    let before = AuditId::parse(&parameter(&at.uri, "before"));
    let mut entries = app.publisher.audit_list(account, chosen, before, ON_A_SCREEN + 1).await?;
    let more = entries.len() > ON_A_SCREEN;
    entries.truncate(ON_A_SCREEN);
    let chosen = chosen.map(Action::as_str).unwrap_or_default();
    let next = entries.last().filter(|_| more).map(|last| {
        let action: String = form_urlencoded::byte_serialize(chosen.as_bytes()).collect();
        format!("{}/audit?action={action}&before={}", at.path, last.entry.id)
    });
    let (frame, path) = (at.frame("Audit log"), at.path);
    Ok(Html::new(&Screen { frame, path, actions: Action::ALL, chosen, entries, next }))
}

fn action(name: &str) -> Option<Action> {
    Action::ALL.into_iter().find(|action| action.as_str() == name)
}

pub(super) async fn csv(State(app): State<App>, Owner(at): Owner) -> Response {
    let head = Some("time,actor kind,actor,address,action,subject,site\r\n".to_owned());
    download(app, at.access.caller.account, ("text/csv; charset=utf-8", "audit.csv"), head, csv_line)
}

pub(super) async fn json_lines(State(app): State<App>, Owner(at): Owner) -> Response {
    download(app, at.access.caller.account, ("application/x-ndjson", "audit.jsonl"), None, json_line)
}

fn download(
    app: App,
    account: AccountId,
    (kind, name): (&'static str, &str),
    head: Option<String>,
    line: fn(&AuditEntry) -> String,
) -> Response {
    let headers =
        [(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""))];
    (headers, Body::from_stream(lines(app, account, head, line))).into_response()
}

/// Some entries at a time, so that a long log is never in memory as a whole.
fn lines(
    app: App,
    account: AccountId,
    head: Option<String>,
    line: fn(&AuditEntry) -> String,
) -> impl Stream<Item = io::Result<Bytes>> {
    let first = stream::iter(head.map(|head| Ok(Bytes::from(head))));
    let rest = stream::try_unfold(None, move |before| {
        let publisher = app.publisher.clone();
        async move {
            let entries =
                publisher.audit_list(account, None, before, STEP).await.map_err(io::Error::other)?;
            let Some(last) = entries.last() else { return Ok(None) };
            let text: String = entries.iter().map(line).collect();
            Ok(Some((Bytes::from(text), Some(last.entry.id))))
        }
    });
    futures_util::StreamExt::chain(first, rest)
}

fn csv_line(AuditEntry { entry, token_name }: &AuditEntry) -> String {
    let site = entry.site.map(|site| site.to_string()).unwrap_or_default();
    let actor = token_name.as_ref().unwrap_or(&entry.actor);
    let (time, kind) = (entry.at.to_string(), &entry.actor_kind);
    let cells = [&time, kind, actor, &entry.address, &entry.action, &entry.subject, &site];
    cells.map(|cell| csv_cell(cell)).join(",") + "\r\n"
}

/// Quoted. A spreadsheet takes a text that begins with one of these characters for a formula.
fn csv_cell(text: &str) -> String {
    let mark = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

fn json_line(AuditEntry { entry, token_name }: &AuditEntry) -> String {
    let line = json!({
        "id": entry.id, "at": entry.at, "siteId": entry.site, "actorKind": entry.actor_kind, "actor": entry.actor,
        "tokenName": token_name, "address": entry.address, "action": entry.action, "subject": entry.subject,
    });
    line.to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_and_is_no_formula() {
        let check = |text: &str, expected: &str| assert_eq!(csv_cell(text), expected);
        check("a, \"b\"\nc", "\"a, \"\"b\"\"\nc\"");
        check("", "\"\"");
        for formula in ["=1", "+1", "-1", "@a", "\ta"] {
            check(formula, &format!("\"'{formula}\""));
        }
    }
}
