//! Reads and writes the bytes of the index. Reading is checked: damaged bytes are an error, never a panic.

use crate::Damaged;

/// Reads values from the front of a slice.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes }
    }

    /// Reads from an offset on.
    pub(crate) fn at(bytes: &'b [u8], offset: usize) -> Result<Reader<'b>, Damaged> {
        bytes.get(offset..).map(Reader::new).ok_or(Damaged)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn rest(&self) -> &'b [u8] {
        self.bytes
    }

    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'b [u8], Damaged> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(Damaged)?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (taken, rest) = self.bytes.split_first_chunk().ok_or(Damaged)?;
        self.bytes = rest;
        Ok(*taken)
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, Damaged> {
        let (byte, rest) = self.bytes.split_first().ok_or(Damaged)?;
        self.bytes = rest;
        Ok(*byte)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Damaged> {
        self.array().map(u32::from_le_bytes)
    }

    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u32, Damaged> {
        let mut value = 0;
        for shift in (0..28).step_by(7) {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Damaged)
    }

    pub(crate) fn text(&mut self) -> Result<&'b str, Damaged> {
        std::str::from_utf8(self.unchecked_text()?).map_err(|_| Damaged)
    }

    /// The bytes of a text, which may be damaged.
    pub(crate) fn unchecked_text(&mut self) -> Result<&'b [u8], Damaged> {
        let length = self.varint()? as usize;
        self.take(length)
    }
}

pub(crate) fn put_u32(bytes: &mut Vec<u8>, value: usize) {
    // A leaf has at most 64 pages, whose terms and texts are bounded.
    bytes.extend_from_slice(&u32::try_from(value).expect("a leaf is smaller than 4 GB").to_le_bytes());
}

/// At most 28 bits.
pub(crate) fn put_varint(bytes: &mut Vec<u8>, mut value: u32) {
    debug_assert!(value < 1 << 28);
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_varint(bytes, text.len() as u32);
    bytes.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut bytes = Vec::new();
        put_u32(&mut bytes, 7);
        [0, 127, 128, 16_384, (1 << 28) - 1].into_iter().for_each(|value| put_varint(&mut bytes, value));
        put_text(&mut bytes, "é");
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.u32(), Ok(7));
        for value in [0, 127, 128, 16_384, (1 << 28) - 1] {
            assert_eq!(reader.varint(), Ok(value));
        }
        assert_eq!(reader.text(), Ok("é"));
        assert!(reader.is_empty());
    }

    #[test]
    fn bytes_that_end_early_are_damaged() {
        assert_eq!(Reader::new(&[1, 2, 3]).u32(), Err(Damaged));
        assert_eq!(Reader::new(&[0x80; 9]).varint(), Err(Damaged));
        assert_eq!(Reader::new(&[2, b'a']).text(), Err(Damaged));
        assert_eq!(Reader::new(&[1, 0xff]).text(), Err(Damaged));
        assert!(Reader::at(&[1], 2).is_err());
    }
}
