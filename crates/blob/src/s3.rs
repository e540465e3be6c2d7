//! A bucket, on AWS or on anything that speaks S3.

use std::sync::Arc;
use std::time::Duration;

use object_store::ClientOptions;
use object_store::aws::AmazonS3Builder;
use object_store::prefix::PrefixStore;

use crate::{Blob, Error};

pub struct S3 {
    pub bucket: String,
    /// In front of every key; empty for none.
    pub prefix: String,
    /// `None`: AWS.
    pub endpoint: Option<String>,
    pub region: String,
    pub access_key: String,
    pub secret_key: String,
    /// Of credentials that hold for a while only.
    pub session_token: Option<String>,
    /// Whether the endpoint may be one without TLS.
    pub allow_http: bool,
}

/// How long the server may be silent. There is no limit to a whole answer: visitors may be slow, and films long.
const SILENCE: Duration = Duration::from_secs(60);

impl S3 {
    /// Of `<bucket>/<prefix>` and the variables that AWS's own tools read. `AWS_ALLOW_HTTP=true` is object_store's.
    pub fn new(place: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<S3, Error> {
        let lookup = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let needed = |name: &str| {
            lookup(name)
                .ok_or_else(|| Error::Failed(format!("objects in S3 need the environment variable {name}")))
        };
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.is_empty() {
            return Err(Error::Failed("an s3:// URL names its bucket: s3://<bucket>/<prefix>".to_owned()));
        }
        Ok(S3 {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
            endpoint: lookup("AWS_ENDPOINT_URL_S3").or_else(|| lookup("AWS_ENDPOINT_URL")),
            region: lookup("AWS_REGION")
                .or_else(|| lookup("AWS_DEFAULT_REGION"))
                .unwrap_or_else(|| "us-east-1".to_owned()),
            access_key: needed("AWS_ACCESS_KEY_ID")?,
            secret_key: needed("AWS_SECRET_ACCESS_KEY")?,
            session_token: lookup("AWS_SESSION_TOKEN"),
            allow_http: lookup("AWS_ALLOW_HTTP").is_some_and(|value| value == "true"),
        })
    }
}

impl Blob {
    /// Nothing is asked of the server yet.
    pub fn s3(settings: S3) -> Result<Blob, Error> {
        let plain = settings.endpoint.as_deref().is_some_and(|endpoint| endpoint.starts_with("http://"));
        if plain && !settings.allow_http {
            return Err(Error::Failed(
                "the endpoint of S3 has no TLS: use https://, or say AWS_ALLOW_HTTP=true".to_owned(),
            ));
        }
        let client = ClientOptions::new()
            .with_allow_http(settings.allow_http)
            .with_timeout_disabled()
            .with_read_timeout(SILENCE);
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(settings.bucket)
            .with_region(settings.region)
            .with_access_key_id(settings.access_key)
            .with_secret_access_key(settings.secret_key)
            .with_client_options(client);
        if let Some(endpoint) = settings.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        if let Some(token) = settings.session_token {
            builder = builder.with_token(token);
        }
        let store = PrefixStore::new(builder.build()?, settings.prefix);
        Ok(Blob { store: Arc::new(store), directory: None })
    }
}
