//! What is sent tells nothing of who made it, where and when.

use crate::media_files::{everything_known, exiftool, film, gif, image, pdf, run, with_file};
use crate::recto::Recto;

const HOST: &str = "acme.localhost";
/// Planted by the tests, in each way that a tool shows it.
const PLANTED: [&str; 8] =
    ["SECRET", "48.2082", "48 deg 12", "2024:05:06", "2024-05-06", "20240506", "xpacket", "Lavf"];

/// What is sent of an upload: its address, and its bytes, in which nothing planted is found.
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
fn a_photo_stands_upright_and_nobody_sees_where_it_was_taken() {
    let lying = [&TAGS[..], &["-Comment=SECRET-comment", "-EXIF:Orientation#=6"]].concat();
    let (url, sent) = cleaned("photo.jpg", &exiftool("photo.jpg", &image("photo.jpg"), &lying));
    // 64 × 48 turned by a quarter.
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
fn a_film_loses_title_place_and_time_and_plays_as_before() {
    for name in ["film.mp4", "film.webm", "film.mov"] {
        let bytes = film(name);
        let (_, sent) = cleaned(name, &bytes);
        assert_eq!(sent.len(), bytes.len(), "nothing is moved in {name}");
        assert_eq!(pictures(name, &sent), pictures(name, &bytes), "{name}");
    }
}

/// The checksums of everything that is shown or heard.
fn pictures(name: &str, bytes: &[u8]) -> String {
    let decode = |path: &std::path::Path| {
        run("ffmpeg", &["-v", "error", "-i", path.to_str().unwrap(), "-f", "framemd5", "-"])
    };
    String::from_utf8(with_file(name, bytes, decode)).unwrap()
}

#[test]
fn a_paper_loses_its_author_and_keeps_its_words() {
    let (_, sent) = cleaned("paper.pdf", &pdf("Hello reader"));
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
