//! The canonical form of a request's path. A path that a browser would read as another host never leaves this file.

use std::borrow::Cow;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Path<'r> {
    /// The path is canonical: decoded, with one slash at the beginning and none at the end.
    Canonical(Cow<'r, str>),
    /// The canonical path; the request used another form of it.
    Redirect(String),
    /// No release can have this path.
    Impossible,
}

/// More than any path of a release.
const MAX_PATH_BYTES: usize = 2048;

/// Browsers read `//host`, `/\host` and so on as another host. So leading slashes are collapsed first, after decoding:
/// `/%2F%2Fhost/` must not become `//host`.
pub(super) fn normalize(raw: &str) -> Path<'_> {
    let Some(decoded) = decode(raw).filter(|path| path.len() <= MAX_PATH_BYTES) else {
        return Path::Impossible;
    };
    let path = decoded.trim_start_matches(['/', '\\']).trim_end_matches('/');
    let path = match path.strip_suffix("index.html") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => folder.trim_end_matches('/'),
        _ => path,
    };
    // Paths of fragments begin with a dot; they are only served as parts of pages. `/.md` is the home page's source.
    if (path.starts_with('.') && path != ".md")
        || path.split(['/', '\\']).any(|part| part == "." || part == "..")
    {
        return Path::Impossible;
    }
    match decoded.strip_prefix('/') {
        Some(asked) if asked == path => Path::Canonical(decoded),
        _ => Path::Redirect(format!("/{path}")),
    }
}

/// `None`: not UTF-8, or with control characters.
fn decode(raw: &str) -> Option<Cow<'_, str>> {
    let text = match raw.contains('%') {
        true => Cow::Owned(String::from_utf8(percent_decode(raw.as_bytes())?).ok()?),
        false => Cow::Borrowed(raw),
    };
    (!text.bytes().any(|byte| byte.is_ascii_control())).then_some(text)
}

/// `None`: a `%` is not followed by two hexadecimal digits.
pub(super) fn percent_decode(raw: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.iter();
    while let Some(&byte) = rest.next() {
        bytes.push(match byte {
            b'%' => digit(*rest.next()?)? << 4 | digit(*rest.next()?)?,
            other => other,
        });
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// For a `Location`: percent-encodes everything except what RFC 3986 allows in a path.
pub(super) fn encode(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            b'/' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':'
            | b'@' => {
                encoded.push(byte.into());
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(raw: &str, expected: &str) {
        assert_eq!(normalize(raw), Path::Canonical(expected.into()), "{raw}");
    }

    fn redirected(raw: &str, expected: &str) {
        let Path::Redirect(path) = normalize(raw) else { panic!("{raw} is not redirected") };
        assert_eq!(encode(&path), expected, "{raw}");
    }

    fn impossible(raw: &str) {
        assert_eq!(normalize(raw), Path::Impossible, "{raw}");
    }

    #[test]
    fn a_path_is_decoded_once() {
        canonical("/", "/");
        canonical("/blog/hello", "/blog/hello");
        canonical("/Blog/Hello", "/Blog/Hello");
        canonical("/%62log/%68ello", "/blog/hello");
        canonical("/caf%C3%A9", "/café");
        canonical("/café", "/café");
        canonical("/a%252fb", "/a%2fb");
        canonical("/a+b", "/a+b");
        canonical("/a%20b", "/a b");
        canonical("/.md", "/.md");
        canonical("/blog//x", "/blog//x");
        canonical("/blog/.x", "/blog/.x");
        canonical("/blog/...", "/blog/...");
        canonical("/a\\b", "/a\\b");
        canonical("/notindex.html", "/notindex.html");
    }

    #[test]
    fn trailing_slashes_and_index_files_are_redirected() {
        redirected("/blog/", "/blog");
        redirected("/blog///", "/blog");
        redirected("/blog%2F", "/blog");
        redirected("/caf%C3%A9/", "/caf%C3%A9");
        redirected("/a%20%22%3Cb%3E%3F%23/", "/a%20%22%3Cb%3E%3F%23");
        redirected("/index.html", "/");
        redirected("/blog/index.html", "/blog");
        redirected("/blog/index.html/", "/blog");
        redirected("/blog//index.html", "/blog");
    }

    #[test]
    fn nothing_leads_to_another_host() {
        for raw in ["//evil.com", "//evil.com/", "///evil.com", "/\\evil.com", "/\\/evil.com", "\\\\evil.com"]
        {
            redirected(raw, "/evil.com");
        }
        for raw in ["/%2Fevil.com", "/%2F%2Fevil.com/", "/%5Cevil.com", "/%5c%2Fevil.com/", "//%2fevil.com/"]
        {
            redirected(raw, "/evil.com");
        }
        redirected("//", "/");
        redirected("/\\", "/");
        redirected("//index.html", "/");
        redirected("/evil.com%5C/", "/evil.com%5C");
        redirected("//http://evil.com/", "/http://evil.com");
    }

    #[test]
    fn dot_segments_and_hidden_paths_are_impossible() {
        for raw in ["/..", "/../etc/passwd", "/a/../b", "/a/..", "/./a", "/a/.", "/%2e%2e/a", "/a/%2E%2E%2Fb"]
        {
            impossible(raw);
        }
        for raw in ["/..\\x", "/a\\..\\b", "/a/..%5Cb", "//..", "/a/./", "/.", "/./index.html"] {
            impossible(raw);
        }
        for raw in ["/.fragments/docs", "/.git/config", "//.x", "/.md/x", "/%2Efragments/x", "/.env", "/.x/"]
        {
            impossible(raw);
        }
    }

    #[test]
    fn invalid_encodings_and_control_characters_are_impossible() {
        for raw in
            ["/%", "/%4", "/%zz", "/%FF", "/%C3", "/a%00b", "/%0d%0aSet-Cookie:x", "/a%7F", "/%0A/", "/%+1"]
        {
            impossible(raw);
        }
        impossible(&format!("/{}", "a".repeat(MAX_PATH_BYTES)));
    }
}
