//! Query parameters, read by name.

use axum::http::Uri;
use model::{ContentType, PageKey, Section, SiteId, Slug};

use crate::error::ApiError;
use crate::routes::parse_site;

pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    pub(crate) fn of(uri: &Uri) -> Parameters {
        Parameters(form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect())
    }

    /// The first value of a parameter, however often it is given.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Unknown parameters are ignored; a parameter that is given twice is an error.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let mut values = self.0.iter().filter(|(key, _)| key == name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(ApiError::BadRequest(format!("{name} is given more than once"))),
            (first, None) => Ok(first.map(|(_, value)| value.as_str())),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, ApiError> {
        let wrong = |_| ApiError::BadRequest(format!("{name} must be true or false"));
        self.get(name)?.map(|text| text.parse().map_err(wrong)).transpose()
    }

    pub(crate) fn site(&self) -> Result<Option<SiteId>, ApiError> {
        self.get("siteId")?.map(parse_site).transpose()
    }

    /// The page that the slug in a path and the query mean. `None`: an invalid slug or section cannot match any page.
    pub(crate) fn page_key(&self, slug: Option<&str>) -> Result<Option<PageKey>, ApiError> {
        let content_type = self.content_type()?;
        let content_type =
            content_type.ok_or_else(|| ApiError::BadRequest("contentType is required".into()))?;
        let section = Section::parse_typed(self.get("section")?.unwrap_or_default()).ok();
        let slug = slug.and_then(|slug| Slug::parse(slug).ok());
        Ok(slug.zip(section).map(|(slug, (section, _))| PageKey { content_type, section, slug }))
    }

    pub(crate) fn content_type(&self) -> Result<Option<ContentType>, ApiError> {
        self.get("contentType")?
            .map(|text| ContentType::parse(text).map_err(ApiError::BadRequest))
            .transpose()
    }
}
