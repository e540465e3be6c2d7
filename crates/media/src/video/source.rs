//! Reads a file a few bytes at a time.

use std::fs::File;
use std::io::{ErrorKind, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use crate::Failure;

pub(super) struct Source<'a> {
    file: &'a File,
    pub(super) length: u64,
}

impl<'a> Source<'a> {
    pub(super) fn new(mut file: &'a File) -> Result<Source<'a>, Failure> {
        // Not from its metadata: the sandbox forbids that system call.
        let length = file.seek(SeekFrom::End(0))?;
        Ok(Source { file, length })
    }

    pub(super) fn read<const N: usize>(&self, at: u64) -> Result<[u8; N], Failure> {
        let mut bytes = [0; N];
        self.fill(at, &mut bytes)?;
        Ok(bytes)
    }

    /// Fills the buffer completely: a file that ends too early is rejected.
    pub(super) fn fill(&self, at: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        self.file.read_exact_at(bytes, at).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => Failure::refused("the video is truncated"),
            _ => error.into(),
        })
    }

    /// Up to `N` bytes, zeros after the end of the file.
    pub(super) fn peek<const N: usize>(&self, at: u64) -> Result<[u8; N], Failure> {
        let mut bytes = [0; N];
        let there = self.length.saturating_sub(at).min(N as u64) as usize;
        self.fill(at, &mut bytes[..there])?;
        Ok(bytes)
    }
}
