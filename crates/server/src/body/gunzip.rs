//! Decompresses gzip as it arrives, in small pieces: a decompression bomb cannot fill the memory.

use std::io::{self, BufRead, ErrorKind, Read};

use bytes::{Buf, Bytes};
use flate2::bufread::MultiGzDecoder;

use super::BodyError;

const PIECE_BYTES: usize = 64 * 1024;

pub(super) struct Gunzip {
    decoder: MultiGzDecoder<Input>,
    piece: Box<[u8]>,
    begun: bool,
}

pub(super) enum Step {
    Output(Bytes),
    /// Call `push` with the next compressed chunk, or `end`.
    NeedsInput,
    End,
}

impl Gunzip {
    pub(super) fn new() -> Gunzip {
        let decoder = MultiGzDecoder::new(Input { chunk: Bytes::new(), ended: false });
        Gunzip { decoder, piece: vec![0; PIECE_BYTES].into(), begun: false }
    }

    /// Only after `Step::NeedsInput`.
    pub(super) fn push(&mut self, chunk: Bytes) {
        self.begun |= !chunk.is_empty();
        self.decoder.get_mut().chunk = chunk;
    }

    pub(super) fn end(&mut self) {
        self.decoder.get_mut().ended = true;
    }

    pub(super) fn step(&mut self) -> Result<Step, BodyError> {
        // A request without a body may still have a Content-Encoding header.
        if !self.begun && self.decoder.get_ref().ended {
            return Ok(Step::End);
        }
        match self.decoder.read(&mut self.piece) {
            Ok(0) => Ok(Step::End),
            Ok(read) => Ok(Step::Output(Bytes::copy_from_slice(&self.piece[..read]))),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(Step::NeedsInput),
            Err(_) => Err(BodyError::Gzip),
        }
    }
}

/// The decoder's input. The decoder can resume after `WouldBlock` at any point.
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
