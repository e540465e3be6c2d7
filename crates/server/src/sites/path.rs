//! A path as releases name it. What a browser may take for another host never leaves this file.

use std::borrow::Cow;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Path<'r> {
    /// Decoded, with one slash at its beginning and none at its end.
    At(Cow<'r, str>),
    /// The same, but it was asked for in another way.
    Moved(String),
    /// No release has anything there.
    Nowhere,
}

/// Longer than any path of a release.
const LONGEST: usize = 2048;

/// To a browser `//host`, `/\host` and so on are other hosts, so what begins a path is collapsed before anything
/// else is done with it, and after it was decoded: `/%2F%2Fhost/` must not become `//host`.
pub(super) fn tidy(raw: &str) -> Path<'_> {
    let Some(decoded) = decode(raw).filter(|path| path.len() <= LONGEST) else { return Path::Nowhere };
    let path = decoded.trim_start_matches(['/', '\\']).trim_end_matches('/');
    let path = match path.strip_suffix("index.html") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => folder.trim_end_matches('/'),
        _ => path,
    };
    // Fragments begin with a dot; they are parts of pages and none themselves. `/.md` is the home page's source.
    if (path.starts_with('.') && path != ".md")
        || path.split(['/', '\\']).any(|part| part == "." || part == "..")
    {
        return Path::Nowhere;
    }
    match decoded.strip_prefix('/') {
        Some(asked) if asked == path => Path::At(decoded),
        _ => Path::Moved(format!("/{path}")),
    }
}

/// `None`: the bytes are no text, or hold what no path holds.
fn decode(raw: &str) -> Option<Cow<'_, str>> {
    let text = match raw.contains('%') {
        true => Cow::Owned(String::from_utf8(percent_decode(raw.as_bytes())?).ok()?),
        false => Cow::Borrowed(raw),
    };
    (!text.bytes().any(|byte| byte.is_ascii_control())).then_some(text)
}

/// Each `%` with the two digits behind it as one byte.
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

/// For a `Location`: everything but what RFC 3986 allows in a path as it stands.
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

    fn at(raw: &str, expected: &str) {
        assert_eq!(tidy(raw), Path::At(expected.into()), "{raw}");
    }

    fn moved(raw: &str, expected: &str) {
        let Path::Moved(path) = tidy(raw) else { panic!("{raw} is not moved") };
        assert_eq!(encode(&path), expected, "{raw}");
    }

    fn nowhere(raw: &str) {
        assert_eq!(tidy(raw), Path::Nowhere, "{raw}");
    }

    #[test]
    fn a_path_is_decoded_once() {
        at("/", "/");
        at("/blog/hello", "/blog/hello");
        at("/Blog/Hello", "/Blog/Hello");
        at("/%62log/%68ello", "/blog/hello");
        at("/caf%C3%A9", "/café");
        at("/café", "/café");
        at("/a%252fb", "/a%2fb");
        at("/a+b", "/a+b");
        at("/a%20b", "/a b");
        at("/.md", "/.md");
        at("/blog//x", "/blog//x");
        at("/blog/.x", "/blog/.x");
        at("/blog/...", "/blog/...");
        at("/a\\b", "/a\\b");
        at("/notindex.html", "/notindex.html");
    }

    #[test]
    fn slashes_at_the_end_and_index_files_are_moved() {
        moved("/blog/", "/blog");
        moved("/blog///", "/blog");
        moved("/blog%2F", "/blog");
        moved("/caf%C3%A9/", "/caf%C3%A9");
        moved("/a%20%22%3Cb%3E%3F%23/", "/a%20%22%3Cb%3E%3F%23");
        moved("/index.html", "/");
        moved("/blog/index.html", "/blog");
        moved("/blog/index.html/", "/blog");
        moved("/blog//index.html", "/blog");
    }

    #[test]
    fn nothing_leads_to_another_host() {
        for raw in ["//evil.com", "//evil.com/", "///evil.com", "/\\evil.com", "/\\/evil.com", "\\\\evil.com"]
        {
            moved(raw, "/evil.com");
        }
        for raw in ["/%2Fevil.com", "/%2F%2Fevil.com/", "/%5Cevil.com", "/%5c%2Fevil.com/", "//%2fevil.com/"]
        {
            moved(raw, "/evil.com");
        }
        moved("//", "/");
        moved("/\\", "/");
        moved("//index.html", "/");
        moved("/evil.com%5C/", "/evil.com%5C");
        moved("//http://evil.com/", "/http://evil.com");
    }

    #[test]
    fn steps_up_and_hidden_things_are_nowhere() {
        for raw in ["/..", "/../etc/passwd", "/a/../b", "/a/..", "/./a", "/a/.", "/%2e%2e/a", "/a/%2E%2E%2Fb"]
        {
            nowhere(raw);
        }
        for raw in ["/..\\x", "/a\\..\\b", "/a/..%5Cb", "//..", "/a/./", "/.", "/./index.html"] {
            nowhere(raw);
        }
        for raw in ["/.fragments/docs", "/.git/config", "//.x", "/.md/x", "/%2Efragments/x", "/.env", "/.x/"]
        {
            nowhere(raw);
        }
    }

    #[test]
    fn what_is_no_text_is_nowhere() {
        for raw in
            ["/%", "/%4", "/%zz", "/%FF", "/%C3", "/a%00b", "/%0d%0aSet-Cookie:x", "/a%7F", "/%0A/", "/%+1"]
        {
            nowhere(raw);
        }
        nowhere(&format!("/{}", "a".repeat(LONGEST)));
    }
}
