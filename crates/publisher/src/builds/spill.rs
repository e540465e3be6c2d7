//! Parts of a leaf that wait in a file until the leaf is complete.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use search::Files;
use tempfile::TempDir;

/// Deleted when dropped.
pub(super) struct Spill {
    file: File,
    /// The lengths of the terms and the texts of each part.
    lengths: Vec<[usize; 2]>,
    _directory: TempDir,
}

impl Spill {
    pub(super) fn new(directory: TempDir) -> io::Result<Spill> {
        let options = File::options().read(true).write(true).create_new(true).to_owned();
        let file = options.open(directory.path().join("leaf"))?;
        Ok(Spill { file, lengths: Vec::new(), _directory: directory })
    }

    pub(super) fn add(&mut self, parts: &[Files]) -> io::Result<()> {
        for Files { terms, texts } in parts {
            self.file.write_all(terms)?;
            self.file.write_all(texts)?;
            self.lengths.push([terms.len(), texts.len()]);
        }
        Ok(())
    }

    /// The number of parts.
    pub(super) fn len(&self) -> usize {
        self.lengths.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.lengths.iter().flatten().sum()
    }

    pub(super) fn read(mut self) -> io::Result<Vec<Files>> {
        self.file.rewind()?;
        let mut next = |length: usize| {
            let mut bytes = vec![0; length];
            self.file.read_exact(&mut bytes).map(|()| bytes)
        };
        let files = |[terms, texts]: &[usize; 2]| Ok(Files { terms: next(*terms)?, texts: next(*texts)? });
        self.lengths.iter().map(files).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_were_written() {
        let part = |byte: u8, length| Files { terms: vec![byte; length], texts: vec![!byte; length / 2] };
        let parts = [part(1, 10), part(2, 0), part(3, 100_000)];
        let mut spill = Spill::new(tempfile::tempdir().unwrap()).unwrap();
        spill.add(&parts[..2]).unwrap();
        spill.add(&parts[2..]).unwrap();
        assert_eq!((spill.len(), spill.bytes()), (3, 150_015));
        assert_eq!(spill.read().unwrap(), parts);
    }
}
