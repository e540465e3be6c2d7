//! Content negotiation: which encoding of a body a client prefers.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Brotli,
    Zstd,
    Gzip,
}

impl Encoding {
    /// In order of preference, for bodies that are compressed once and sent often.
    pub(crate) const ALL: [Encoding; 3] = [Encoding::Brotli, Encoding::Zstd, Encoding::Gzip];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Encoding::Brotli => "br",
            Encoding::Zstd => "zstd",
            Encoding::Gzip => "gzip",
        }
    }

    fn parse(name: &str) -> Option<Encoding> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        // An old name of gzip (RFC 9110, section 8.4.1.3).
        let known =
            |encoding: &Encoding| is(encoding.name()) || (*encoding == Encoding::Gzip && is("x-gzip"));
        Encoding::ALL.into_iter().find(known)
    }
}

/// The quality values of `Accept-Encoding`, in thousandths; `None` if not given.
#[derive(Default)]
struct Qualities {
    encodings: [Option<u16>; 3],
    identity: Option<u16>,
    others: Option<u16>,
}

/// The encoding with the highest quality; the first of `among` if there are several. `None`: send the body unencoded,
/// even to a client that does not accept that.
pub(crate) fn choose(headers: &HeaderMap, among: &[Encoding]) -> Option<Encoding> {
    let lines = headers.get_all(ACCEPT_ENCODING).iter();
    choose_by(lines.map(|line| line.to_str().unwrap_or_default()), among)
}

/// The same, by the lines of `Accept-Encoding`.
pub(crate) fn choose_by<'r>(lines: impl Iterator<Item = &'r str>, among: &[Encoding]) -> Option<Encoding> {
    let mut qualities = Qualities::default();
    lines.for_each(|line| qualities.read(line));
    let quality_of =
        |encoding: &Encoding| qualities.encodings[*encoding as usize].or(qualities.others).unwrap_or(0);
    // An unencoded body is always acceptable, but any encoding that the client lists is preferred.
    let identity = qualities.identity.or(qualities.others).unwrap_or(0);
    let most = among.iter().map(quality_of).max().unwrap_or(0);
    among.iter().copied().find(|encoding| quality_of(encoding) == most && most > 0 && most >= identity)
}

impl Qualities {
    fn read(&mut self, line: &str) {
        for element in line.split(',') {
            let (name, parameters) = element.split_once(';').unwrap_or((element, ""));
            let Some(quality) = quality(parameters) else { continue };
            match name.trim() {
                "*" => self.others = Some(quality),
                name if name.eq_ignore_ascii_case("identity") => self.identity = Some(quality),
                name => {
                    if let Some(encoding) = Encoding::parse(name) {
                        self.encodings[encoding as usize] = Some(quality);
                    }
                }
            }
        }
    }
}

/// `q=0.5` in thousandths. `None`: the element cannot be read.
pub(crate) fn quality(parameters: &str) -> Option<u16> {
    let parameters = parameters.trim();
    if parameters.is_empty() {
        return Some(1000);
    }
    let (name, value) = parameters.split_once('=')?;
    let value: f32 = value.trim().parse().ok()?;
    let fits = name.trim().eq_ignore_ascii_case("q") && (0.0..=1.0).contains(&value);
    fits.then_some((value * 1000.0) as u16)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(lines: &[&'static str], expected: Option<Encoding>) {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_static(line));
        }
        assert_eq!(choose(&headers, &Encoding::ALL), expected, "{lines:?}");
    }

    #[test]
    fn at_equal_quality_the_servers_order_decides() {
        check(&["gzip, deflate, br, zstd"], Some(Encoding::Brotli));
        check(&["gzip,zstd"], Some(Encoding::Zstd));
        check(&["GZIP"], Some(Encoding::Gzip));
        check(&["x-gzip"], Some(Encoding::Gzip));
        check(&["gzip", "br"], Some(Encoding::Brotli));
        check(&["*"], Some(Encoding::Brotli));
    }

    #[test]
    fn the_clients_quality_decides() {
        check(&["br;q=0.5, gzip;q=0.8"], Some(Encoding::Gzip));
        check(&["br ; q = 0, zstd;Q=0.001"], Some(Encoding::Zstd));
        check(&["gzip;q=0.5, *;q=0.9"], Some(Encoding::Brotli));
        check(&["br;q=0, *"], Some(Encoding::Zstd));
        check(&["identity;q=0, gzip;q=0.1"], Some(Encoding::Gzip));
        check(&["gzip, identity"], Some(Encoding::Gzip));
    }

    #[test]
    fn without_an_acceptable_encoding_the_body_is_not_encoded() {
        check(&[], None);
        check(&[""], None);
        check(&["deflate, compress"], None);
        check(&["identity"], None);
        check(&["gzip;q=0.5, identity;q=0.8"], None);
        check(&["gzip;q=0"], None);
        check(&["*;q=0"], None);
        check(&["identity, *;q=0"], None);
        check(&["identity;q=0"], None);
    }

    #[test]
    fn only_what_is_offered_is_chosen() {
        let headers =
            HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("br, gzip, zstd;q=0.9"))]);
        assert_eq!(choose(&headers, &[Encoding::Zstd, Encoding::Gzip]), Some(Encoding::Gzip));
        assert_eq!(choose(&headers, &[Encoding::Zstd]), Some(Encoding::Zstd));
        assert_eq!(choose(&headers, &[]), None);
    }

    #[test]
    fn invalid_elements_are_ignored() {
        check(&["br;q=2, gzip"], Some(Encoding::Gzip));
        check(&["br;q=, br;level=5, ;q=1, gzip;q=-1, zstd;q=0.5"], Some(Encoding::Zstd));
        check(&["br;q=NaN"], None);
    }
}
