//! The kind of a file, by its extension, and how it is served.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MediaKind {
    /// Stored as WebP.
    Image,
    /// Stored without its metadata, otherwise unchanged.
    Video(Container),
    /// Rewritten, without metadata and old revisions.
    Pdf,
    /// Stored byte for byte, and never parsed.
    Kept,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Container {
    Mp4,
    Mov,
    WebM,
}

impl MediaKind {
    /// `None` if the extension is not supported.
    pub fn of(file_name: &str) -> Option<MediaKind> {
        let (_, extension) = file_name.rsplit_once('.')?;
        let row = TABLE.iter().find(|(known, ..)| known.eq_ignore_ascii_case(extension));
        row.map(|(_, kind, _)| *kind)
    }
}

impl MediaKind {
    /// Maximum CPU time in seconds for a file of this size; for an image, its headers set a lower limit.
    pub(crate) fn cpu_seconds(self, bytes: u64) -> u64 {
        let megabytes = bytes.div_ceil(1 << 20);
        match self {
            MediaKind::Image => u64::MAX,
            // Measured on one core of 2.5 GHz: a megabyte takes 0.04 s, 0.25 s if all of it is compressed objects, 2 s
            // if these are compressed a thousandfold.
            MediaKind::Pdf => 10 + megabytes,
            // A million boxes take half a second to read, and five to overwrite. Media data is not read.
            MediaKind::Video(_) => 15 + megabytes / 50,
            MediaKind::Kept => 0,
        }
    }
}

/// The value of `Content-Type` for a stored name.
pub fn content_type(stored_name: &str) -> &'static str {
    let extension = stored_name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let row = TABLE.iter().find(|(known, ..)| *known == extension);
    row.map_or("application/octet-stream", |(.., content_type)| content_type)
}

/// The value of `Content-Disposition` for a stored name: inline only for types that browsers show without executing
/// them.
pub fn disposition(stored_name: &str) -> &'static str {
    let content_type = content_type(stored_name);
    let shown = ["image/", "audio/", "video/", "text/plain", "application/pdf"];
    if shown.iter().any(|start| content_type.starts_with(start)) { "inline" } else { "attachment" }
}

const TEXT: &str = "text/plain; charset=utf-8";

/// The specification's table of file types by extension.
const TABLE: [(&str, MediaKind, &str); 20] = [
    ("jpg", MediaKind::Image, "image/jpeg"),
    ("jpeg", MediaKind::Image, "image/jpeg"),
    ("png", MediaKind::Image, "image/png"),
    ("gif", MediaKind::Image, "image/gif"),
    ("webp", MediaKind::Image, "image/webp"),
    ("pdf", MediaKind::Pdf, "application/pdf"),
    ("doc", MediaKind::Kept, "application/msword"),
    ("docx", MediaKind::Kept, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xls", MediaKind::Kept, "application/vnd.ms-excel"),
    ("xlsx", MediaKind::Kept, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("ppt", MediaKind::Kept, "application/vnd.ms-powerpoint"),
    ("pptx", MediaKind::Kept, "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("txt", MediaKind::Kept, TEXT),
    ("csv", MediaKind::Kept, TEXT),
    ("md", MediaKind::Kept, TEXT),
    ("zip", MediaKind::Kept, "application/zip"),
    ("mp3", MediaKind::Kept, "audio/mpeg"),
    ("mp4", MediaKind::Video(Container::Mp4), "video/mp4"),
    ("webm", MediaKind::Video(Container::WebM), "video/webm"),
    ("mov", MediaKind::Video(Container::Mov), "video/quicktime"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_and_its_case_does_not_matter() {
        let check = |name: &str, expected| assert_eq!(MediaKind::of(name), expected, "{name}");
        check("photo.JPG", Some(MediaKind::Image));
        check("a.b.Jpeg", Some(MediaKind::Image));
        check(".png", Some(MediaKind::Image));
        check("clip.MOV", Some(MediaKind::Video(Container::Mov)));
        check("clip.mp4", Some(MediaKind::Video(Container::Mp4)));
        check("clip.webm", Some(MediaKind::Video(Container::WebM)));
        check("paper.Pdf", Some(MediaKind::Pdf));
        check("notes.md", Some(MediaKind::Kept));
        check("song.mp3", Some(MediaKind::Kept));
    }

    #[test]
    fn the_time_limit_depends_on_the_size() {
        let check = |name: &str, bytes, seconds| {
            assert_eq!(
                MediaKind::of(name).map(|kind| kind.cpu_seconds(bytes)),
                Some(seconds),
                "{name} {bytes}"
            );
        };
        check("a.pdf", 0, 10);
        check("a.pdf", 1, 11);
        check("a.pdf", 100 << 20, 110);
        check("a.mov", 0, 15);
        check("a.mp4", 10 << 30, 15 + 204);
        check("a.webm", 31 << 20, 15);
    }

    #[test]
    fn other_extensions_are_not_supported() {
        for name in
            ["", ".", "..", "png", "a.svg", "a.html", "a.png ", "a.png.exe", "a.png/", "a.jpg\0", "a.рng"]
        {
            assert_eq!(MediaKind::of(name), None, "{name:?}");
        }
    }

    #[test]
    fn only_types_that_browsers_do_not_execute_are_inline() {
        let check = |name: &str, content: &str, how: &str| {
            assert_eq!((content_type(name), disposition(name)), (content, how), "{name}");
        };
        check("a.webp", "image/webp", "inline");
        check("a.mp3", "audio/mpeg", "inline");
        check("a.mov", "video/quicktime", "inline");
        check("a.pdf", "application/pdf", "inline");
        check("a.md", "text/plain; charset=utf-8", "inline");
        check("a.csv", "text/plain; charset=utf-8", "inline");
        check("a.zip", "application/zip", "attachment");
        check("a.doc", "application/msword", "attachment");
        check("a.html", "application/octet-stream", "attachment");
        check("a", "application/octet-stream", "attachment");
    }
}
