//! A running sum of a file's bytes that can be written down in the middle: tells a file that was re-stamped from one that was changed.
//!
//! Several GB a second, and no match for someone who wants two files to have one sum: nothing that matters hangs on that.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

/// So many bytes at either end of what was read are compared before a longer file counts as grown.
const EDGE: u64 = 4096;

/// The sum of the bytes so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Over whole words of eight bytes.
    whole: u64,
    /// The bytes of a word that is not whole yet.
    word: u64,
    count: u64,
}

impl Sum {
    /// The sum that had these parts after `count` bytes.
    pub(crate) fn resume(whole: u64, word: u64, count: u64) -> Self {
        Self { whole, word, count }
    }

    /// What [`Sum::resume`] goes on from.
    pub(crate) fn parts(self) -> (u64, u64) {
        (self.whole, self.word)
    }

    /// How many bytes it is of.
    pub(crate) fn count(self) -> u64 {
        self.count
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while !self.count.is_multiple_of(8) {
            let Some((byte, rest)) = bytes.split_first() else {
                return;
            };
            self.push(*byte);
            bytes = rest;
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.whole = mix(self.whole, u64::from_le_bytes(*word));
        }
        self.count += words.len() as u64 * 8;
        for byte in rest {
            self.push(*byte);
        }
    }

    fn push(&mut self, byte: u8) {
        self.word |= u64::from(byte) << (8 * (self.count % 8));
        self.count += 1;
        if self.count.is_multiple_of(8) {
            self.whole = mix(self.whole, self.word);
            self.word = 0;
        }
    }
}

fn mix(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

/// The sum of the first `length` bytes of `file`; of fewer if it ends before.
pub(crate) fn sum_of(file: &mut File, length: u64) -> io::Result<Sum> {
    file.seek(SeekFrom::Start(0))?;
    let mut sum = Sum::default();
    let mut buffer = vec![0; 256 * 1024];
    let mut part = file.take(length);
    loop {
        match part.read(&mut buffer)? {
            0 => return Ok(sum),
            read => sum.update(&buffer[..read]),
        }
    }
}

/// The sum of the bytes at the beginning and of those before `offset`; the file's position stays.
pub(crate) fn edges_of(file: &File, offset: u64) -> io::Result<u64> {
    let length = offset.min(EDGE);
    let mut sum = Sum::default();
    let mut buffer = vec![0; usize::try_from(length).unwrap_or(0)];
    for start in [0, offset - length] {
        file.read_exact_at(&mut buffer, start)?;
        sum.update(&buffer);
    }
    Ok(mix(sum.whole, sum.word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn how_bytes_come_makes_no_difference(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0..200usize) {
            let cut = cut.min(bytes.len());
            let mut at_once = Sum::default();
            at_once.update(&bytes);
            let mut first = Sum::default();
            first.update(&bytes[..cut]);
            let (whole, word) = first.parts();
            let mut second = Sum::resume(whole, word, first.count());
            second.update(&bytes[cut..]);
            prop_assert_eq!(at_once, second);
        }

        #[test]
        fn a_changed_byte_changes_it(bytes in proptest::collection::vec(any::<u8>(), 1..200), at in 0..200usize, flip in 1..=255u8) {
            let mut changed = bytes.clone();
            let at = at % bytes.len();
            changed[at] ^= flip;
            let sum = |bytes: &[u8]| { let mut sum = Sum::default(); sum.update(bytes); sum };
            prop_assert_ne!(sum(&bytes), sum(&changed));
        }
    }
}
