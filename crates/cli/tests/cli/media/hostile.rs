//! Malicious names and files do no harm, and the next upload works.

use std::io::Write;

use flate2::{Compress, Compression, FlushCompress};
use serde_json::json;

use crate::harness::recto::Recto;
use crate::media::files::{gif, image, video};
use crate::media::forms::Form;

const HOST: &str = "acme.localhost";

#[test]
fn hostile_names_become_clean_ones() {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    let long = format!("{}.txt", "a".repeat(1000));
    let long_stored = format!("{}.txt", "a".repeat(80));
    for (sent, stored) in [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("/etc/passwd.txt", "passwd.txt"),
        ("C:\\Windows\\system.txt", "system.txt"),
        ("%2e%2e%2f%2e%2e%2fetc.txt", "2e-2e-2f-2e-2e-2fetc.txt"),
        ("..", ""),
        ("...txt", "file.txt"),
        (".txt", "file.txt"),
        ("a\0b\u{1}\u{7f}.txt", "a-b.txt"),
        ("a\r\nSet-Cookie: b.txt", "a-set-cookie-b.txt"),
        ("a\"; filename=\"b.exe\".txt", "a-filename-b-exe.txt"),
        ("\u{202e}txt.exe.txt", "txt-exe.txt"),
        ("<script>alert(1)<script>.txt", "script-alert-1-script.txt"),
        ("🦀.txt", "crab.txt"),
        ("Приложение.TXT", "prilozhenie.txt"),
        (&long, &long_stored),
    ] {
        // As browsers send them, and as others do: `filename*=UTF-8''…`.
        let forms = [Form::default().file(sent, b"bytes"), Form::default().file_in_percent(sent, b"bytes")];
        let has_controls = sent.contains(|char: char| char.is_ascii_control() && !"\r\n".contains(char));
        for (form, is_refused) in
            forms.into_iter().zip([has_controls || stored.is_empty(), stored.is_empty()])
        {
            let answer = server.send_form("/media", &account, form);
            if is_refused {
                answer.expect(400);
                continue;
            }
            let item = answer.expect(200);
            assert_eq!(item["filename"], stored, "{sent:?}");
            assert_eq!(server.download(HOST, item["url"].as_str().unwrap()), b"bytes", "{sent:?}");
        }
    }
    let longer = format!("{}.txt", "a".repeat(4096));
    let refused = server.send_file(&account, &longer, b"bytes").expect(400);
    assert!(refused["message"].as_str().unwrap().contains("filename"), "{refused}");
    assert_eq!((recto.storage_used(&account), recto.objects().len()), (5, 1));
    // Nothing was written outside the data directory.
    let entries: Vec<_> = std::fs::read_dir(recto.path_next_to_data(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(entries, ["data"]);
}

/// A page refers to a file by the name that was sent.
#[test]
fn a_page_refers_to_a_hostile_name_as_it_stands() {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    for name in ["../../etc/passwd.txt", "a b (c).txt", "🦀 é.txt", "%2e%2e.txt", "a\"b'.txt"] {
        let content = format!("[it](<file:{name}>)");
        let form = Form::default()
            .file(name, b"bytes")
            .payload(&json!({ "pages": [{ "title": "A page", "content": content }] }));
        let answer = server.send_form("/pages", &account, form).expect(200);
        assert_eq!(answer["media"][0]["filename"], name);
    }
}

#[test]
fn hostile_files_are_refused_and_the_next_one_is_taken() {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    let (photo, drawing, video) = (image("photo.jpg"), image("drawing.png"), video("video.mp4"));
    let hostile: Vec<(&str, Vec<u8>, &str)> = vec![
        ("vast.png", vast_png(), "megapixels"),
        ("claims.jpg", claiming_jpeg(&photo), "100 megapixels in"),
        ("repeated.mov", repeating_film(), "more media than the file has"),
        ("moving.gif", gif(501), "frames"),
        ("half.png", drawing[..drawing.len() / 2].to_vec(), ""),
        ("beginning.jpg", photo[..100].to_vec(), ""),
        ("half.mp4", video[..video.len() / 2].to_vec(), ""),
        ("bomb.pdf", pdf_bomb(), "PDF"),
        ("photo.pdf", photo.clone(), "this is not a PDF"),
        ("noise.pdf", noise(), "this is not a PDF"),
        ("noise.png", noise(), ""),
        ("noise.jpg", noise(), ""),
        ("noise.gif", noise(), ""),
        ("noise.webp", noise(), ""),
        ("noise.mp4", noise(), ""),
        ("noise.webm", noise(), ""),
        ("noise.mov", noise(), ""),
    ];
    for (name, bytes, words) in hostile {
        let refused = server.send_file(&account, name, &bytes).expect(400);
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains(&format!("{name:?}")) && message.contains(words), "{refused}");
        server.send_file(&account, "photo.jpg", &photo).expect(200);
    }
    assert_eq!(recto.media("acme").len(), 1);
    // Bytes that no parser reads and that reveal nothing are kept.
    let unreadable = [b"%PDF-1.7\n".to_vec(), noise()].concat();
    let url = server.keep_file(&account, "noise.pdf", &unreadable);
    assert!(server.download(HOST, &url) == unreadable);
    let log = server.stop();
    assert!(!log.contains("panicked") && !log.contains("ERROR"), "{log}");
}

/// Always the same bytes, in no known format.
fn noise() -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..10_000).map(|_| next()).collect()
}

