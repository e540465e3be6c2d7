//! Images, decoded and encoded by a child in its sandbox.

use media::{Done, Failure, Job, Kind, Workshop, WorkshopSettings};

use crate::tools::{PICTURES, SETTINGS, contains, ffmpeg, process, program, run};

#[test]
fn an_image_of_each_format_becomes_webp_without_its_metadata() {
    let directory = tempfile::tempdir().unwrap();
    for extension in ["jpg", "png", "gif", "webp"] {
        let path = directory.path().join(format!("picture.{extension}"));
        let name = path.to_str().unwrap();
        ffmpeg(&format!("{PICTURES} -frames:v 3 -update 1 {name}"));
        run("exiftool", &["-overwrite_original", "-XMP-dc:Creator=SECRET", name]);
        let (done, output) = process(&path, Kind::Image).unwrap();
        assert_eq!(done, Done { dimensions: Some((64, 48)) }, "{extension}");
        let bytes = std::fs::read(&output).unwrap();
        assert!(bytes.starts_with(b"RIFF") && !contains(&bytes, b"SECRET"), "{extension}");
    }
}

#[test]
fn what_is_no_image_is_refused_in_words() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("picture.png");
    for content in ["", "a text", "GIF89a"] {
        std::fs::write(&path, content).unwrap();
        let done = process(&path, Kind::Image);
        assert!(matches!(&done, Err(Failure::Refused(message)) if message.contains("image")), "{done:?}");
    }
}

#[test]
fn an_image_that_takes_too_much_memory_costs_only_itself() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("picture.png");
    ffmpeg(&format!("-f lavfi -i color=size=6000x6000 -frames:v 1 {}", path.display()));
    let workshop = Workshop::new(program(), WorkshopSettings { memory: 100 << 20, ..SETTINGS });
    let job = Job { kind: Kind::Image, input: path, output: directory.path().join("output") };
    let done = workshop.process(&job);
    assert!(matches!(done, Err(Failure::Refused(_))), "{done:?}");
}
