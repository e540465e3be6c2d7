//! A minimal reader of raw HTML: finds its text and the values of its attributes.

/// The open elements in the HTML of one block.
#[derive(Default)]
pub(crate) struct Html {
    /// The open element whose content is not HTML, if any.
    raw: Option<&'static str>,
    /// How many elements that show their text as code are open.
    code: usize,
}

pub(crate) enum Piece<'h> {
    Text(&'h str),
    Value {
        attribute: &'h str,
        value: &'h str,
        quote: Option<char>,
        /// Everything after the value.
        rest: &'h str,
    },
}

const RAW: [&str; 3] = ["script", "style", "textarea"];

impl Html {
    /// Whether text that follows is shown as prose.
    pub(crate) fn shows_text(&self) -> bool {
        self.raw.is_none() && self.code == 0
    }

    /// Calls `visit` for each piece of some more HTML, in order.
    pub(crate) fn read<'h>(&mut self, html: &'h str, visit: &mut impl FnMut(Piece<'h>)) {
        let mut rest = html;
        while !rest.is_empty() {
            if let Some(name) = self.raw {
                let Some(end) = end_of(rest, name) else { return };
                rest = &rest[end..];
                self.raw = None;
            }
            let (text, markup) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            if self.shows_text() {
                visit(Piece::Text(text));
            }
            rest = self.read_markup(markup, visit);
        }
    }

    /// Reads markup that begins with `<`, and returns the HTML after it.
    fn read_markup<'h>(&mut self, markup: &'h str, visit: &mut impl FnMut(Piece<'h>)) -> &'h str {
        let Some(rest) = markup.strip_prefix('<') else { return markup };
        if let Some(comment) = rest.strip_prefix("!--") {
            return after(comment, "-->");
        }
        if rest.starts_with(['!', '?']) {
            return after(rest, ">");
        }
        let (is_end, tag) = match rest.strip_prefix('/') {
            Some(tag) => (true, tag),
            None => (false, rest),
        };
        if !tag.starts_with(|char: char| char.is_ascii_alphabetic()) {
            return rest;
        }
        let (name, attributes) = tag.split_at(tag.find(ends_name).unwrap_or(tag.len()));
        if is_end {
            self.code = self.code.saturating_sub(usize::from(is_code(name)));
            return after(attributes, ">");
        }
        self.code += usize::from(is_code(name));
        self.raw = RAW.into_iter().find(|raw| raw.eq_ignore_ascii_case(name));
        read_attributes(attributes, visit)
    }
}

fn read_attributes<'h>(attributes: &'h str, visit: &mut impl FnMut(Piece<'h>)) -> &'h str {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_ascii_whitespace() || "/=".contains(char));
        if let Some(after) = rest.strip_prefix('>') {
            return after;
        }
        if rest.is_empty() {
            return rest;
        }
        let (attribute, after) =
            rest.split_at(rest.find(|char| ends_name(char) || char == '=').unwrap_or(rest.len()));
        rest = after.trim_ascii_start();
        let Some(value) = rest.strip_prefix('=').map(str::trim_ascii_start) else { continue };
        let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''));
        let value = &value[quote.map_or(0, char::len_utf8)..];
        let end = match quote {
            Some(quote) => value.find(quote),
            None => Some(value.find(ends_value).unwrap_or(value.len())),
        };
        // An unclosed quote extends to the end.
        let Some(end) = end else { return "" };
        let (value, after) = value.split_at(end);
        visit(Piece::Value { attribute, value, quote, rest: after });
        rest = &after[quote.map_or(0, char::len_utf8)..];
    }
}

/// The HTML with each `href` replaced for which `replace` returns another URL; `None` if there is none.
pub(crate) fn with_links(html: &str, replace: impl Fn(&str) -> Option<String>) -> Option<String> {
    with_attributes(html, |attribute, value| match attribute.eq_ignore_ascii_case("href") {
        true => replace(value.trim_ascii()),
        false => None,
    })
}

/// The HTML with each value replaced for which `replace` returns another one, by attribute; `None` if there is none.
pub(crate) fn with_attributes(html: &str, replace: impl Fn(&str, &str) -> Option<String>) -> Option<String> {
    let (mut replaced, mut copied) = (String::new(), 0);
    Html::default().read(html, &mut |piece| {
        let Piece::Value { attribute, value, rest, .. } = piece else { return };
        if let Some(other) = replace(attribute, value) {
            let end = html.len() - rest.len();
            replaced.push_str(&html[copied..end - value.len()]);
            replaced.push_str(&other);
            copied = end;
        }
    });
    (copied > 0).then(|| replaced + &html[copied..])
}

/// Whether a character ends an attribute value without quotes.
pub(crate) fn ends_value(char: char) -> bool {
    char.is_ascii_whitespace() || char == '>'
}

fn ends_name(char: char) -> bool {
    ends_value(char) || char == '/'
}

fn is_code(name: &str) -> bool {
    ["pre", "code"].iter().any(|code| code.eq_ignore_ascii_case(name))
}

fn after<'h>(html: &'h str, end: &str) -> &'h str {
    html.split_once(end).map_or("", |(_, after)| after)
}

/// The offset of an element's end tag.
fn end_of(html: &str, name: &str) -> Option<usize> {
    let is_end = |at: &usize| {
        let tag = html[*at..].strip_prefix("</").and_then(|tag| tag.get(..name.len()));
        tag.is_some_and(|tag| tag.eq_ignore_ascii_case(name))
    };
    html.match_indices('<').map(|(at, _)| at).find(is_end)
}
