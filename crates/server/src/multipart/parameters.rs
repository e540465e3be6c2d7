//! Header values such as `form-data; name="a"; filename="b.png"`.

use super::MultipartError;

/// Splits a value into the part before the first semicolon and its parameters.
pub(super) fn split(header: &str) -> (&str, Parameters<'_>) {
    let at = header.find(';').unwrap_or(header.len());
    let (word, rest) = header.split_at(at);
    (word.trim_matches(WHITE), Parameters { rest })
}

const WHITE: [char; 2] = [' ', '\t'];

/// The parameters in order. Iteration ends after an invalid parameter, which is an `Err`.
pub(super) struct Parameters<'h> {
    rest: &'h str,
}

pub(super) struct Parameter<'h> {
    pub name: &'h str,
    pub value: String,
}

pub(super) struct Unreadable;

impl<'h> Iterator for Parameters<'h> {
    type Item = Result<Parameter<'h>, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        let separators = |char| char == ';' || WHITE.contains(&char);
        let rest = std::mem::take(&mut self.rest).trim_start_matches(separators);
        if rest.is_empty() {
            return None;
        }
        let Some((name, rest)) = rest.split_once('=') else { return Some(Err(Unreadable)) };
        let rest = rest.trim_start_matches(WHITE);
        let value = match rest.strip_prefix('"') {
            Some(rest) => unquote(rest),
            None => {
                let (value, rest) = rest.split_at(rest.find(';').unwrap_or(rest.len()));
                Some((value.trim_end_matches(WHITE).to_owned(), rest))
            }
        };
        let Some((value, rest)) = value else { return Some(Err(Unreadable)) };
        let rest = rest.trim_start_matches(WHITE);
        if !rest.is_empty() && !rest.starts_with(';') {
            return Some(Err(Unreadable));
        }
        self.rest = rest;
        Some(Ok(Parameter { name: name.trim_end_matches(WHITE), value }))
    }
}

/// The text up to the closing quote, and the rest. Some clients escape `"` and `\` with a backslash; a backslash before
/// any other character is literal, as in a Windows path.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => {
                let escaped = chars.next_if(|(_, next)| matches!(next, '"' | '\\'));
                value.push(escaped.map_or('\\', |(_, char)| char));
            }
            char => value.push(char),
        }
    }
    None
}

/// The boundary in a request's content type.
pub(super) fn boundary(content_type: &str) -> Result<String, MultipartError> {
    let (kind, mut parameters) = split(content_type);
    if !kind.eq_ignore_ascii_case("multipart/form-data") {
        return Err(MultipartError::NotFormData);
    }
    let boundary = parameters.find_map(|parameter| match parameter {
        Ok(parameter) => parameter.name.eq_ignore_ascii_case("boundary").then_some(parameter.value),
        Err(Unreadable) => None,
    });
    boundary.filter(|boundary| is_boundary(boundary)).ok_or(MultipartError::Boundary)
}

/// RFC 2046, 5.1.1.
fn is_boundary(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
    (1..=70).contains(&text.len()) && text.bytes().all(is_allowed) && !text.ends_with(' ')
}
