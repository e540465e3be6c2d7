//! A bucket on AWS or any other S3-compatible server.

use std::sync::Arc;

use object_store::ClientOptions;
use object_store::aws::{AmazonS3Builder, AwsCredential};
use object_store::client::HttpConnector;
use object_store::path::Path;
use object_store::prefix::PrefixStore;

use crate::client::Connector;
use crate::unfinished::Bucket;
use crate::{Blob, Error};

pub struct S3 {
    pub bucket: String,
    /// Prepended to every key; may be empty.
    pub prefix: String,
    /// `None`: AWS.
    pub endpoint: Option<String>,
    pub region: String,
    pub access_key: String,
    pub secret_key: String,
    /// For temporary credentials.
    pub session_token: Option<String>,
    /// Whether the endpoint may be without TLS.
    pub allow_http: bool,
}

impl S3 {
    /// From `<bucket>/<prefix>` and the variables that AWS's own tools read. `AWS_ALLOW_HTTP=true` is from
    /// object_store.
    pub fn new(location: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<S3, Error> {
        let lookup = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let needed = |name: &str| {
            lookup(name)
                .ok_or_else(|| Error::Failed(format!("objects in S3 need the environment variable {name}")))
        };
        let (bucket, prefix) = location.split_once('/').unwrap_or((location, ""));
        if bucket.is_empty() {
            return Err(Error::Failed("an s3:// URL must name a bucket: s3://<bucket>/<prefix>".to_owned()));
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
    /// Does not contact the server.
    pub fn s3(settings: S3) -> Result<Blob, Error> {
        let plain = settings.endpoint.as_deref().is_some_and(|endpoint| endpoint.starts_with("http://"));
        if plain && !settings.allow_http {
            return Err(Error::Failed(
                "the S3 endpoint has no TLS: use https://, or set AWS_ALLOW_HTTP=true".to_owned(),
            ));
        }
        let endpoint = settings.endpoint.clone();
        let endpoint = endpoint.unwrap_or_else(|| format!("https://s3.{}.amazonaws.com", settings.region));
        let url = format!("{}/{}", endpoint.trim_end_matches('/'), settings.bucket);
        let connector = Connector { endpoint };
        let client = connector.connect(&ClientOptions::new())?;
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(settings.bucket)
            .with_region(settings.region.clone())
            .with_access_key_id(settings.access_key.clone())
            .with_secret_access_key(settings.secret_key.clone())
            .with_http_connector(connector);
        if let Some(endpoint) = settings.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        if let Some(token) = settings.session_token.clone() {
            builder = builder.with_token(token);
        }
        let store = builder.build()?;
        let credential = AwsCredential {
            key_id: settings.access_key,
            secret_key: settings.secret_key,
            token: settings.session_token,
        };
        let prefix = Path::from(settings.prefix);
        let (region, listed) = (settings.region, store.clone());
        let bucket = Bucket { store: listed, client, url, region, credential, prefix: prefix.clone() };
        let store = PrefixStore::new(store, prefix);
        Ok(Blob { store: Arc::new(store), directory: None, bucket: Some(Arc::new(bucket)), cache: None })
    }
}
