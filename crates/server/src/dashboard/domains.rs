//! A site's own domains: add, remove, and check where they lead.
//!
//! Threats and countermeasures:
//! - A person could have the server connect to internal addresses: it connects only to addresses that it has itself, to
//!   look at a certificate. It resolves the name of a domain that the site has, and shows no addresses of private networks.
//! - Name servers that do not answer: few names are resolved at a time, accounts take turns, and each has a deadline.

mod certificate;
mod dns;

use std::net::{IpAddr, SocketAddr};

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use model::AccountId;
use publisher::{Error, host_of};

use self::certificate::{Seen, look};
use self::dns::resolve;
use super::failure::Failure;
use super::fields::Fields;
use super::session::{AtSite, Owner};
use super::view::{Confirm, Frame, Html, parameter, problem};
use crate::App;

pub(crate) use self::dns::lookups;

const HTTPS: u16 = 443;

#[derive(Template)]
#[template(path = "dashboard/domains.html")]
struct Screen {
    frame: Frame,
    path: String,
    tab: &'static str,
    domains: Vec<Row>,
    /// What the domains should point to.
    target: String,
    typed: String,
    error: Option<String>,
}

struct Row {
    host: String,
    url: String,
    /// If it was asked for.
    check: Option<Check>,
}

struct Check {
    dns: String,
    certificate: String,
}

pub(super) async fn list(State(app): State<App>, Owner(at): Owner) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &at, &parameter(&at.uri, "check")).await?))
}

pub(super) async fn add(
    State(app): State<App>,
    Owner(at): Owner,
    fields: Fields,
) -> Result<Response, Failure> {
    let typed = fields.get("domain");
    match at.publisher(&app).domain_add(&at.access.site, typed.trim()).await {
        Ok(host) => Ok(at.done(&format!("domains?check={host}"), "domain-added")),
        Err(error @ Error::Refused(_)) => {
            let (status, error) = problem(error);
            let screen = Screen { typed, error, ..screen(&app, &at, "").await? };
            Ok(Html::new(&screen).with(status))
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn ask_remove(
    State(app): State<App>,
    Owner(at): Owner,
    Path((_, host)): Path<(String, String)>,
) -> Result<Html, Failure> {
    let domains = app.publisher.domain_list(&at.access.site).await?;
    let host = domains.into_iter().find(|domain| *domain == host).ok_or(Failure::Missing)?;
    Ok(Html::new(&Confirm {
        frame: at.frame("Settings"),
        question: format!("Remove {host}? Visitors do not find the site there any more."),
        button: "Remove",
        fields: vec![],
        back: format!("{}/domains", at.path),
    }))
}

pub(super) async fn remove(
    State(app): State<App>,
    Owner(at): Owner,
    Path((_, host)): Path<(String, String)>,
) -> Result<Response, Failure> {
    match at.publisher(&app).domain_remove(&at.access.site, &host).await {
        Ok(_) => Ok(at.done("domains", "domain-removed")),
        Err(Error::Refused(_)) => Err(Failure::Missing),
        Err(error) => Err(error.into()),
    }
}

async fn screen(app: &App, at: &AtSite, checked: &str) -> Result<Screen, Failure> {
    let settings = app.publisher.settings();
    let target = host_of(&settings.deploy_url(&at.access.site.name)).to_owned();
    let mut domains = Vec::new();
    for host in app.publisher.domain_list(&at.access.site).await? {
        let check = match host == checked {
            true => Some(check(app, at.access.site.account, &host, &target).await),
            false => None,
        };
        domains.push(Row { url: format!("{}://{host}", settings.domain_scheme), host, check });
    }
    let mut frame = at.frame("Settings").after(&at.uri);
    frame.title = "Domains".to_owned();
    Ok(Screen {
        frame,
        path: at.path.clone(),
        tab: "Domains",
        domains,
        target,
        typed: String::new(),
        error: None,
    })
}

async fn check(app: &App, account: AccountId, host: &str, target: &str) -> Check {
    let found = resolve(&app.lookups, account, host).await;
    let expected = resolve(&app.lookups, account, target).await;
    let certificate = match app.publisher.settings().domain_scheme {
        "http" => "Sites are served over http: no certificate is used.".to_owned(),
        _ => describe_certificate(app, account, host, found.common(&expected)).await,
    };
    Check { dns: dns::describe(&found, &expected, target), certificate }
}

/// What a browser gets from `address`, which is one of this server; otherwise whether a proxy asked for permission.
async fn describe_certificate(app: &App, account: AccountId, host: &str, address: Option<IpAddr>) -> String {
    let seen = match address {
        Some(address) => {
            let _turn = app.lookups.take(account).await;
            Some(look(SocketAddr::new(address, HTTPS), host).await)
        }
        None => None,
    };
    if let Some(seen @ (Seen::Valid | Seen::ExpiresSoon)) = seen {
        return seen.describe().to_owned();
    }
    let asked = match app.certificate_requests.last(host) {
        Some(time) => {
            let time = time.to_string();
            let minute = time.get(..16).unwrap_or(&time).replace('T', " ");
            format!("The proxy was allowed to request a certificate, last on {minute}.")
        }
        None => "Since this server started, no proxy has asked whether it may request a certificate. With \
                      on-demand TLS the first visit causes that; otherwise the proxy needs a certificate for the \
                      domain."
            .to_owned(),
    };
    match seen {
        Some(seen) => format!("{} {asked}", seen.describe()),
        None => asked,
    }
}
