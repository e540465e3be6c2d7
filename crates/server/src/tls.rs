//! `GET /tls/ask?domain=…`: may a certificate be got for this domain? For a proxy that gets them when they are first
//! needed, such as Caddy with `on_demand_tls`: it must not get one for whatever name somebody points at the server.

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;

use crate::App;
use crate::error::{ApiError, json_response};
use crate::query::Parameters;
use crate::sites::normal_host;

pub(crate) async fn ask(State(app): State<App>, uri: Uri) -> Result<Response, ApiError> {
    let parameters = Parameters::of(&uri)?;
    let domain = parameters.get("domain")?.ok_or_else(|| ApiError::Query("domain is required".into()))?;
    let answers = match normal_host(domain) {
        Some(host) => app.publisher.answers_to(&host).await?,
        None => false,
    };
    match answers {
        true => Ok(json_response(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec())),
        false => Err(ApiError::NoHost),
    }
}
