//! The password of the database, from the places where libpq's programs find it.

use postgres::Config;
use postgres::config::Host;

use super::tls::TlsParameters;
use super::url::Url;
use crate::error::{Error, Result};

/// The URL with a password. If it has none, that is `PGPASSWORD`, or the first that fits in the file named by `passfile=`
/// or `PGPASSFILE`. Without any of these the URL stays without one. `variable` looks up environment variables.
pub fn with_password(url: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    let mut url = Url::new(url);
    let file = url.take("passfile").or_else(|| variable("PGPASSFILE"));
    let text = url.text();
    let mut known = Url::new(&text);
    TlsParameters::take(&mut known);
    let Ok(config) = known.text().parse::<Config>() else {
        // Opening the database reports what is wrong with its URL.
        return Ok(url.text());
    };
    if config.get_password().is_some() {
        return Ok(url.text());
    }
    let password = match (variable("PGPASSWORD"), file) {
        (Some(password), _) => Some(password),
        (None, Some(file)) => {
            let entries = std::fs::read_to_string(&file)
                .map_err(|error| Error::Internal(format!("the password file {file}: {error}")))?;
            find(&entries, &config)
        }
        (None, None) => None,
    };
    if let Some(password) = password {
        url.put("password", &password);
    }
    Ok(url.text())
}

/// The password of the first line `host:port:database:user:password` that fits; `*` fits everything.
fn find(entries: &str, config: &Config) -> Option<String> {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        Some(Host::Unix(_)) | None => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    let wanted = [host.as_str(), port.as_str(), database, user];
    entries.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let (fields, password) = split(line)?;
        let fits = fields.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
        fits.then_some(password)
    })
}

/// In each field `\:` is a colon and `\\` a backslash. The password is the rest of the line.
fn split(line: &str) -> Option<([String; 4], String)> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => fields.last_mut()?.push(characters.next()?),
            ':' if fields.len() <= 4 => fields.push(String::new()),
            other => fields.last_mut()?.push(other),
        }
    }
    let password = fields.pop()?;
    Some((fields.try_into().ok()?, password))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write;

    use super::*;

    fn check(url: &str, variables: &[(&str, &str)], expected: &str) {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(with_password(url, variable).unwrap(), expected, "{url}");
    }

    #[test]
    fn the_password_of_the_url_counts_before_the_variable_and_that_before_the_file() {
        let file = written("*:*:*:*:filed\n");
        let (file, password) = (("PGPASSFILE", file.to_str().unwrap()), ("PGPASSWORD", "known"));
        check("postgres://u:p@h/d", &[password, file], "postgres://u:p@h/d");
        check("postgres://u@h/d?password=p", &[password, file], "postgres://u@h/d?password=p");
        check("postgres://u@h/d", &[password, file], "postgres://u@h/d?password=known");
        check("postgres://u@h/d", &[file], "postgres://u@h/d?password=filed");
        check("postgres://u@h/d", &[], "postgres://u@h/d");
        check("postgres://u@h/d", &[("PGPASSWORD", "a b&")], "postgres://u@h/d?password=a%20b%26");
    }

    #[test]
    fn the_parameter_names_a_file_whose_first_fitting_line_counts() {
        let file = written(
            "# a comment\nother:*:*:*:1\nh:5433:*:*:2\nh:*:x\\:y:*:3\nh:5432:d:u:4\\\\:5\nlocalhost:*:*:*:6\n",
        );
        let parameter = format!("passfile={}&sslmode=verify-full", file.display());
        let rest = "sslmode=verify-full&password";
        check(&format!("postgres://u@h/d?{parameter}"), &[], &format!("postgres://u@h/d?{rest}=4%5C%3A5"));
        check(&format!("postgres://u@h:5433/d?{parameter}"), &[], &format!("postgres://u@h:5433/d?{rest}=2"));
        check(&format!("postgres://u@h/x:y?{parameter}"), &[], &format!("postgres://u@h/x:y?{rest}=3"));
        check(&format!("postgres://u@%2Ftmp/d?{parameter}"), &[], &format!("postgres://u@%2Ftmp/d?{rest}=6"));
        check(&format!("postgres://u@z/d?{parameter}"), &[], "postgres://u@z/d?sslmode=verify-full");
    }

    #[test]
    fn a_password_file_that_cannot_be_read_is_named() {
        let error = with_password("postgres://u@h/d?passfile=/nowhere", |_| None).unwrap_err().to_string();
        assert!(error.contains("the password file /nowhere"), "{error}");
    }

    fn written(text: &str) -> tempfile::TempPath {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.into_temp_path()
    }
}
