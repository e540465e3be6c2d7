//! Finds bare URLs and e-mail addresses: the rules of GFM, section 6.9, with the limits of its implementation.

use std::ops::Range;

use finl_unicode::categories::CharacterCategories;

use super::flat::{is_emphasis, is_opaque};

#[derive(Clone)]
pub(super) struct Link {
    pub(super) range: Range<usize>,
    /// The part of the destination that is not written in the text.
    pub(super) scheme: &'static str,
}

/// A longer domain is not linked.
const MAX_DOMAIN_BYTES: usize = 1000;

/// A quick check whether the text can contain a link.
pub(super) fn may_contain_link(text: &str) -> bool {
    text.contains("://") || text.contains("www.") || text.contains('@')
}

/// The links of a text, in order. No URLs are linked inside an open bracket, which might be that of a link.
pub(super) fn links(text: &str) -> Vec<Link> {
    let (mut links, mut free, mut brackets) = (Vec::new(), 0, 0_usize);
    for (at, byte) in text.bytes().enumerate() {
        if at < free {
            continue;
        }
        let link = match byte {
            b':' if brackets == 0 => url(text, at),
            b'w' if brackets == 0 => www(text, at),
            b'@' => email(text, at),
            b'[' => {
                brackets += 1;
                None
            }
            b']' => {
                brackets = brackets.saturating_sub(1);
                None
            }
            _ => None,
        };
        if let Some(link) = link.filter(|link| link.range.start >= free) {
            free = link.range.end;
            links.push(link);
        }
    }
    links
}

/// `https://…`, given the position of the colon.
fn url(text: &str, colon: usize) -> Option<Link> {
    let after = text[colon..].strip_prefix("://")?;
    let before = text[..colon].trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let start = before.len();
    let is_known =
        ["http", "https", "ftp"].iter().any(|known| known.eq_ignore_ascii_case(&text[start..colon]));
    if !is_known || !after.starts_with(is_host_char) || domain(after)?.0 == 0 {
        return None;
    }
    Some(Link { range: start..colon + end(&text[colon..]), scheme: "" })
}

/// `www.…`
fn www(text: &str, start: usize) -> Option<Link> {
    let rest = text[start..].strip_prefix("www.").map(|_| &text[start..])?;
    let is_free = |char: char| char.is_whitespace() || is_emphasis(char) || "*_~(".contains(char);
    if !text[..start].chars().next_back().is_none_or(is_free) || domain(rest)?.1 == 0 {
        return None;
    }
    Some(Link { range: start..start + end(rest), scheme: "http://" })
}

/// `me@example.com`, given the position of the `@`.
fn email(text: &str, sign: usize) -> Option<Link> {
    let is_local = |char: char| char.is_ascii_alphanumeric() || ".+-_".contains(char);
    let before = text[..sign].trim_end_matches(is_local);
    let host = &text[sign + 1..];
    let is_part = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
    let host_end = host.find(|char| !is_part(char)).unwrap_or(host.len());
    let is_xmpp = before.ends_with("xmpp:");
    // A sentence may end after the address.
    let name = host[..host_end].trim_end_matches('.');
    if before.len() == sign
        || !name.contains('.')
        || name.starts_with('.')
        || name.contains("..")
        || !name.ends_with(|char: char| char.is_ascii_alphabetic())
        || host[host_end..].starts_with('@')
    {
        return None;
    }
    let resource = host[name.len()..].strip_prefix('/').filter(|_| is_xmpp).map_or(0, |resource| {
        let is_part = |char: char| char.is_ascii_alphanumeric() || "@.".contains(char);
        1 + resource[..resource.find(|char| !is_part(char)).unwrap_or(resource.len())]
            .trim_end_matches('.')
            .len()
    });
    let (start, scheme) = match ["mailto:", "xmpp:"].iter().find(|scheme| before.ends_with(**scheme)) {
        Some(scheme) => (before.len() - scheme.len(), ""),
        None => (before.len(), "mailto:"),
    };
    Some(Link { range: start..sign + 1 + name.len() + resource, scheme })
}

/// The length of a domain and the number of its dots; `None` for one that no browser would look up.
fn domain(text: &str) -> Option<(usize, usize)> {
    let (mut dots, mut underscores) = (0, [0, 0]);
    let is_end = |(at, char): &(usize, char)| {
        match char {
            '_' => underscores[1] += 1,
            '.' => {
                dots += 1;
                underscores = [underscores[1], 0];
            }
            _ => return *at >= MAX_DOMAIN_BYTES || (*char != '-' && !is_host_char(*char)),
        }
        false
    };
    let end = text.char_indices().find(is_end).map_or(text.len(), |(at, _)| at);
    (underscores == [0, 0]).then_some((end, dots))
}

fn is_host_char(char: char) -> bool {
    !char.is_whitespace()
        && !char.is_punctuation()
        && !char.is_symbol()
        && !is_opaque(char)
        && !is_emphasis(char)
}

/// The end of a URL: white space or `<`, without trailing punctuation of the sentence.
fn end(text: &str) -> usize {
    let ends = |char: char| char.is_whitespace() || char == '<' || is_opaque(char);
    trimmed(&text[..text.find(ends).unwrap_or(text.len())]).len()
}

pub(super) fn trimmed(url: &str) -> &str {
    let is_loose = |char: char| is_emphasis(char) || "?!.,:*_~'\"".contains(char);
    let mut unopened = url.matches(')').count().saturating_sub(url.matches('(').count());
    let mut url = url;
    loop {
        url = url.trim_end_matches(is_loose);
        if url.ends_with(')') && unopened > 0 {
            unopened -= 1;
            url = &url[..url.len() - 1];
        } else if let Some(rest) = url.strip_suffix(';') {
            // Something that looks like an entity is not part of the URL.
            let name = rest.trim_end_matches(|char: char| char.is_ascii_alphabetic());
            let is_entity = name.len() < rest.len() && name.ends_with('&');
            url = if is_entity { &name[..name.len() - 1] } else { rest };
        } else {
            return url;
        }
    }
}
