//! The name of a stored file: the last segment of its URL.

use model::Slug;

use crate::MediaKind;

const STEM_CHARS: usize = 80;

/// `[a-z0-9-]+.<extension>`, for any uploaded name. The name must be of this `kind` (see [`MediaKind::of`]).
pub fn stored_name(file_name: &str, kind: MediaKind) -> String {
    // Some clients send the whole path.
    let name = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let slug = Slug::from_title(stem);
    let stem = slug.as_ref().map_or("file", Slug::as_str);
    let stem = stem[..stem.len().min(STEM_CHARS)].trim_end_matches('-');
    match kind {
        MediaKind::Image => format!("{stem}.webp"),
        _ => format!("{stem}.{}", extension.to_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_stored_name_is_clean_and_keeps_its_extension_unless_it_is_an_image() {
        let check = |name: &str, expected: &str| {
            assert_eq!(stored_name(name, MediaKind::of(name).unwrap()), expected, "{name:?}");
        };
        check("photo.JPG", "photo.webp");
        check("My Holiday (1).jpeg", "my-holiday-1.webp");
        check("Отчёт 2026.PDF", "otchiot-2026.pdf");
        check("archive.tar.zip", "archive-tar.zip");
        check("clip.MOV", "clip.mov");
        check(".png", "file.webp");
        check("....pdf", "file.pdf");
        check("../../etc/passwd.txt", "passwd.txt");
        check("C:\\Users\\Eva\\photo.png", "photo.webp");
        check("a\u{202e}gpj.\u{0}\r\n.md", "agpj.md");
        check("\"><script>.zip", "script.zip");
        check(&format!("{}.mp4", "a".repeat(4096)), &format!("{}.mp4", "a".repeat(80)));
        check(&format!("{} b.mp4", "a".repeat(79)), &format!("{}.mp4", "a".repeat(79)));
    }

    proptest! {
        #[test]
        fn a_stored_name_only_has_url_characters(stem in any::<String>(), extension in "[pP][dD][fF]|md|MP4|gif") {
            let name = format!("{stem}.{extension}");
            let stored = stored_name(&name, MediaKind::of(&name).unwrap());
            let (stem, extension) = stored.split_once('.').unwrap();
            prop_assert!((1..=STEM_CHARS).contains(&stem.len()));
            prop_assert!(stem.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')), "{}", stored);
            prop_assert!(["pdf", "md", "mp4", "webp"].contains(&extension));
            prop_assert!(!stem.starts_with('-') && !stem.ends_with('-'));
        }
    }
}
