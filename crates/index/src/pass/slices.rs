//! Cuts a file at line breaks into slices of some megabytes, so that a long file can be written down, and left, in the middle.

use std::io::{self, BufRead, BufReader, Read};

use crate::sum::Sum;

/// How much is read between two checkpoints, in bytes: a line that begins before this is read to its end.
pub(super) const SLICE: usize = 4 * 1024 * 1024;

/// What is read from the system at once.
const BUFFER: usize = 256 * 1024;

/// A source that is read slice by slice.
#[derive(Debug)]
pub(super) struct Slices<R> {
    source: BufReader<R>,
    /// The sum of all that was read, and the same at the last line break.
    sum: Sum,
    at_line: Sum,
    ended: bool,
}

impl<R: Read> Slices<R> {
    /// Cuts `source`, of which the bytes before have this sum.
    pub(super) fn new(source: R, before: Sum) -> Self {
        Self {
            source: BufReader::with_capacity(BUFFER, source),
            sum: before,
            at_line: before,
            ended: false,
        }
    }

    pub(super) fn next(&mut self) -> Slice<'_, R> {
        Slice {
            slices: self,
            left: SLICE,
            done: false,
        }
    }

    /// Whether the source has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The sum of the bytes before `offset`, which is where everything was read or where the last line begins.
    pub(super) fn sum_at(&self, offset: u64) -> Option<Sum> {
        [self.sum, self.at_line].into_iter().find(|sum| sum.count() == offset)
    }
}

/// One slice: ends at a line break.
#[derive(Debug)]
pub(super) struct Slice<'s, R> {
    slices: &'s mut Slices<R>,
    left: usize,
    done: bool,
}

impl<R: Read> Read for Slice<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.done || buffer.is_empty() {
            return Ok(0);
        }
        let slices = &mut *self.slices;
        let available = slices.source.fill_buf()?;
        if available.is_empty() {
            slices.ended = true;
            self.done = true;
            return Ok(0);
        }
        let mut length = available.len().min(buffer.len());
        if self.left > 0 {
            length = length.min(self.left);
        } else if let Some(at) = memchr::memchr(b'\n', &available[..length]) {
            length = at + 1;
            self.done = true;
        }
        let bytes = &available[..length];
        buffer[..length].copy_from_slice(bytes);
        match memchr::memrchr(b'\n', bytes) {
            Some(at) => {
                slices.sum.update(&bytes[..=at]);
                slices.at_line = slices.sum;
                slices.sum.update(&bytes[at + 1..]);
            }
            None => slices.sum.update(bytes),
        }
        slices.source.consume(length);
        self.left = self.left.saturating_sub(length);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_end_at_line_breaks_and_lose_nothing() {
        let line = [b"x".repeat(999), b"\n".to_vec()].concat();
        let mut all = line.repeat(9000);
        all.extend_from_slice(b"torn");
        let mut slices = Slices::new(&all[..], Sum::default());
        let mut seen = Vec::new();
        let mut count = 0;
        while !slices.has_ended() {
            let mut slice = Vec::new();
            slices.next().read_to_end(&mut slice).unwrap();
            assert!(slices.has_ended() || slice.ends_with(b"\n"));
            seen.extend_from_slice(&slice);
            count += 1;
        }
        assert!(seen == all && count == 3);
        let mut whole = Sum::default();
        whole.update(&all[..9_000_000]);
        assert_eq!(slices.sum_at(9_000_000), Some(whole));
        assert_eq!(slices.sum_at(9_000_004).map(Sum::count), Some(9_000_004));
        assert_eq!(slices.sum_at(5), None);
    }
}
