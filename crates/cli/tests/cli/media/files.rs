//! Real files, created and inspected by common tools.

use std::path::Path;
use std::process::Command;

/// The standard output of a program, which must succeed.
pub fn run(program: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(program).args(arguments).output().expect(program);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {complaint}");
    output.stdout
}

/// Runs `work` on a file with this name and content, and returns its result.
pub fn with_file<T>(name: &str, bytes: &[u8], work: impl FnOnce(&Path) -> T) -> T {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    work(&path)
}

/// A file created by ffmpeg; the options are split at spaces.
pub fn ffmpeg(name: &str, options: &str) -> Vec<u8> {
    with_file(name, b"", |path| {
        let before = ["-v", "error", "-nostdin", "-y"].into_iter();
        let all: Vec<&str> =
            before.chain(options.split_whitespace()).chain([path.to_str().unwrap()]).collect();
        run("ffmpeg", &all);
        std::fs::read(path).unwrap()
    })
}

/// The bytes with metadata written by exiftool.
pub fn exiftool(name: &str, bytes: &[u8], tags: &[&str]) -> Vec<u8> {
    with_file(name, bytes, |path| {
        run("exiftool", &[&["-q", "-overwrite_original"], tags, &[path.to_str().unwrap()]].concat());
        std::fs::read(path).unwrap()
    })
}

/// 64 × 48 pixels, in the format of the name's extension.
pub fn image(name: &str) -> Vec<u8> {
    ffmpeg(name, "-f lavfi -i testsrc=size=64x48:duration=1 -frames:v 1")
}

/// This many frames of 16 × 16 pixels.
pub fn gif(frames: u32) -> Vec<u8> {
    ffmpeg("moving.gif", &format!("-f lavfi -i testsrc=size=16x16:rate=25:duration=30 -frames:v {frames}"))
}

pub const NOTES: &str = "-metadata title=SECRET-title -metadata location=+48.2082+016.3738/ \
                         -metadata comment=SECRET-comment -metadata creation_time=2024-05-06T07:08:09Z";

/// A second of video in the container of the name's extension, with metadata.
pub fn video(name: &str) -> Vec<u8> {
    let codecs = if name.ends_with(".webm") {
        "-c:v libvpx -b:v 100k -deadline realtime -c:a libvorbis"
    } else if name.ends_with(".mov") {
        "-c:v mjpeg -pix_fmt yuvj422p -c:a aac"
    } else {
        "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac"
    };
    let sources =
        "-f lavfi -i testsrc=size=64x48:rate=10:duration=1 -f lavfi -i sine=frequency=440:duration=1";
    ffmpeg(name, &format!("{sources} {NOTES} {codecs}"))
}

/// A PDF with the text `words`, with metadata in the usual places.
pub fn pdf(words: &str) -> Vec<u8> {
    let stream = |dictionary: &str, content: &str| {
        format!("<<{dictionary}/Length {}>>\nstream\n{content}\nendstream", content.len())
    };
    let page =
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>";
    let objects = [
        "<</Type/Catalog/Pages 2 0 R/Metadata 6 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        page.to_owned(),
        stream("", &format!("BT /F1 24 Tf 20 100 Td ({words}) Tj ET")),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        stream("/Type/Metadata/Subtype/XML", "<?xpacket begin=''?><x:xmpmeta>SECRET-xmp</x:xmpmeta>"),
        "<</Author(SECRET-author)/CreationDate(D:20240506070809Z)>>".to_owned(),
    ];
    let (mut text, mut table) = ("%PDF-1.7\n".to_owned(), format!("xref\n0 {}\n0000000000 65535 f \n", 8));
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", text.len());
        text += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let start = text.len();
    format!("{text}{table}trailer\n<</Size 8/Root 1 0 R/Info 7 0 R>>\nstartxref\n{start}\n%%EOF\n")
        .into_bytes()
}

/// The output of the inspection tools and the file itself, as one text to search.
pub fn everything_known(name: &str, bytes: &[u8]) -> String {
    with_file(name, bytes, |path| {
        let path = path.to_str().unwrap();
        let mut all = run("exiftool", &["-a", "-u", "-ee", "-G1", "-x", "System:all", path]);
        if !name.ends_with(".pdf") && !name.ends_with(".webp") {
            all.extend(run("ffprobe", &["-v", "error", "-show_format", "-show_streams", path]));
        }
        all.extend(bytes);
        String::from_utf8_lossy(&all).into_owned()
    })
}
