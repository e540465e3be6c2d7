//! Query parameters, each read by name, with an answer that says what is wrong.

use axum::extract::Query;
use axum::http::Uri;
use model::{ContentType, SiteId};

use crate::error::ApiError;

pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    pub(crate) fn of(uri: &Uri) -> Result<Parameters, ApiError> {
        let Query(pairs) =
            Query::try_from_uri(uri).map_err(|_| ApiError::Query("the query cannot be read".into()))?;
        Ok(Parameters(pairs))
    }

    /// Unknown parameters are ignored; one that is given twice could mean either.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let mut values = self.0.iter().filter(|(key, _)| key == name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(ApiError::Query(format!("{name} is given more than once"))),
            (first, None) => Ok(first.map(|(_, value)| value.as_str())),
        }
    }

    pub(crate) fn site(&self) -> Result<Option<SiteId>, ApiError> {
        let Some(text) = self.get("siteId")? else { return Ok(None) };
        let site = SiteId::parse(text).ok_or_else(|| ApiError::Query("siteId must be a UUID".into()))?;
        Ok(Some(site))
    }

    pub(crate) fn content_type(&self) -> Result<Option<ContentType>, ApiError> {
        self.get("contentType")?.map(|text| ContentType::parse(text).map_err(ApiError::Query)).transpose()
    }
}
