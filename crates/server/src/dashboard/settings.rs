//! The settings of a site: one field for each key of `recto site set`.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use publisher::SiteSettings;

use super::assets::SETTINGS;
use super::failure::Failure;
use super::fields::Fields;
use super::session::{AtSite, Owner};
use super::view::{Frame, Html};
use crate::App;

/// Keys with longer values.
const LONG: [&str; 3] = ["links", "footer", "css"];

#[derive(Template)]
#[template(path = "dashboard/settings.html")]
struct Screen {
    frame: Frame,
    path: String,
    tab: &'static str,
    script: &'static str,
    /// What the site is called without a title.
    name: String,
    fields: Vec<Row>,
}

impl Screen {
    fn new(at: &AtSite, fields: Vec<Row>) -> Screen {
        Screen {
            frame: at.frame("Settings").after(&at.uri),
            path: at.path.clone(),
            tab: "Settings",
            script: &SETTINGS.url,
            name: at.access.site.name.as_str().to_owned(),
            fields,
        }
    }
}

struct Row {
    key: &'static str,
    label: String,
    about: &'static str,
    value: String,
    is_long: bool,
    error: Option<String>,
}

pub(super) async fn show(State(app): State<App>, Owner(at): Owner) -> Result<Html, Failure> {
    let settings = app.publisher.site_settings(&at.access.site).await?;
    let fields = rows(|key| (settings.get(key).unwrap_or_default(), None));
    Ok(Html::new(&Screen::new(&at, fields)))
}

pub(super) async fn save(
    State(app): State<App>,
    Owner(at): Owner,
    fields: Fields,
) -> Result<Response, Failure> {
    let rows = rows(|key| {
        let value = fields.get(key);
        let error = SiteSettings::default().set(key, &value).err();
        (value, error)
    });
    if rows.iter().any(|row| row.error.is_some()) {
        let mut screen = Screen::new(&at, rows);
        screen.frame.problem = Some("Not saved: please correct the fields below.".to_owned());
        return Ok(Html::new(&screen).with(StatusCode::BAD_REQUEST).into_response());
    }
    // A form of an older version, or of a program, may not have all fields: those stay.
    let sent = rows.into_iter().filter(|row| fields.has(row.key));
    let changes = sent.map(|row| (row.key.to_owned(), row.value)).collect();
    at.publisher(&app).site_set(&at.access.site, changes).await?;
    Ok(at.done("settings", "saved").into_response())
}

fn rows(value: impl Fn(&str) -> (String, Option<String>)) -> Vec<Row> {
    let row = |(key, about): &(&'static str, &'static str)| {
        let (value, error) = value(key);
        let (first, rest) = key.split_at(1);
        let label = first.to_uppercase() + rest;
        Row { key, label, about, value, is_long: LONG.contains(key), error }
    };
    SiteSettings::KEYS.iter().map(row).collect()
}
