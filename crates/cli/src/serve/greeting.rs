//! What a person reads when the server starts.

use std::path::Path;

use publisher::AccountCreated;
use tokio::net::TcpListener;

use crate::output;

/// Where the server is to be found.
pub(super) struct Addresses {
    pub(super) api: String,
    pub(super) sites: String,
}

impl Addresses {
    pub(super) fn of(api: &TcpListener, sites: &TcpListener) -> std::io::Result<Addresses> {
        let address =
            |listener: &TcpListener| listener.local_addr().map(|address| format!("http://{address}"));
        Ok(Addresses { api: address(api)?, sites: address(sites)? })
    }
}

pub(super) fn greet(first: Option<&AccountCreated>, addresses: &Addresses, data: &Path, json: bool) {
    if json {
        // For programs there is only what they cannot know.
        if let Some(first) = first {
            output::json(first);
        }
        return;
    }
    let Addresses { api, sites } = addresses;
    if let Some(first) = first {
        output::line(welcome(first, api, data));
    }
    output::line(format!("Recto listens on {api} (reference at {api}/docs), sites on {sites}"));
}

fn welcome(first: &AccountCreated, api: &str, data: &Path) -> String {
    let AccountCreated { account_id, deploy_url, token, .. } = first;
    let data = data.display();
    format!(
        "\
Welcome to Recto. This is the first start with {data}, so an account, a site and a token were made.

  Site       {deploy_url}
  API        {api}/api/v1/public
  Reference  {api}/docs
  Token      {token}
             (shown only this once; `recto token create --account {account_id}` makes more)

Publish a first page:

  curl {api}/api/v1/public/pages \\
    -H 'Authorization: Bearer {token}' \\
    -H 'Content-Type: application/json' \\
    -d '{{\"title\": \"Hello, world\", \"content\": \"# Hello\\n\\nMy first page.\", \"build\": true}}'

then open {deploy_url}/blog/hello-world
"
    )
}
