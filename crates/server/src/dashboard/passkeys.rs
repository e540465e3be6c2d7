//! A person's passkeys: register, list, remove, and sign in with one. Registering and signing in need a script
//! (`passkeys.js`), which sends what the browser returns as an ordinary form.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use model::PasskeyName;
use publisher::{Assertion, Error, Passkey, Registration, RelyingParty, Session};
use serde_json::json;

use super::assets::PASSKEYS;
use super::failure::Failure;
use super::fields::Fields;
use super::session::{Client, MaybeSession, Recent};
use super::sign_in;
use super::view::{Confirm, Frame, Html, filters, problem};
use crate::App;
use crate::error::json_response;

#[derive(Template)]
#[template(path = "dashboard/passkeys.html")]
struct Screen {
    frame: Frame,
    tab: &'static str,
    script: &'static str,
    passkeys: Vec<Row>,
    /// Whether browsers accept passkeys for the address of the dashboard.
    is_usable: bool,
    name: String,
    error: Option<String>,
}

struct Row {
    id: String,
    passkey: Passkey,
}

pub(super) async fn list(State(app): State<App>, recent: Recent) -> Result<Html, Failure> {
    Ok(Html::new(&screen(&app, &recent).await?))
}

/// What the browser needs to make a passkey.
pub(super) async fn register_challenge(State(app): State<App>, recent: Recent) -> Result<Response, Failure> {
    let session = &recent.session;
    let known = app.publisher.passkey_list(session.user).await?;
    let known: Vec<String> = known.iter().map(|passkey| BASE64.encode(&passkey.credential)).collect();
    let challenge = app.publisher.passkey_challenge(Some(session.user)).await?;
    let user = BASE64.encode(session.user.0.as_bytes());
    let party = RelyingParty::of(&app.url);
    let options = json!({
        "challenge": challenge, "rpId": party.id, "user": user, "email": session.email, "known": known,
    });
    Ok(json_response(StatusCode::OK, options.to_string().into_bytes()))
}

pub(super) async fn register(
    State(app): State<App>,
    recent: Recent,
    client: Client,
    fields: Fields,
) -> Result<Response, Failure> {
    let typed = fields.get("name");
    let registered = match (PasskeyName::parse(&typed), decoded(&fields, "clientData")) {
        (Ok(name), Some(client_data)) => {
            let sent = Registration {
                name,
                client_data,
                authenticator_data: decoded(&fields, "authenticatorData").unwrap_or_default(),
                public_key: decoded(&fields, "publicKey").unwrap_or_default(),
            };
            let publisher = client.publisher(&app, &recent.session);
            publisher.passkey_register(&recent.session, &RelyingParty::of(&app.url), sent).await
        }
        (Err(message), _) => Err(Error::Refused(message)),
        (_, None) => Err(Error::Refused("a passkey needs a script, which this browser did not run".into())),
    };
    match registered {
        Ok(()) => Ok(Redirect::to("/dashboard/passkeys?done=passkey-added").into_response()),
        Err(error @ Error::Refused(_)) => {
            let (status, error) = problem(error);
            let screen = Screen { name: typed, error, ..screen(&app, &recent).await? };
            Ok(Html::new(&screen).with(status).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn ask_remove(
    State(app): State<App>,
    recent: Recent,
    Path(id): Path<String>,
) -> Result<Html, Failure> {
    let passkeys = screen(&app, &recent).await?.passkeys;
    let row = passkeys.into_iter().find(|row| row.id == id).ok_or(Failure::Missing)?;
    Ok(Html::new(&Confirm {
        frame: Frame::of(&recent.session, "Passkeys"),
        question: format!("Remove the passkey “{}”? You cannot sign in with it any more.", row.passkey.name),
        button: "Remove",
        fields: vec![],
        back: "/dashboard/passkeys".to_owned(),
    }))
}

pub(super) async fn remove(
    State(app): State<App>,
    recent: Recent,
    client: Client,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = BASE64.decode(id).map_err(|_| Failure::Missing)?;
    let publisher = client.publisher(&app, &recent.session);
    match publisher.passkey_remove(recent.session.user, id).await? {
        true => Ok(Redirect::to("/dashboard/passkeys?done=revoked").into_response()),
        false => Err(Failure::Missing),
    }
}

/// What a passkey has to sign to sign in.
pub(super) async fn sign_in_challenge(State(app): State<App>, client: Client) -> Result<Response, Failure> {
    if !sign_in::admit_passkey(&app, &client).await {
        return Ok(StatusCode::TOO_MANY_REQUESTS.into_response());
    }
    let challenge = app.publisher.passkey_challenge(None).await?;
    let options = json!({"challenge": challenge, "rpId": RelyingParty::of(&app.url).id});
    Ok(json_response(StatusCode::OK, options.to_string().into_bytes()))
}

pub(super) async fn sign_in(
    State(app): State<App>,
    client: Client,
    MaybeSession(before): MaybeSession,
    fields: Fields,
) -> Result<Response, Failure> {
    let field = |name| decoded(&fields, name).unwrap_or_default();
    let sent = Assertion {
        credential: field("credential"),
        client_data: field("clientData"),
        authenticator_data: field("authenticatorData"),
        signature: field("signature"),
        user_handle: field("userHandle"),
    };
    let party = RelyingParty::of(&app.url);
    let signed_in = app.publisher.passkey_sign_in(&party, sent, (&client.name, client.origin)).await?;
    sign_in::finish(&app, &client, before, signed_in, &fields, "This passkey is not valid here.").await
}

fn decoded(fields: &Fields, name: &str) -> Option<Vec<u8>> {
    BASE64.decode(fields.get(name)).ok().filter(|bytes| !bytes.is_empty())
}

async fn screen(app: &App, recent: &Recent) -> Result<Screen, Failure> {
    let session: &Session = &recent.session;
    let passkeys = app.publisher.passkey_list(session.user).await?;
    let row = |passkey: Passkey| Row { id: BASE64.encode(&passkey.credential), passkey };
    Ok(Screen {
        frame: Frame::of(session, "Passkeys").after(&recent.uri),
        tab: "Passkeys",
        script: &PASSKEYS.url,
        passkeys: passkeys.into_iter().map(row).collect(),
        is_usable: RelyingParty::of(&app.url).is_usable(),
        name: String::new(),
        error: None,
    })
}
