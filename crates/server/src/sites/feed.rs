//! The `Link` header of a feed that has a hub (WebSub): subscribers look there before they read the feed.

use axum::http::HeaderValue;
use memchr::memmem;

/// How a feed names its hub and itself, before its first entry.
const XML: [&[u8]; 2] = [b"rel=\"hub\" href=\"", b"rel=\"self\" type="];

/// `None`: it is not a feed, or has no hub. It is made when a file enters the cache.
pub(super) fn link(path: &str, bytes: &[u8]) -> Option<HeaderValue> {
    let (hub, own) = match path {
        "/feed.xml" | "/rss.xml" => {
            let [hub, own] = XML;
            (quoted(bytes, hub)?, quoted(after(bytes, own)?, b"href=\"")?)
        }
        "/feed.json" => {
            (quoted(after(bytes, b"\"hubs\": [")?, b"\"url\": \"")?, quoted(bytes, b"\"feed_url\": \"")?)
        }
        _ => return None,
    };
    HeaderValue::try_from(format!("<{hub}>; rel=\"hub\", <{own}>; rel=\"self\"")).ok()
}

/// What is between a mark and the next quotation mark. URLs contain none.
fn quoted(bytes: &[u8], mark: &[u8]) -> Option<String> {
    let rest = after(bytes, mark)?;
    let text = str::from_utf8(&rest[..memchr::memchr(b'"', rest)?]).ok()?;
    Some(text.replace("&#38;", "&"))
}

fn after<'b>(bytes: &'b [u8], mark: &[u8]) -> Option<&'b [u8]> {
    const HEAD: usize = 16 << 10;
    let head = &bytes[..bytes.len().min(HEAD)];
    memmem::find(head, mark).map(|at| &head[at + mark.len()..])
}

#[cfg(test)]
mod tests {
    use generator::{File, Settings, Site};

    use super::*;

    fn link_of(path: &str, hub: &str) -> Option<String> {
        let mut settings = Settings::default();
        settings.set("hub", hub).expect("a valid hub");
        let made = Site::new("https://example.com", settings, "acme").make(path, None);
        match made.expect("no text is needed").expect("every site has it").file {
            File::Bytes(bytes) => link(path, &bytes).map(|link| link.to_str().expect("text").to_owned()),
            File::Redirect(to) => panic!("a redirect to {to}"),
        }
    }

    #[test]
    fn a_feed_names_its_hub_and_itself() {
        for path in ["/feed.xml", "/rss.xml", "/feed.json"] {
            let expected = format!(
                "<https://hub.example.com/?a&b>; rel=\"hub\", <https://example.com{path}>; rel=\"self\""
            );
            assert_eq!(link_of(path, "https://hub.example.com/?a&b"), Some(expected));
            assert_eq!(link_of(path, ""), None);
        }
        assert_eq!(link_of("/blog", "https://hub.example.com/"), None);
    }
}
