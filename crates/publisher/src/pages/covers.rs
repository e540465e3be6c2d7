//! `file:` references in params: the cover of a page may be a file of the same request.

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The params whose values are addresses of images.
#[derive(Deserialize)]
struct Covers<'p> {
    #[serde(borrow, default)]
    cover: Option<&'p RawValue>,
    #[serde(borrow, default)]
    image: Option<&'p RawValue>,
}

/// The params with the addresses of the files they refer to, as given by `url`; or the names of unknown files. The rest
/// stays as it was sent.
pub(super) fn replace_covers(
    json: &str,
    url: impl Fn(&str) -> Option<String>,
) -> Result<String, Vec<String>> {
    let Ok(Covers { cover, image }) = serde_json::from_str(json) else { return Ok(json.to_owned()) };
    let (mut replaced, mut unknown) = (json.to_owned(), Vec::new());
    for value in [cover, image].into_iter().flatten() {
        let text = serde_json::from_str::<String>(value.get()).unwrap_or_default();
        let Some(name) = text.strip_prefix("file:") else { continue };
        // As in content, a name is taken as it stands, and only then decoded.
        let decoded = percent_decode_str(name).decode_utf8_lossy();
        match url(name).or_else(|| url(&decoded)) {
            // The same value elsewhere means the same file.
            Some(url) => replaced = replaced.replace(value.get(), &serde_json::Value::from(url).to_string()),
            None => unknown.push(name.to_owned()),
        }
    }
    if unknown.is_empty() { Ok(replaced) } else { Err(unknown) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(json: &str) -> Result<String, Vec<String>> {
        replace_covers(json, |name| match name {
            "a.png" | "two words.png" => Some(format!("/media/{}", &name[..1])),
            _ => None,
        })
    }

    #[test]
    fn covers_get_the_addresses_of_their_files() {
        let check = |json: &str, expected: &str| assert_eq!(replace(json).as_deref(), Ok(expected));
        check(r#"{"z":1e300,"cover":"file:a.png","a":[]}"#, r#"{"z":1e300,"cover":"/media/a","a":[]}"#);
        check(r#"{"image":"file:two words.png"}"#, r#"{"image":"/media/t"}"#);
        check(r#"{"image":"file:two%20words.png"}"#, r#"{"image":"/media/t"}"#);
        check(r#"{"cover":"file:a\u002epng"}"#, r#"{"cover":"/media/a"}"#);
        for json in ["{}", r#"{"cover":"/a.png","x":"file:b.png"}"#, r#"{"cover":["file:b.png"]}"#, "[]"] {
            check(json, json);
        }
    }

    #[test]
    fn unknown_files_are_reported() {
        let unknown = replace(r#"{"cover":"file:b.png","image":"file:c.png"}"#);
        assert_eq!(unknown, Err(vec!["b.png".to_owned(), "c.png".to_owned()]));
    }
}
