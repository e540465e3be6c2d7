//! MP4 and QuickTime: a box that playback does not need becomes `free`, filled with zeros.

mod atom;
mod rules;
mod samples;
mod totals;

use std::ops::Range;

use atom::{Atom, Atoms, Type};
use totals::Totals;

use super::edits::Edits;
use super::source::Source;
use crate::Failure;

/// The changes to make, and the dimensions of the first video track.
pub(super) fn plan(source: &Source) -> Result<(Edits, Option<(u32, u32)>), Failure> {
    let mut cleaner = Cleaner {
        atoms: Atoms::new(source),
        edits: Edits::default(),
        media: Vec::new(),
        removed: Vec::new(),
        handler: Type::default(),
        fragmented: false,
        shows_something: false,
        dimensions: None,
        totals: Totals::default(),
    };
    cleaner.file()?;
    if !cleaner.shows_something {
        return Err(Failure::refused("the video has no picture and no sound, or its header is damaged"));
    }
    cleaner.totals.check(&cleaner.media)?;
    cleaner.removed_samples()?;
    Ok((cleaner.edits, cleaner.dimensions))
}

struct Cleaner<'a> {
    atoms: Atoms<'a>,
    edits: Edits,
    /// The bodies of `mdat`.
    media: Vec<Range<u64>>,
    /// Bodies of removed tracks, whose samples are removed, too.
    removed: Vec<Range<u64>>,
    /// The handler type of the current track.
    handler: Type,
    fragmented: bool,
    /// A track is kept. Otherwise all media would be zeroed: a damaged header can look like that.
    shows_something: bool,
    dimensions: Option<(u32, u32)>,
    totals: Totals,
}

