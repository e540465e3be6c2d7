//! Why a request failed.

use serde_json::Value;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address of the server is none.
    #[error("{0:?} is not the address of a server, such as https://recto.example.com")]
    Address(String),
    #[error("cannot reach the server at {url}: {why}")]
    Unreachable { url: String, why: String },
    /// The server answered with an error; `body` is the whole answer.
    #[error("the server refused the request ({status}): {}", shown(.error, .message))]
    Refused { status: u16, error: String, message: String, body: Value },
    /// The answer is none of this API.
    #[error("the server's answer cannot be read: {0}")]
    Protocol(String),
}

fn shown(error: &str, message: &str) -> String {
    match (error, message) {
        ("", "") => "no reason given".to_owned(),
        (error, "") => error.to_owned(),
        (error, message) => format!("{error}: {message}"),
    }
}
