//! gzip that is unpacked as it arrives, a small piece at a time, so that a bomb finds no memory to fill.

use std::io::{self, BufRead, ErrorKind, Read};

use bytes::{Buf, Bytes};
use flate2::bufread::MultiGzDecoder;

use super::BodyError;

const PIECE: usize = 64 * 1024;

pub(super) struct Gunzip {
    decoder: MultiGzDecoder<Input>,
    piece: Box<[u8]>,
    begun: bool,
}

pub(super) enum Step {
    Unpacked(Bytes),
    /// It needs the next packed chunk, or to hear that there is none.
    Hungry,
    End,
}

impl Gunzip {
    pub(super) fn new() -> Gunzip {
        let decoder = MultiGzDecoder::new(Input { chunk: Bytes::new(), ended: false });
        Gunzip { decoder, piece: vec![0; PIECE].into(), begun: false }
    }

    /// To be called when hungry.
    pub(super) fn push(&mut self, chunk: Bytes) {
        self.begun |= !chunk.is_empty();
        self.decoder.get_mut().chunk = chunk;
    }

    pub(super) fn end(&mut self) {
        self.decoder.get_mut().ended = true;
    }

    pub(super) fn step(&mut self) -> Result<Step, BodyError> {
        // A request without a body may still name an encoding.
        if !self.begun && self.decoder.get_ref().ended {
            return Ok(Step::End);
        }
        match self.decoder.read(&mut self.piece) {
            Ok(0) => Ok(Step::End),
            Ok(read) => Ok(Step::Unpacked(Bytes::copy_from_slice(&self.piece[..read]))),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(Step::Hungry),
            Err(_) => Err(BodyError::Gzip),
        }
    }
}

/// What the decoder may read now. The decoder can go on after `WouldBlock` wherever it stands.
struct Input {
    chunk: Bytes,
    ended: bool,
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.chunk.is_empty() && !self.ended {
            return Err(ErrorKind::WouldBlock.into());
        }
        Ok(&self.chunk)
    }

    fn consume(&mut self, amount: usize) {
        self.chunk.advance(amount);
    }
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let amount = available.len().min(into.len());
        into[..amount].copy_from_slice(&available[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}
