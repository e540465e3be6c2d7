//! Removing metadata and old revisions from PDF.

use std::io::Write;
use std::path::{Path, PathBuf};

use media::{Failure, Job, MediaKind, WorkerPool, WorkerPoolSettings};

use crate::tools::{SETTINGS, contains, process, program, run};

const SECRET: &str = "SECRET";

/// Numbered objects, written verbatim, and their cross-reference table.
struct Pdf {
    bytes: Vec<u8>,
    last_table: usize,
    /// One more than the highest number.
    size: u32,
}

impl Pdf {
    fn new() -> Pdf {
        Pdf { bytes: b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec(), last_table: 0, size: 1 }
    }

    /// One revision: objects, their table, a trailer.
    fn revision(mut self, objects: &[(u32, Vec<u8>)], trailer: &str) -> Pdf {
        let mut table = String::from("xref\n0 1\n0000000000 65535 f \n");
        for (number, body) in objects {
            self.size = self.size.max(number + 1);
            table += &format!("{number} 1\n{:010} 00000 n \n", self.bytes.len());
            writeln!(self.bytes, "{number} 0 obj").unwrap();
            self.bytes.extend_from_slice(body);
            self.bytes.extend_from_slice(b"\nendobj\n");
        }
        let previous = if self.last_table > 0 { format!("/Prev {}", self.last_table) } else { String::new() };
        self.last_table = self.bytes.len();
        let (size, start) = (self.size, self.last_table);
        writeln!(
            self.bytes,
            "{table}trailer\n<</Size {size}/Root 1 0 R{previous}{trailer}>>\nstartxref\n{start}\n%%EOF"
        )
        .unwrap();
        self
    }
}

fn stream(dictionary: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<<{dictionary}/Length {}>>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

fn text(words: &str) -> Vec<u8> {
    stream("", format!("BT /F1 24 Tf 20 100 Td ({words}) Tj ET").as_bytes())
}

fn pages(words: &str) -> Vec<(u32, Vec<u8>)> {
    vec![
        (1, b"<</Type/Catalog/Pages 2 0 R>>".to_vec()),
        (2, b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec()),
        (
            3,
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>".to_vec(),
        ),
        (4, text(words)),
        (5, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec()),
    ]
}

/// A page with metadata in all the usual places, and an earlier revision with other content.
fn document(directory: &Path) -> PathBuf {
    let mut objects = pages("SECRET-draft");
    objects[0].1 =
        b"<</Type/Catalog/Pages 2 0 R/Metadata 6 0 R/PieceInfo<</Editor<</Private(SECRET-piece)>>>>>>"
            .to_vec();
    objects[2].1 = [
        &objects[2].1[..objects[2].1.len() - 2],
        b"/LastModified(D:20240506070809Z)/Metadata 6 0 R/Annots[<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Metadata 6 0 R>>]>>",
    ]
    .concat();
    objects.push((
        6,
        stream("/Type/Metadata/Subtype/XML", b"<?xpacket begin=''?><x:xmpmeta>SECRET-xmp</x:xmpmeta>"),
    ));
    objects.push((
        7,
        b"<</Author(SECRET-author)/Producer(SECRET-producer)/CreationDate(D:20240506070809Z)>>".to_vec(),
    ));
    let pdf = Pdf::new()
        .revision(&objects, "/Info 7 0 R/ID[<5345435245542d6964><5345435245542d6964>]")
        .revision(&[(4, text("Hello reader")), (8, b"(SECRET-orphan)".to_vec())], "/Info 7 0 R");
    let path = directory.join("document.pdf");
    std::fs::write(&path, pdf.bytes).unwrap();
    path
}

fn words(path: &Path) -> String {
    String::from_utf8(run("pdftotext", &[path.to_str().unwrap(), "-"])).unwrap()
}

fn check_cleaned(path: &Path) {
    let before = words(path);
    let (_, output) = process(path, MediaKind::Pdf).unwrap();
    run("qpdf", &["--check", output.to_str().unwrap()]);
    assert_eq!(words(&output), before);
    // Also in compressed streams.
    let plain = output.with_extension("plain.pdf");
    run("qpdf", &["--qdf", "--object-streams=disable", output.to_str().unwrap(), plain.to_str().unwrap()]);
    for file in [&output, &plain] {
        let bytes = std::fs::read(file).unwrap();
        for planted in
            [SECRET, "5345435245", "20240506", "xpacket", "/Metadata", "/PieceInfo", "/LastModified", "/Info"]
        {
            assert!(!contains(&bytes, planted.as_bytes()), "{planted} is still in {}", file.display());
        }
    }
    let known = run("exiftool", &["-a", "-u", "-ee", output.to_str().unwrap()]);
    assert!(!contains(&known, SECRET.as_bytes()) && !contains(&known, b"2024:05:06"));
}

#[test]
fn a_document_loses_metadata_and_old_revisions_and_keeps_its_text() {
    let directory = tempfile::tempdir().unwrap();
    let path = document(directory.path());
    assert_eq!(words(&path).trim(), "Hello reader");
    check_cleaned(&path);
}

#[test]
fn so_does_a_document_with_compressed_objects() {
    let directory = tempfile::tempdir().unwrap();
    let (path, packed) = (document(directory.path()), directory.path().join("packed.pdf"));
    for options in [&["--object-streams=generate"][..], &["--object-streams=generate", "--linearize"]] {
        run("qpdf", &[options, &[path.to_str().unwrap(), packed.to_str().unwrap()]].concat());
        check_cleaned(&packed);
    }
}

fn encrypted(path: &Path, user_password: &str) -> PathBuf {
    let output = path.with_extension("encrypted.pdf");
    let passwords = ["--encrypt", user_password, "owner", "256", "--"];
    run("qpdf", &[&passwords[..], &[path.to_str().unwrap(), output.to_str().unwrap()]].concat());
    output
}

#[test]
fn an_encrypted_document_with_metadata_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = document(directory.path());
    for user_password in ["user", ""] {
        let Err(Failure::Refused(message)) = process(&encrypted(&path, user_password), MediaKind::Pdf) else {
            panic!()
        };
        assert!(message.contains("is encrypted") && message.contains("without password"), "{message}");
    }
}

