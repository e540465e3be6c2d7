//! The texts of a leaf's pages: they are needed only to show a result, so they are a file of their own.
//!
//! The file has a magic number, the number of pages, the end of each page's part, and these parts: the sections of a
//! page, compressed on their own, so that a new leaf can take over the parts of the pages that have not changed.

use std::cell::RefCell;

use zstd::bulk::Decompressor;

use crate::bytes::{Reader, put_text, put_u32};
use crate::leaf::MAX_PAGES;
use crate::page::Section;
use crate::{Damaged, page};

/// Changes with the format.
const MAGIC: [u8; 4] = *b"rst1";
const HEADER: usize = 5;
/// Fast: a page takes some microseconds.
const LEVEL: i32 = 1;
/// Bytes of a page's sections, beyond which their texts are not kept.
const MAX_TEXT: usize = 128 * 1024;

thread_local! {
    /// Its memory is larger than most texts, so it is kept for the next one.
    static ZSTD: RefCell<Decompressor<'static>> = RefCell::new(Decompressor::new().expect("it needs only memory"));
}

#[derive(Clone, Copy)]
pub struct Texts<'t> {
    bytes: &'t [u8],
    pages: usize,
}

impl<'t> Texts<'t> {
    pub fn open(bytes: &'t [u8]) -> Result<Texts<'t>, Damaged> {
        let mut reader = Reader::new(bytes);
        let is_texts = reader.array()? == MAGIC;
        let pages = usize::from(reader.byte()?);
        if is_texts && pages <= MAX_PAGES { Ok(Texts { bytes, pages }) } else { Err(Damaged) }
    }

    pub(crate) fn frame(&self, page: usize) -> Result<&'t [u8], Damaged> {
        let end = |page: usize| Reader::at(self.bytes, HEADER + 4 * page)?.u32();
        let from = if page == 0 { 0 } else { end(page - 1)? };
        let frames = self.bytes.get(HEADER + 4 * self.pages..).ok_or(Damaged)?;
        if page >= self.pages {
            return Err(Damaged);
        }
        frames.get(from as usize..end(page)? as usize).ok_or(Damaged)
    }

    pub(crate) fn text(&self, page: usize) -> Result<PageText, Damaged> {
        let frame = self.frame(page)?;
        // As much memory as the text needs: most are far smaller than they may be.
        let size = zstd::zstd_safe::get_frame_content_size(frame).ok().flatten().ok_or(Damaged)?;
        let size = usize::try_from(size).ok().filter(|size| *size <= 2 * MAX_TEXT).ok_or(Damaged)?;
        ZSTD.with_borrow_mut(|zstd| zstd.decompress(frame, size)).map(PageText).map_err(|_| Damaged)
    }
}

/// The sections of a page.
pub(crate) struct PageText(Vec<u8>);

impl PageText {
    pub(crate) fn sections(&self) -> impl Iterator<Item = Result<Section<'_>, Damaged>> {
        let mut reader = Reader::new(&self.0);
        std::iter::from_fn(move || (!reader.is_empty()).then(|| section(&mut reader)))
    }
}

fn section<'t>(reader: &mut Reader<'t>) -> Result<Section<'t>, Damaged> {
    Ok(Section { anchor: reader.text()?, heading: reader.text()?, text: reader.text()? })
}

/// Compresses pages one after the other.
pub(crate) struct Compressor {
    zstd: zstd::bulk::Compressor<'static>,
    bytes: Vec<u8>,
}

impl Compressor {
    pub(crate) fn new() -> Compressor {
        Compressor {
            zstd: zstd::bulk::Compressor::new(LEVEL).expect("the level is valid"),
            bytes: Vec::new(),
        }
    }

    pub(crate) fn frame(&mut self, sections: &[Section<'_>]) -> Vec<u8> {
        self.bytes.clear();
        for section in sections {
            let free = MAX_TEXT.saturating_sub(self.bytes.len());
            let (anchor, heading) = (page::cut(section.anchor, free), page::cut(section.heading, free));
            if anchor.len() < section.anchor.len() || heading.len() < section.heading.len() || free == 0 {
                break;
            }
            put_text(&mut self.bytes, anchor);
            put_text(&mut self.bytes, heading);
            put_text(&mut self.bytes, page::cut(section.text, free));
        }
        self.zstd.compress(&self.bytes).expect("memory for the result is the only need")
    }
}

#[derive(Default)]
pub(crate) struct TextsWriter {
    ends: Vec<usize>,
    frames: Vec<u8>,
}

impl TextsWriter {
    pub(crate) fn put(&mut self, frame: &[u8]) {
        self.frames.extend_from_slice(frame);
        self.ends.push(self.frames.len());
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + 4 * self.ends.len() + self.frames.len());
        bytes.extend(MAGIC);
        bytes.push(self.ends.len() as u8);
        self.ends.iter().for_each(|end| put_u32(&mut bytes, *end));
        bytes.extend_from_slice(&self.frames);
        bytes
    }
}