/// 64 × 48 pixels that claim to be 100,000 × 100,000.
fn vast_png() -> Vec<u8> {
    let mut png = image("small.png");
    for side in [16..20, 20..24] {
        png[side].copy_from_slice(&100_000u32.to_be_bytes());
    }
    let mut checksum = flate2::Crc::new();
    checksum.update(&png[12..29]);
    png[29..33].copy_from_slice(&checksum.sum().to_be_bytes());
    png
}

/// The photo, claiming to have 10,000 × 10,000 pixels.
fn claiming_jpeg(photo: &[u8]) -> Vec<u8> {
    let mut jpeg = photo.to_vec();
    // Marker, length, bits; then height and width.
    let frame = jpeg.windows(2).position(|marker| marker == [0xFF, 0xC0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0x27, 0x10, 0x27, 0x10]);
    jpeg
}

/// A video whose samples all have the same megabytes.
fn repeating_film() -> Vec<u8> {
    let mut video = video("phone.mov");
    let sizes = video.windows(4).position(|kind| kind == b"stsz").unwrap();
    video[sizes + 8..sizes + 12].copy_from_slice(&5_000_000_u32.to_be_bytes());
    video
}

/// A few kilobytes that decompress to six gigabytes.
fn pdf_bomb() -> Vec<u8> {
    // A flushed block refers to nothing before it, so it can be repeated.
    let mut packer = Compress::new(Compression::fast(), true);
    let (mut start, mut block) = (Vec::with_capacity(1 << 10), Vec::with_capacity(1 << 20));
    packer.compress_vec(b"9 0 (", &mut start, FlushCompress::Full).unwrap();
    packer.compress_vec(&vec![b'x'; 64 << 20], &mut block, FlushCompress::Full).unwrap();
    let packed = [start, block.repeat(96)].concat();
    let mut pdf = b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n\
        2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n7 0 obj\n<</Author(SECRET)>>\nendobj\n"
        .to_vec();
    write!(pdf, "6 0 obj\n<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length {}>>\nstream\n", packed.len())
        .unwrap();
    pdf.extend(packed);
    pdf.extend_from_slice(
        b"\nendstream\nendobj\ntrailer\n<</Size 8/Root 1 0 R/Info 7 0 R>>\nstartxref\n0\n%%EOF\n",
    );
    pdf
}
