//! Query parameters, read by name.

use axum::extract::Query;
use axum::http::Uri;
use model::{ContentType, SiteId};

use crate::error::ApiError;
use crate::routes::parse_site;

pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    pub(crate) fn of(uri: &Uri) -> Result<Parameters, ApiError> {
        let Query(pairs) =
            Query::try_from_uri(uri).map_err(|_| ApiError::BadRequest("the query cannot be read".into()))?;
        Ok(Parameters(pairs))
    }

    /// Unknown parameters are ignored; a parameter that is given twice is an error.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let mut values = self.0.iter().filter(|(key, _)| key == name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(ApiError::BadRequest(format!("{name} is given more than once"))),
            (first, None) => Ok(first.map(|(_, value)| value.as_str())),
        }
    }

    pub(crate) fn site(&self) -> Result<Option<SiteId>, ApiError> {
        self.get("siteId")?.map(parse_site).transpose()
    }

    pub(crate) fn content_type(&self) -> Result<Option<ContentType>, ApiError> {
        self.get("contentType")?
            .map(|text| ContentType::parse(text).map_err(ApiError::BadRequest))
            .transpose()
    }
}
