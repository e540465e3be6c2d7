//! Served files do not reveal who made them, where and when.

use crate::harness::recto::Recto;
use crate::media::files::{everything_known, exiftool, gif, image, pdf, run, video, with_file};

const HOST: &str = "acme.localhost";
/// Metadata that the tests write, in each form that a tool prints.
const PLANTED: [&str; 8] =
    ["SECRET", "48.2082", "48 deg 12", "2024:05:06", "2024-05-06", "20240506", "xpacket", "Lavf"];

/// The URL and the served bytes of an upload, which must not contain the metadata.
fn cleaned(name: &str, bytes: &[u8]) -> (String, Vec<u8>) {
    let before = everything_known(name, bytes);
    assert!(before.contains("SECRET"), "{name} was to have metadata: {before}");
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    let url = server.keep_file(&account, name, bytes);
    let sent = server.download(HOST, &url);
    let known = everything_known(url.rsplit('/').next().unwrap(), &sent);
    for planted in PLANTED {
        assert!(!known.contains(planted), "{planted} is still in {url}: {known:.3000}");
    }
    (url, sent)
}

const TAGS: [&str; 8] = [
    "-EXIF:GPSLatitude=48.2082",
    "-EXIF:GPSLatitudeRef=N",
    "-EXIF:GPSLongitude=16.3738",
    "-EXIF:GPSLongitudeRef=E",
    "-EXIF:Artist=SECRET-artist",
    "-EXIF:DateTimeOriginal=2024:05:06 07:08:09",
    "-XMP:Creator=SECRET-creator",
    "-IPTC:Keywords=SECRET-keyword",
];

#[test]
fn a_photo_is_upright_and_loses_its_location() {
    let lying = [&TAGS[..], &["-Comment=SECRET-comment", "-EXIF:Orientation#=6"]].concat();
    let (url, sent) = cleaned("photo.jpg", &exiftool("photo.jpg", &image("photo.jpg"), &lying));
    // 64 × 48 rotated by 90 degrees.
    assert!(url.contains("00300040/photo.webp"), "{url}");
    let size = with_file("photo.webp", &sent, |path| {
        run("exiftool", &["-s3", "-ImageSize", "-Orientation", path.to_str().unwrap()])
    });
    assert_eq!(String::from_utf8(size).unwrap().trim(), "48x64");
}

#[test]
fn a_drawing_loses_its_texts() {
    let tags = [&TAGS[..7], &["-PNG:Author=SECRET-author", "-PNG:Comment=SECRET-comment"]].concat();
    let (url, _) = cleaned("drawing.png", &exiftool("drawing.png", &image("drawing.png"), &tags));
    assert!(url.contains("00400030/drawing.webp"), "{url}");
}

#[test]
fn a_webp_loses_its_chunks() {
    cleaned("photo.webp", &exiftool("photo.webp", &image("photo.webp"), &TAGS[..7]));
}

#[test]
fn an_animation_keeps_moving_and_loses_its_comment() {
    let tags = ["-Comment=SECRET-comment", "-XMP:Creator=SECRET-creator"];
    let (_, sent) = cleaned("moving.gif", &exiftool("moving.gif", &gif(5), &tags));
    let frames = sent.windows(4).filter(|window| window == b"ANMF").count();
    assert_eq!(frames, 5);
}

#[test]
fn a_video_loses_title_place_and_time_and_plays_as_before() {
    for name in ["video.mp4", "video.webm", "video.mov"] {
        let bytes = video(name);
        let (_, sent) = cleaned(name, &bytes);
        assert_eq!(sent.len(), bytes.len(), "nothing is moved in {name}");
        assert_eq!(checksums(name, &sent), checksums(name, &bytes), "{name}");
    }
}

/// The checksums of all video frames and audio samples.
fn checksums(name: &str, bytes: &[u8]) -> String {
    let decode = |path: &std::path::Path| {
        run("ffmpeg", &["-v", "error", "-i", path.to_str().unwrap(), "-f", "framemd5", "-"])
    };
    String::from_utf8(with_file(name, bytes, decode)).unwrap()
}

#[test]
fn a_pdf_loses_its_author_and_keeps_its_text() {
    let (_, sent) = cleaned("document.pdf", &pdf("Hello reader"));
    with_file("sent.pdf", &sent, |path| {
        let path = path.to_str().unwrap();
        run("qpdf", &["--check", path]);
        assert_eq!(String::from_utf8(run("pdftotext", &[path, "-"])).unwrap().trim(), "Hello reader");
        let unpacked = run("qpdf", &["--qdf", "--object-streams=disable", path, "-"]);
        let unpacked = String::from_utf8_lossy(&unpacked).into_owned();
        for planted in ["SECRET", "/Info", "/Metadata", "20240506"] {
            assert!(!unpacked.contains(planted), "{planted} is still in {unpacked}");
        }
    });
}
