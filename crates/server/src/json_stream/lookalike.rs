//! Recognises bodies that are sent as JSON but are something else: the usual mistakes of clients.

use super::Fault;

/// `start` is the beginning of the body.
pub(super) fn of(start: &[u8]) -> Option<Fault> {
    let start = start.trim_ascii_start();
    let text = match start {
        [b'[', ..] => "a JSON array, but it must be one JSON object; a batch is {\"pages\": [...]}",
        [b'"', ..] => "a JSON string, but it must be one JSON object; it may have been encoded twice",
        [0x1F, 0x8B, ..] => "gzip, but there is no header Content-Encoding: gzip",
        _ if is_multipart(start) => {
            "multipart/form-data, but Content-Type says application/json; let the HTTP library set that header, \
             because it names the boundary"
        }
        _ if is_urlencoded(start) => {
            "a URL-encoded form, but Content-Type says application/json; send an object such as {\"title\": \"...\"}"
        }
        _ => return None,
    };
    Some(Fault::LooksLike(text))
}

/// A boundary line, followed by a part's headers.
fn is_multipart(start: &[u8]) -> bool {
    let Some(line) = start.strip_prefix(b"--").and_then(|rest| rest.split(|byte| *byte == b'\n').next())
    else {
        return false;
    };
    let head = &start[start.len().min(2 + line.len() + 1)..];
    let name = b"content-";
    head.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name))
}

/// A name and an equals sign.
fn is_urlencoded(start: &[u8]) -> bool {
    let of_names = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-+%[]".contains(byte);
    let name = start.iter().take_while(|byte| of_names(byte)).count();
    name > 0 && start.get(name) == Some(&b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(start: &[u8], expected: &str) {
        let found = of(start).map(|fault| fault.to_string()).unwrap_or_default();
        assert!(found.contains(expected), "{start:?}: {found:?} does not say {expected:?}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{start:?}: {found:?}");
    }

    #[test]
    fn the_usual_mistakes_are_named() {
        check(
            b"--b\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n{}",
            "looks like multipart/form-data, but",
        );
        check(b"------WebKitFormBoundaryx\r\ncontent-type: text/plain\r\n", "multipart/form-data");
        check(b"--b\nContent-Disposition: form-data", "multipart/form-data");
        check(b"title=Hello&content=World", "URL-encoded");
        check(b"pages[0][title]=Hello+World", "URL-encoded");
        check(b" [{\"title\": \"A\"}]", "{\"pages\": [...]}");
        check(b"\"{\\\"title\\\": 1}\"", "encoded twice");
        check(b"\x1F\x8B\x08\x00", "Content-Encoding: gzip");
    }

    #[test]
    fn anything_else_is_not_guessed() {
        for start in [
            &b""[..],
            b"-",
            b"--",
            b"--b",
            b"--b\r\n",
            b"--b\r\nx",
            b"# Hello",
            b"=a",
            b"a b=c",
            b"<a b=\"c\">",
        ] {
            check(start, "");
        }
    }
}
