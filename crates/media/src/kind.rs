//! What a file is, by the extension of its name, and how it is sent.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Stored as WebP.
    Image,
    /// Stored as it came, without its metadata.
    Video(Container),
    /// Written anew, without metadata and old revisions.
    Pdf,
    /// Stored byte for byte, and never opened.
    Kept,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Container {
    Mp4,
    Mov,
    WebM,
}

impl Kind {
    /// None when the service takes no such files.
    pub fn of(file_name: &str) -> Option<Kind> {
        let (_, extension) = file_name.rsplit_once('.')?;
        let row = TABLE.iter().find(|(known, ..)| known.eq_ignore_ascii_case(extension));
        row.map(|(_, kind, _)| *kind)
    }
}

impl Kind {
    /// Seconds of CPU time that opening a file of this size may take, at the most; an image's own headers say more.
    pub(crate) fn cpu_seconds(self, bytes: u64) -> u64 {
        let megabytes = bytes.div_ceil(1 << 20);
        match self {
            Kind::Image => u64::MAX,
            // Measured on one core of 2.5 GHz: a megabyte takes 0.04 s, 0.25 s where all of it is compressed objects,
            // 2 s where these are compressed a thousandfold.
            Kind::Pdf => 10 + megabytes,
            // A million boxes take half a second to read, and five to overwrite. Media is not read.
            Kind::Video(_) => 15 + megabytes / 50,
            Kind::Kept => 0,
        }
    }
}

/// The value of `Content-Type` for a stored name.
pub fn content_type(stored_name: &str) -> &'static str {
    let extension = stored_name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let row = TABLE.iter().find(|(known, ..)| *known == extension);
    row.map_or("application/octet-stream", |(.., content_type)| content_type)
}

/// The value of `Content-Disposition` for a stored name: only what a browser shows without running any of it is shown.
pub fn disposition(stored_name: &str) -> &'static str {
    let content_type = content_type(stored_name);
    let shown = ["image/", "audio/", "video/", "text/plain", "application/pdf"];
    if shown.iter().any(|start| content_type.starts_with(start)) { "inline" } else { "attachment" }
}

const TEXT: &str = "text/plain; charset=utf-8";

/// The specification's table of file types by extension.
const TABLE: [(&str, Kind, &str); 20] = [
    ("jpg", Kind::Image, "image/jpeg"),
    ("jpeg", Kind::Image, "image/jpeg"),
    ("png", Kind::Image, "image/png"),
    ("gif", Kind::Image, "image/gif"),
    ("webp", Kind::Image, "image/webp"),
    ("pdf", Kind::Pdf, "application/pdf"),
    ("doc", Kind::Kept, "application/msword"),
    ("docx", Kind::Kept, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xls", Kind::Kept, "application/vnd.ms-excel"),
    ("xlsx", Kind::Kept, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("ppt", Kind::Kept, "application/vnd.ms-powerpoint"),
    ("pptx", Kind::Kept, "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("txt", Kind::Kept, TEXT),
    ("csv", Kind::Kept, TEXT),
    ("md", Kind::Kept, TEXT),
    ("zip", Kind::Kept, "application/zip"),
    ("mp3", Kind::Kept, "audio/mpeg"),
    ("mp4", Kind::Video(Container::Mp4), "video/mp4"),
    ("webm", Kind::Video(Container::WebM), "video/webm"),
    ("mov", Kind::Video(Container::Mov), "video/quicktime"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_and_its_case_does_not_matter() {
        let check = |name: &str, expected| assert_eq!(Kind::of(name), expected, "{name}");
        check("photo.JPG", Some(Kind::Image));
        check("a.b.Jpeg", Some(Kind::Image));
        check(".png", Some(Kind::Image));
        check("clip.MOV", Some(Kind::Video(Container::Mov)));
        check("clip.mp4", Some(Kind::Video(Container::Mp4)));
        check("clip.webm", Some(Kind::Video(Container::WebM)));
        check("paper.Pdf", Some(Kind::Pdf));
        check("notes.md", Some(Kind::Kept));
        check("song.mp3", Some(Kind::Kept));
    }

    #[test]
    fn time_is_given_by_bytes() {
        let check = |name: &str, bytes, seconds| {
            assert_eq!(Kind::of(name).map(|kind| kind.cpu_seconds(bytes)), Some(seconds), "{name} {bytes}");
        };
        check("a.pdf", 0, 10);
        check("a.pdf", 1, 11);
        check("a.pdf", 100 << 20, 110);
        check("a.mov", 0, 15);
        check("a.mp4", 10 << 30, 15 + 204);
        check("a.webm", 31 << 20, 15);
    }

    #[test]
    fn everything_else_is_not_taken() {
        for name in
            ["", ".", "..", "png", "a.svg", "a.html", "a.png ", "a.png.exe", "a.png/", "a.jpg\0", "a.рng"]
        {
            assert_eq!(Kind::of(name), None, "{name:?}");
        }
    }

    #[test]
    fn only_what_a_browser_shows_without_running_it_is_sent_inline() {
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
