//! The URL of a database: takes out the parameters that libpq knows and the driver does not.

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

pub(super) struct Url<'a> {
    /// Up to the parameters.
    base: &'a str,
    /// `key=value`, as they were written.
    parameters: Vec<String>,
}

impl<'a> Url<'a> {
    pub(super) fn new(text: &'a str) -> Url<'a> {
        // As in the driver, all before the first `@` is user and password, which may contain a `?`.
        let credentials = text.find('@').unwrap_or(0);
        let query = text[credentials..].find('?').map(|position| credentials + position);
        let (base, query) = query.map_or((text, ""), |query| (&text[..query], &text[query + 1..]));
        let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
        Url { base, parameters: parameters.map(str::to_owned).collect() }
    }

    /// Removes a parameter; if it is there more than once, the last one counts.
    pub(super) fn take(&mut self, key: &str) -> Option<String> {
        let is_it = |parameter: &mut String| parameter.split_once('=').is_some_and(|(name, _)| name == key);
        let taken = self.parameters.extract_if(.., is_it).last()?;
        let (_, value) = taken.split_once('=')?;
        Some(percent_decode_str(value).decode_utf8_lossy().into_owned()).filter(|value| !value.is_empty())
    }

    pub(super) fn put(&mut self, key: &str, value: &str) {
        self.parameters.push(format!("{key}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
    }

    /// For the driver.
    pub(super) fn text(&self) -> String {
        match self.parameters[..] {
            [] => self.base.to_owned(),
            _ => format!("{}?{}", self.base, self.parameters.join("&")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_taken_out_and_the_rest_stays_as_it_was_written() {
        let check = |text: &str, expected: Option<&str>, rest: &str| {
            let mut url = Url::new(text);
            assert_eq!(url.take("sslmode").as_deref(), expected, "{text}");
            assert_eq!(url.text(), rest, "{text}");
        };
        check("postgres://h/d", None, "postgres://h/d");
        check("postgres://h/d?sslmode=require", Some("require"), "postgres://h/d");
        check("postgres://h/d?a=%20&sslmode=a%2Fb&c=d", Some("a/b"), "postgres://h/d?a=%20&c=d");
        check("postgres://h/d?sslmode=a&sslmode=b", Some("b"), "postgres://h/d");
        check("postgres://h/d?sslmode=", None, "postgres://h/d");
        check("postgres://u:p?w@h/d?sslmode=a", Some("a"), "postgres://u:p?w@h/d");
    }

    #[test]
    fn a_value_that_was_put_in_can_be_taken_out() {
        let mut url = Url::new("postgres://h/d");
        url.put("password", "p&?=% ü");
        let text = url.text();
        assert_eq!(Url::new(&text).take("password").as_deref(), Some("p&?=% ü"));
    }
}