impl Cleaner<'_> {
    fn file(&mut self) -> Result<(), Failure> {
        let (mut at, end, mut movie) = (0, self.atoms.source.length, false);
        while at < end {
            let atom = match self.atoms.one(at, end) {
                Ok(atom) => atom,
                Err(error) if !movie => return Err(error),
                // Some cameras append metadata to the video.
                Err(_) => {
                    self.tail(at..end);
                    return Ok(());
                }
            };
            at = atom.body.end;
            match &atom.kind {
                b"mdat" | b"imda" => self.media.push(atom.body),
                b"moov" | b"moof" => {
                    movie |= &atom.kind == b"moov";
                    self.children(&atom)?;
                }
                _ => self.keep_or_free(b"file", &atom)?,
            }
        }
        if movie {
            Ok(())
        } else {
            Err(Failure::refused("this is not an MP4 or MOV video: it has no movie header"))
        }
    }

    /// A last box that extends to the end of the file, whatever its size.
    fn tail(&mut self, range: Range<u64>) {
        if range.end - range.start >= 8 {
            self.edits.put(range.start + 4, &b"free"[..]);
        }
        self.edits.zero(range);
    }

    fn children(&mut self, parent: &Atom) -> Result<(), Failure> {
        let (atoms, rest) = self.atoms.all(parent.body.clone())?;
        self.edits.zero(rest);
        if &parent.kind == b"moov" {
            self.fragmented = atoms.iter().any(|atom| &atom.kind == b"mvex");
        }
        atoms.iter().try_for_each(|atom| self.child(&parent.kind, atom))
    }

    fn child(&mut self, parent: &Type, atom: &Atom) -> Result<(), Failure> {
        match (parent, &atom.kind) {
            (b"moov", b"trak") => self.track(atom),
            (b"moov", b"cmov") => {
                Err(Failure::refused("the video's header is compressed, which is not supported"))
            }
            (b"moov", b"mvhd") | (b"trak", b"tkhd") | (b"mdia", b"mdhd") => self.header(atom),
            (b"mdia" | b"minf", b"hdlr") => self.handler_name(atom),
            (b"dinf", b"dref") => self.data_references(atom),
            (b"stbl", b"stsd") => self.sample_descriptions(atom),
            // These are kept, and counted.
            (b"stbl", b"stsz" | b"stz2") => self.totals.add_sizes(self.atoms.source, atom),
            (b"mvex", b"trex") => self.totals.add_default(self.atoms.source, atom),
            (b"moof", b"traf") => {
                self.totals.add_fragment(&mut self.atoms, atom)?;
                self.children(atom)
            }
            (b"tmcd", b"tcmi") => {
                // The name of a font.
                self.zero_from(atom, 24);
                Ok(())
            }
            (b"moov", b"mvex")
            | (b"trak", b"edts" | b"mdia")
            | (b"mdia", b"minf")
            | (b"minf", b"gmhd" | b"dinf" | b"stbl")
            | (b"gmhd", b"tmcd") => self.children(atom),
            _ => self.keep_or_free(parent, atom),
        }
    }

    fn keep_or_free(&mut self, parent: &Type, atom: &Atom) -> Result<(), Failure> {
        let kept = match &atom.kind {
            b"uuid" => rules::keeps_uuid(&self.atoms.source.peek(atom.body.start)?),
            kind => rules::keeps(parent, kind),
        };
        if !kept {
            self.free(atom);
        }
        Ok(())
    }

    fn free(&mut self, atom: &Atom) {
        self.edits.put(atom.at + 4, &b"free"[..]);
        self.edits.zero(atom.body.clone());
    }

    fn zero_from(&mut self, atom: &Atom, offset: u64) {
        self.edits.zero(atom.body.start + offset..atom.body.end);
    }

    fn track(&mut self, track: &Atom) -> Result<(), Failure> {
        self.handler = match self.atoms.find(&track.body, &[b"mdia", b"hdlr"])? {
            Some(handler) => self.atoms.source.read(handler.start + 8)?,
            None => Type::default(),
        };
        let descriptions = self.atoms.find(&track.body, &[b"mdia", b"minf", b"stbl", b"stsd"])?;
        // Version, flags, count; then the first description's size and type.
        let codec = match descriptions {
            Some(body) => self.atoms.source.peek(body.start + 12)?,
            None => Type::default(),
        };
        if rules::is_shown(&self.handler, &codec) {
            self.shows_something = true;
            return self.children(track);
        }
        if self.fragmented {
            return Err(Failure::refused(
                "the video has a metadata track (such as positions) in fragments, which cannot be removed; \
                 please export it without",
            ));
        }
        self.removed.push(track.body.clone());
        self.free(track);
        Ok(())
    }

    /// Only once all media data is known: a sample table must not cause anything else to be zeroed.
    fn removed_samples(&mut self) -> Result<(), Failure> {
        for track in std::mem::take(&mut self.removed) {
            let Some(table) = self.atoms.find(&track, &[b"mdia", b"minf", b"stbl"])? else { continue };
            for chunk in samples::chunks(&mut self.atoms, &table)? {
                // In file order.
                let before = self.media.partition_point(|media| media.start <= chunk.start);
                if before == 0 || self.media[before - 1].end < chunk.end {
                    return Err(Failure::refused(
                        "the video's metadata track refers to data outside of its media",
                    ));
                }
                self.edits.zero(chunk);
            }
        }
        Ok(())
    }

    /// `mvhd`, `tkhd`, `mdhd`: creation and modification dates, of 4 or 8 bytes, follow version and flags.
    fn header(&mut self, atom: &Atom) -> Result<(), Failure> {
        let [version, ..]: [u8; 4] = self.atoms.source.peek(atom.body.start)?;
        let (dates, matrix) = if version == 1 { (16, 52) } else { (8, 40) };
        let dates = atom.body.start + 4..atom.body.start + 4 + dates;
        if dates.end > atom.body.end {
            return Err(Failure::refused("the video's structure is damaged"));
        }
        self.edits.zero(dates);
        let matrix = atom.body.start + matrix;
        if &atom.kind == b"tkhd" && &self.handler == b"vide" && matrix + 44 <= atom.body.end {
            self.dimensions = self.dimensions.or(self.shown_size(matrix)?);
        }
        Ok(())
    }

    /// The matrix of nine numbers, then width and height, each with a fraction of 16 bits.
    fn shown_size(&self, matrix: u64) -> Result<Option<(u32, u32)>, Failure> {
        let fields: [u8; 44] = self.atoms.source.read(matrix)?;
        let field = |index: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| fields[index * 4 + byte]));
        let (width, height) = (field(9) >> 16, field(10) >> 16);
        if width == 0 || height == 0 {
            return Ok(None);
        }
        let on_its_side = field(0) == 0 && field(4) == 0;
        Ok(Some(if on_its_side { (height, width) } else { (width, height) }))
    }

    /// Version, flags, class and type stay; the manufacturer of the component and its name are removed.
    fn handler_name(&mut self, atom: &Atom) -> Result<(), Failure> {
        if atom.body.end - atom.body.start < 20 {
            return Err(Failure::refused("the video's structure is damaged"));
        }
        self.zero_from(atom, 12);
        Ok(())
    }

    /// The location of media data outside this file: a path on the author's disk.
    fn data_references(&mut self, atom: &Atom) -> Result<(), Failure> {
        let start = (atom.body.start + 8).min(atom.body.end);
        let (references, rest) = self.atoms.all(start..atom.body.end)?;
        self.edits.zero(rest);
        // Version and flags stay.
        references.iter().for_each(|reference| self.zero_from(reference, 4));
        Ok(())
    }

    fn sample_descriptions(&mut self, atom: &Atom) -> Result<(), Failure> {
        let start = (atom.body.start + 8).min(atom.body.end);
        let (descriptions, _) = self.atoms.all(start..atom.body.end)?;
        descriptions.iter().try_for_each(|description| self.sample_description(&description.body))
    }

    fn sample_description(&mut self, body: &Range<u64>) -> Result<(), Failure> {
        let fields = match &self.handler {
            b"vide" | b"auxv" => 78,
            b"soun" => match self.atoms.source.peek(body.start + 8)? {
                [0, 1] => 44,
                [0, 2] => 64,
                _ => 28,
            },
            b"tmcd" => 26,
            _ => return Ok(()),
        };
        if body.end - body.start < fields {
            return Ok(());
        }
        if fields == 78 {
            // The compressor's name.
            self.edits.zero(body.start + 42..body.start + 74);
        }
        // The rest depends on the codec, and does not always consist of boxes.
        let Ok((extensions, _)) = self.atoms.all(body.start + fields..body.end) else { return Ok(()) };
        for extension in extensions {
            match &extension.kind {
                b"udta" | b"meta" | b"name" | b"free" | b"skip" => self.free(&extension),
                b"uuid" => self.keep_or_free(b"stsd", &extension)?,
                _ => {}
            }
        }
        Ok(())
    }
}
