//! The HTML output buffer.

#[derive(Default)]
pub(super) struct Html(String);

impl Html {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }

    pub(super) fn push(&mut self, html: &str) {
        self.0.push_str(html);
    }

    /// Begins a new line, unless the output is at the beginning of one.
    pub(super) fn line(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with('\n') {
            self.0.push('\n');
        }
    }

    /// Escapes text for an element or a quoted attribute.
    pub(super) fn text(&mut self, text: &str) {
        escape(text, &mut self.0);
    }

    /// ` name="…"`
    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        self.open_attribute(name);
        self.text(value);
        self.0.push('"');
    }

    pub(super) fn url_attribute(&mut self, name: &str, url: &str) {
        self.open_attribute(name);
        escape_url(url, &mut self.0);
        self.0.push('"');
    }

    fn open_attribute(&mut self, name: &str) {
        self.0.push(' ');
        self.0.push_str(name);
        self.0.push_str("=\"");
    }
}

/// Percent-encodes characters that are not allowed in a URL, except existing escapes.
fn escape_url(url: &str, html: &mut String) {
    for byte in url.bytes() {
        match byte {
            b'&' => html.push_str("&amp;"),
            b'\'' => html.push_str("&#x27;"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => html.push(char::from(byte)),
            _ if b"!#$%()*+,-./:;=?@_~".contains(&byte) => html.push(char::from(byte)),
            _ => html.push_str(&format!("%{byte:02X}")),
        }
    }
}

/// Escapes text for an element or an attribute in double quotes.
pub(crate) fn escape(text: &str, html: &mut String) {
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escaped = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => continue,
        };
        html.push_str(&text[copied..at]);
        html.push_str(escaped);
        copied = at + 1;
    }
    html.push_str(&text[copied..]);
}