#[test]
fn an_encrypted_document_without_metadata_is_kept_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bare.pdf");
    std::fs::write(&path, Pdf::new().revision(&pages("Hello"), "").bytes).unwrap();
    let path = encrypted(&path, "user");
    let (_, output) = process(&path, MediaKind::Pdf).unwrap();
    assert!(std::fs::read(output).unwrap() == std::fs::read(path).unwrap());
}

#[test]
fn an_unreadable_file_is_kept_unless_it_shows_signs_of_metadata() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("odd.pdf");
    let filler = vec![b'x'; 256 * 1024 - 3];
    let check = |bytes: &[u8], kept: bool| {
        std::fs::write(&path, bytes).unwrap();
        match process(&path, MediaKind::Pdf) {
            Ok((_, output)) => assert!(kept && std::fs::read(output).unwrap() == bytes),
            Err(Failure::Refused(message)) => {
                assert!(!kept && message.contains("cannot be read"), "{message}")
            }
            other => panic!("{other:?}"),
        }
    };
    check(b"%PDF-1.4 and no more", true);
    check(b"\n%PDF-1.4 and no more", true);
    check(&[b"%PDF-1.7\n", &filler[..], b"harmless", &filler].concat(), true);
    for marker in ["/Info", "/Metadata", "<?xpacket", "/PieceInfo"] {
        check(format!("%PDF-1.4 {marker}").as_bytes(), false);
        check(&[b"%PDF-", &filler[..filler.len() - 5], marker.as_bytes(), &filler].concat(), false);
    }
    // If an object is not where the table says, the file is stored unchanged instead of without the object.
    let mut broken = Pdf::new().revision(&pages("Hello"), "").bytes;
    let object = broken.windows(7).position(|window| window == b"4 0 obj").unwrap();
    broken[object..object + 7].copy_from_slice(b"4 0 off");
    check(&broken, true);
}

#[test]
fn a_file_that_is_not_a_pdf_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("photo.pdf");
    let photo = [b"\xFF\xD8\xFF\xE1\0\x20Exif\0\0II*\0 camera of somebody".as_slice(), &[7; 2000]].concat();
    let hidden = [&photo[..], b"%PDF-1.4"].concat();
    for bytes in [b"".as_slice(), b"a text", b"%PD", &photo, &hidden] {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(process(&path, MediaKind::Pdf).unwrap_err(), Failure::Refused("this is not a PDF".into()));
    }
}

#[test]
fn a_stream_with_an_unusable_length_does_not_become_blank() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("odd.pdf");
    let content = b"BT /F1 24 Tf 20 100 Td (Hello reader) Tj ET";
    let with_length = |length: &str, trailer: &str| {
        let mut objects = pages("");
        objects[3].1 =
            [format!("<<{length}>>\nstream\n").as_bytes(), content.as_slice(), b"\nendstream"].concat();
        std::fs::write(&path, Pdf::new().revision(&objects, trailer).bytes).unwrap();
        process(&path, MediaKind::Pdf)
    };
    // Missing, useless, of another type, in an object that is missing or not a number, in one that is.
    let unusable = ["", "/Length/None", "/Length(43)", "/Length 9 0 R", "/Length 5 0 R", "/Length null"];
    for length in unusable {
        let (_, output) = with_length(length, "").unwrap();
        assert!(
            std::fs::read(&output).unwrap() == std::fs::read(&path).unwrap(),
            "{length} is kept as it is"
        );
        let message = with_length(length, "/Info<</Author(SECRET)>>").unwrap_err().to_string();
        assert!(message.contains("cannot be read"), "{length}: {message}");
    }
    // Wrong, but its end is unambiguous.
    for length in ["/Length 0", "/Length 7", "/Length 44", "/Length 43.0"] {
        let (_, output) = with_length(length, "/Info<</Author(SECRET)>>").unwrap();
        assert_eq!(words(&output).trim(), "Hello reader", "{length}");
        assert!(!contains(&std::fs::read(&output).unwrap(), SECRET.as_bytes()), "{length}");
    }
}

#[test]
fn a_decompression_bomb_costs_no_memory() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("bomb.pdf"), directory.path().join("output.pdf"));
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(b"9 0 (").unwrap();
    for _ in 0..100 {
        packer.write_all(&[b'x'; 1024 * 1024]).unwrap();
    }
    let mut objects = pages("Hello");
    objects.push((6, stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", &packer.finish().unwrap())));
    std::fs::write(&input, Pdf::new().revision(&objects, "").bytes).unwrap();
    // It contains nothing of the document, so it is left out.
    let pool = WorkerPool::new(program(), WorkerPoolSettings { memory: 48 << 20, ..SETTINGS });
    pool.process(&Job { kind: MediaKind::Pdf, input, output: output.clone() }).unwrap();
    assert_eq!(words(&output).trim(), "Hello");
    assert!(std::fs::metadata(&output).unwrap().len() < 10_000);
}

#[test]
fn damage_does_no_harm() {
    let directory = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(document(directory.path())).unwrap();
    let path = directory.path().join("damaged.pdf");
    for cut in (0..bytes.len()).step_by(97) {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        if let Err(Failure::Internal(message)) = process(&path, MediaKind::Pdf) {
            panic!("cut at {cut}: {message}");
        }
    }
}
