//! The hash of a media file, and its URL.

use std::fmt;

/// The first 128 bits of the BLAKE3 hash of the stored bytes. Displayed as 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MediaHash(pub [u8; 16]);

impl MediaHash {
    const DIGITS: usize = 32;

    /// From a full BLAKE3 hash.
    pub fn of_digest(digest: &[u8; 32]) -> MediaHash {
        MediaHash(std::array::from_fn(|index| digest[index]))
    }

    pub fn parse(text: &str) -> Option<MediaHash> {
        if text.len() != MediaHash::DIGITS {
            return None;
        }
        Some(MediaHash(u128::to_be_bytes(lower_hex(text)?)))
    }
}

impl fmt::Display for MediaHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// The size of an image in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    pub width: u16,
    pub height: u16,
}

impl Dimensions {
    const DIGITS: usize = 8;
}

/// The path of a media file on its site: `/media/<segment>/<name>`. The segment is the hash, followed by the width and
/// height of an image, four digits each, so that pages can be rendered with the sizes of their images without a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaUrl {
    pub hash: MediaHash,
    pub dimensions: Option<Dimensions>,
    /// `[a-z0-9-]+\.[a-z0-9]+`, at most `NAME_CHARS` long.
    pub name: String,
}

impl MediaUrl {
    pub const NAME_CHARS: usize = 100;

    /// Parses the path only: the caller must strip a query or fragment.
    pub fn parse(path: &str) -> Option<MediaUrl> {
        let (segment, name) = path.strip_prefix("/media/")?.split_once('/')?;
        let (hash, size) = segment.split_at_checked(MediaHash::DIGITS)?;
        let dimensions = match size.len() {
            0 => None,
            Dimensions::DIGITS => {
                let size = lower_hex(size)? as u32;
                Some(Dimensions { width: (size >> 16) as u16, height: size as u16 })
            }
            _ => return None,
        };
        let hash = MediaHash::parse(hash)?;
        is_name(name).then(|| MediaUrl { hash, dimensions, name: name.to_owned() })
    }

    /// The widths of the smaller copies of an image: all that are smaller than the image itself.
    pub fn smaller_widths(&self) -> impl Iterator<Item = u16> {
        let width =
            self.dimensions.filter(|_| self.name.ends_with(COPY_EXTENSION)).map_or(0, |size| size.width);
        SMALLER_WIDTHS.into_iter().filter(move |smaller| *smaller < width)
    }

    /// The path of a smaller copy: `/media/<segment>/bay.640.webp`. A name has only one dot, so no upload is there.
    pub fn smaller(&self, width: u16) -> String {
        let path = self.to_string();
        let stem = path.strip_suffix(COPY_EXTENSION).unwrap_or(&path);
        format!("{stem}.{width}{COPY_EXTENSION}")
    }

    /// The value of `srcset` for an image that has smaller copies.
    pub fn srcset(&self) -> Option<String> {
        let width = self.dimensions?.width;
        let copies = self.smaller_widths().map(|width| format!("{} {width}w, ", self.smaller(width)));
        let copies: String = copies.collect();
        (!copies.is_empty()).then(|| format!("{copies}{self} {width}w"))
    }

    /// Parses the path of a smaller copy: the image, and the width of the copy.
    pub fn parse_smaller(path: &str) -> Option<(MediaUrl, u16)> {
        let (stem, width) = path.strip_suffix(COPY_EXTENSION)?.rsplit_once('.')?;
        let url = MediaUrl::parse(&format!("{stem}{COPY_EXTENSION}"))?;
        let width = url.smaller_widths().find(|smaller| smaller.to_string() == width)?;
        Some((url, width))
    }
}

/// The widths of the smaller copies that are made of an uploaded image, for small screens.
pub const SMALLER_WIDTHS: [u16; 4] = [640, 960, 1440, 1920];

const COPY_EXTENSION: &str = ".webp";

impl fmt::Display for MediaUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/media/{}", self.hash)?;
        if let Some(Dimensions { width, height }) = self.dimensions {
            write!(f, "{width:04x}{height:04x}")?;
        }
        write!(f, "/{}", self.name)
    }
}

fn is_name(name: &str) -> bool {
    let letter_or_digit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let Some((stem, extension)) = name.split_once('.') else { return false };
    let well_formed = !stem.is_empty()
        && stem.bytes().all(|byte| letter_or_digit(byte) || byte == b'-')
        && !extension.is_empty()
        && extension.bytes().all(letter_or_digit);
    well_formed && name.len() <= MediaUrl::NAME_CHARS
}

