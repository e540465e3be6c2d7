//! Tags of template languages in a text: `{{< … >}}`, `{% … %}`.

/// A tag, and what follows it.
pub(crate) struct Tag<'t> {
    /// The line of its first character, from 0.
    pub line: usize,
    /// With its delimiters.
    pub whole: &'t str,
    /// Between the delimiters, trimmed.
    pub inside: &'t str,
    pub after: &'t str,
}

impl Tag<'_> {
    /// On one line, and not longer than a message should be.
    pub fn shown(&self) -> String {
        let whole = self.whole.split_whitespace().collect::<Vec<_>>().join(" ");
        match whole.char_indices().nth(80) {
            Some((end, _)) => format!("{}…", &whole[..end]),
            None => whole,
        }
    }
}

/// What a tag becomes, and how many bytes of the text after it are replaced, too.
pub(crate) struct Replaced {
    pub by: String,
    pub more: usize,
}

impl From<String> for Replaced {
    fn from(by: String) -> Replaced {
        Replaced { by, more: 0 }
    }
}

/// Replaces the tags between these delimiters for which `replace` returns something; others stay.
pub(crate) fn replace(
    text: &str,
    delimiters: &[(&str, &str)],
    mut replace: impl FnMut(&Tag<'_>) -> Option<Replaced>,
) -> String {
    let (mut out, mut at, mut line, mut counted) = (String::with_capacity(text.len()), 0, 0, 0);
    let mut openings = Openings::of(text, delimiters);
    while let Some((start, open, close)) = openings.next(at) {
        let inside = start + open.len();
        // An open delimiter without its end: no later one has an end, either.
        let Some(end) = text[inside..].find(close).map(|end| inside + end) else { break };
        let after = end + close.len();
        line += text[counted..start].matches('\n').count();
        counted = start;
        out += &text[at..start];
        let tag =
            Tag { line, whole: &text[start..after], inside: text[inside..end].trim(), after: &text[after..] };
        match replace(&tag) {
            Some(Replaced { by, more }) => {
                out += &by;
                at = after + more;
            }
            None => {
                out += tag.whole;
                at = after;
            }
        }
    }
    out + &text[at..]
}

/// Where each opening delimiter is next. Each part of the text is searched once for each of them.
struct Openings<'t, 'd> {
    text: &'t str,
    next: Vec<(Option<usize>, &'d str, &'d str)>,
}

impl<'t, 'd> Openings<'t, 'd> {
    fn of(text: &'t str, delimiters: &[(&'d str, &'d str)]) -> Openings<'t, 'd> {
        let next = delimiters.iter().map(|(open, close)| (text.find(open), *open, *close)).collect();
        Openings { text, next }
    }

    /// The first one from `at` on; of two at one place, the longer one.
    fn next(&mut self, at: usize) -> Option<(usize, &'d str, &'d str)> {
        for (next, open, _) in &mut self.next {
            if next.is_some_and(|next| next < at) {
                *next = self.text[at..].find(*open).map(|next| at + next);
            }
        }
        let found = self.next.iter().filter_map(|(next, open, close)| Some(((*next)?, *open, *close)));
        found.min_by_key(|(start, open, _)| (*start, std::cmp::Reverse(open.len())))
    }
}

/// The words of a tag: `name "a value" key=value` gives its name and its arguments, with their keys.
pub(crate) fn words(inside: &str) -> (String, Vec<(Option<String>, String)>) {
    let (name, mut rest) = match inside.find(char::is_whitespace) {
        Some(end) => (&inside[..end], inside[end..].trim_start()),
        None => (inside, ""),
    };
    let mut arguments = vec![];
    while !rest.is_empty() {
        let is_key = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
        let key_end = rest.find(|char| !is_key(char)).unwrap_or(rest.len());
        let has_key = key_end > 0 && rest[key_end..].starts_with('=');
        let key = has_key.then(|| rest[..key_end].to_owned());
        if has_key {
            rest = rest[key_end + 1..].trim_start();
        }
        let (value, after) = value(rest);
        arguments.push((key, value));
        rest = after.trim_start();
    }
    (name.to_owned(), arguments)
}

/// In quotes or backticks, or up to white space.
fn value(text: &str) -> (String, &str) {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'));
    let Some(quote) = quote else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let (mut value, mut escaped) = (String::new(), false);
    for (at, char) in text.char_indices().skip(1) {
        match char {
            _ if escaped => {
                value.push(char);
                escaped = false;
            }
            '\\' if quote == '"' => escaped = true,
            char if char == quote => return (value, &text[at + 1..]),
            char => value.push(char),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_are_replaced_with_their_lines() {
        let text = "a {{< x >}}\nb {% y %} c {{< z";
        let replaced = replace(text, &[("{{<", ">}}"), ("{%", "%}")], |tag| {
            (tag.inside == "y").then(|| Replaced { by: format!("[{}]", tag.line), more: 2 })
        });
        assert_eq!(replaced, "a {{< x >}}\nb [1] {{< z");
    }

    #[test]
    fn arguments_have_quotes_and_keys() {
        let (name, arguments) = words(r#"figure src="a b.png" alt=`x "y"` plain "it \"is\"""#);
        assert_eq!(name, "figure");
        let key = |key: &str| Some(key.to_owned());
        let expected =
            [(key("src"), "a b.png"), (key("alt"), "x \"y\""), (None, "plain"), (None, "it \"is\"")];
        assert_eq!(arguments, expected.map(|(key, value)| (key, value.to_owned())));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a{}<>%\"'`= \n\\\\é]{0,60}") {
            let same = replace(&text, &[("{{<", ">}}"), ("{{", "}}"), ("{%", "%}")], |tag| {
                words(tag.inside);
                None
            });
            prop_assert_eq!(same, text);
        }
    }
}
