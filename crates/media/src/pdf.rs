//! Rewrites a PDF without metadata: only the current document is written, so anything that was changed or deleted in
//! earlier revisions is removed, too. A file that cannot be rewritten without loss is stored unchanged, or rejected.
//!
//! Kept, because they are content: comments with their authors, attached files, and metadata inside images.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};

use lopdf::xref::XrefEntry;
use lopdf::{Document, LoadOptions, Object, Stream};
use memchr::memmem;

use crate::job::Limits;
use crate::{Done, Failure};

/// The file, its objects, and working memory.
const MEMORY_PER_BYTE: u64 = 4;

/// Signs of metadata in a file that cannot be parsed.
const MARKERS: [&[u8]; 4] = [b"/Info", b"/Metadata", b"<?xpacket", b"/PieceInfo"];
/// Entries that are removed from every dictionary.
const METADATA_KEYS: [&[u8]; 3] = [b"Metadata", b"PieceInfo", b"LastModified"];

pub(crate) fn process(mut input: File, output: File, limits: &Limits) -> Result<Done, Failure> {
    let mut output = BufWriter::new(output);
    let length = input.seek(SeekFrom::End(0))?;
    input.rewind()?;
    match read(&mut input, length, limits)? {
        Ok(document) => rewrite(document, &mut output)?,
        Err(reason) => {
            input.rewind()?;
            check_header(&mut input)?;
            input.rewind()?;
            copy_unless_marked(input, &mut output, reason)?;
        }
    }
    output.flush()?;
    Ok(Done { dimensions: None })
}

/// Why a file cannot be rewritten, as a message for the uploader.
type Reason = &'static str;

const ENCRYPTED: Reason = "the PDF is encrypted, so the metadata in it cannot be removed; \
                           please upload it without password and restrictions";
const UNREADABLE: Reason = "the PDF cannot be read, so the metadata in it cannot be removed; \
                            please save or print it as a new PDF";
const TOO_LARGE: Reason = "the PDF is too large for the metadata in it to be removed; please make it smaller";

fn read(input: &mut File, length: u64, limits: &Limits) -> Result<Result<Document, Reason>, Failure> {
    if length > limits.memory / MEMORY_PER_BYTE {
        return Ok(Err(TOO_LARGE));
    }
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes)?;
    let options = LoadOptions {
        max_decompressed_size: Some((limits.memory / MEMORY_PER_BYTE) as usize),
        ..LoadOptions::default()
    };
    Ok(match Document::load_mem_with_options(&bytes, options) {
        // It may have been decrypted on loading, or be an empty shell; neither equals the upload.
        Ok(document) if document.is_encrypted() || document.was_encrypted() => Err(ENCRYPTED),
        Ok(document) if is_whole(&document, &bytes) => Ok(document),
        _ if memmem::find(&bytes, b"/Encrypt").is_some() => Err(ENCRYPTED),
        _ => Err(UNREADABLE),
    })
}

/// The parser skips objects that it does not understand; writing the rest would destroy the document.
fn is_whole(document: &Document, bytes: &[u8]) -> bool {
    let has_pages = document.page_iter().next().is_some();
    let mut objects = document.objects.values();
    has_pages
        && objects.all(|object| refers_to_what_is_there(object, document) && has_its_content(object, bytes))
}

/// To the parser, a stream without a usable length is empty. (It has compared the others with where they end.)
fn has_its_content(object: &Object, bytes: &[u8]) -> bool {
    let Object::Stream(Stream { content, start_position: Some(start), .. }) = object else { return true };
    let rest = start.checked_add(content.len()).and_then(|end| bytes.get(end..));
    rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"endstream"))
}

fn refers_to_what_is_there(object: &Object, document: &Document) -> bool {
    let check = |object: &Object| refers_to_what_is_there(object, document);
    match object {
        Object::Reference(id) => document.objects.contains_key(id) || is_null(id.0, document),
        Object::Array(items) => items.iter().all(check),
        Object::Dictionary(dictionary) => dictionary.iter().all(|(_, value)| check(value)),
        Object::Stream(stream) => stream.dict.iter().all(|(_, value)| check(value)),
        _ => true,
    }
}

/// A reference to a missing object is allowed, and means null; but a reconstructed table may have missed something.
fn is_null(number: u32, document: &Document) -> bool {
    let entry = document.reference_table.get(number);
    let promised = matches!(entry, Some(XrefEntry::Normal { .. } | XrefEntry::Compressed { .. }));
    document.xref_recovery.is_none() && !promised
}

fn rewrite(mut document: Document, output: &mut BufWriter<File>) -> Result<(), Failure> {
    for key in [b"Info".as_slice(), b"ID"] {
        document.trailer.remove(key);
    }
    document.objects.values_mut().for_each(remove_metadata);
    document.prune_objects();
    document.max_id = document.objects.keys().map(|(number, _)| *number).max().unwrap_or(0);
    Ok(document.save_to(output)?)
}

fn remove_metadata(object: &mut Object) {
    match object {
        Object::Array(items) => items.iter_mut().for_each(remove_metadata),
        Object::Dictionary(dictionary) => remove_metadata_from(dictionary),
        Object::Stream(stream) => remove_metadata_from(&mut stream.dict),
        _ => {}
    }
}

fn remove_metadata_from(dictionary: &mut lopdf::Dictionary) {
    for key in METADATA_KEYS {
        dictionary.remove(key);
    }
    dictionary.iter_mut().for_each(|(_, value)| remove_metadata(value));
}

/// Without this check, any file without those signs, such as a photo, would be stored unchanged.
fn check_header(input: &mut File) -> Result<(), Failure> {
    let mut start = Vec::new();
    input.take(64).read_to_end(&mut start)?;
    if start.trim_ascii_start().starts_with(b"%PDF-") {
        return Ok(());
    }
    Err(Failure::refused("this is not a PDF"))
}

/// Copies the file unchanged, if it shows no sign of metadata.
fn copy_unless_marked(mut input: File, output: &mut BufWriter<File>, reason: Reason) -> Result<(), Failure> {
    let overlap = MARKERS.iter().map(|marker| marker.len()).max().unwrap_or(0);
    let (mut block, mut kept) = (vec![0; 256 * 1024], 0);
    loop {
        let count = input.read(&mut block[kept..])?;
        if count == 0 {
            return Ok(());
        }
        output.write_all(&block[kept..kept + count])?;
        let seen = &block[..kept + count];
        if MARKERS.iter().any(|marker| memmem::find(seen, marker).is_some()) {
            return Err(Failure::refused(reason));
        }
        // A marker may span two blocks.
        let from = seen.len().saturating_sub(overlap);
        block.copy_within(from..kept + count, 0);
        kept = (kept + count) - from;
    }
}