/// The number in at most 32 digits; upper case is rejected, so that each file has only one URL.
fn lower_hex(digits: &str) -> Option<u128> {
    let is_hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if is_hex { u128::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HASH: &str = "00112233445566778899aabbccddeeff";

    #[test]
    fn a_hash_is_32_lower_case_digits() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(MediaHash::parse(text).map(|hash| hash.to_string()).as_deref(), expected, "{text}");
        };
        check(HASH, Some(HASH));
        check(&HASH.to_uppercase(), None);
        check(&HASH[1..], None);
        check(&format!("{HASH}0"), None);
        check(&format!("+{}", &HASH[1..]), None);
        check(&"é".repeat(16), None);
        check("", None);
        assert_eq!(MediaHash::parse(HASH).unwrap().0[..3], [0x00, 0x11, 0x22]);
    }

    #[test]
    fn a_hash_is_the_first_half_of_the_digest() {
        let digest: [u8; 32] = std::array::from_fn(|index| index as u8);
        assert_eq!(MediaHash::of_digest(&digest).to_string(), "000102030405060708090a0b0c0d0e0f");
    }

    #[test]
    fn a_url_contains_hash_size_and_name() {
        let check = |path: &str, dimensions, name: &str| {
            let url = MediaUrl { hash: MediaHash::parse(HASH).unwrap(), dimensions, name: name.to_owned() };
            assert_eq!(url.to_string(), path);
            assert_eq!(MediaUrl::parse(path), Some(url));
        };
        check(&format!("/media/{HASH}/clip.mov"), None, "clip.mov");
        let size = Some(Dimensions { width: 640, height: 0xf00d });
        check(&format!("/media/{HASH}0280f00d/a-b-1.webp"), size, "a-b-1.webp");
        let longest = format!("{}.png", "a".repeat(96));
        check(&format!("/media/{HASH}/{longest}"), None, &longest);
    }

    #[test]
    fn anything_else_is_not_a_media_url() {
        let check = |path: String| assert_eq!(MediaUrl::parse(&path), None, "{path}");
        for name in
            ["", "a", ".png", "a.", "A.png", "a.PNG", "a.b.png", "a b.png", "a_b.png", "é.png", "a.p-g"]
        {
            check(format!("/media/{HASH}/{name}"));
        }
        check(format!("/media/{HASH}/{}.png", "a".repeat(97)));
        for rest in ["/a.png/", "/b/a.png", "/a.png?b", "/a.png#b", "/../a.png"] {
            check(format!("/media/{HASH}{rest}"));
        }
        for segment in ["", "abc", &HASH[1..], &format!("{HASH}028"), &format!("{HASH}0280F00D")] {
            check(format!("/media/{segment}/a.png"));
        }
        check(format!("/media/{HASH}0280f00d0/a.png"));
        check(format!("/media/{}é/a.png", &HASH[1..]));
        check(format!("media/{HASH}/a.png"));
        check(format!("https://example.org/media/{HASH}/a.png"));
    }

    #[test]
    fn smaller_copies_are_beside_their_image() {
        let check = |width: u16, name: &str, expected: &[u16]| {
            let dimensions = Some(Dimensions { width, height: 10 });
            let url = MediaUrl { hash: MediaHash::parse(HASH).unwrap(), dimensions, name: name.to_owned() };
            assert_eq!(url.smaller_widths().collect::<Vec<_>>(), expected, "{url}");
            for &width in expected {
                assert_eq!(MediaUrl::parse(&url.smaller(width)), None);
                assert_eq!(MediaUrl::parse_smaller(&url.smaller(width)), Some((url.clone(), width)));
            }
        };
        let srcset = |path: String| MediaUrl::parse(&path).unwrap().srcset();
        let path = format!("/media/{HASH}044c000a/a");
        assert_eq!(
            srcset(format!("{path}.webp")),
            Some(format!("{path}.640.webp 640w, {path}.960.webp 960w, {path}.webp 1100w"))
        );
        assert_eq!(srcset(format!("/media/{HASH}0280000a/a.webp")), None);
        check(2560, "a.webp", &[640, 960, 1440, 1920]);
        check(1440, "a.webp", &[640, 960]);
        check(641, &format!("{}.webp", "a".repeat(95)), &[640]);
        check(640, "a.webp", &[]);
        check(2560, "a.png", &[]);
        for rest in ["0a000010/a.webp", "0a000010/a.641.webp", "0a000010/a.0640.webp", "02800010/a.640.webp"]
        {
            assert_eq!(MediaUrl::parse_smaller(&format!("/media/{HASH}{rest}")), None, "{rest}");
        }
        for rest in ["/a.640.webp", "0a000010/a.640.png", "0a000010/.640.webp", "0a000010/a.b.640.webp"] {
            assert_eq!(MediaUrl::parse_smaller(&format!("/media/{HASH}{rest}")), None, "{rest}");
        }
    }

    proptest! {
        #[test]
        fn a_parsed_url_is_displayed_unchanged(
            path in "/media/[0-9a-f]{32}([0-9a-f]{8})?/[a-z0-9-]{1,2}[.][a-z0-9]{1,4}",
        ) {
            prop_assert_eq!(MediaUrl::parse(&path).map(|url| url.to_string()), Some(path));
        }
    }
}
