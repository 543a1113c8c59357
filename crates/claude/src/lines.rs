//! Splits a stream into lines, in memory that has a bound.

use std::io::{self, Read};

use memchr::memchr;

/// Longer lines are skipped. The longest seen has 12.8 million characters.
pub(crate) const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// What is read at once, and what the buffer shrinks back to after a long line.
const PIECE: usize = 256 * 1024;

/// One line, without its line break.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line that fits.
    Whole {
        /// Its bytes, which the caller may overwrite.
        bytes: &'a mut [u8],
        /// Whether a line break follows.
        terminated: bool,
    },
    /// A line that doesn't.
    TooLong {
        /// How many bytes it has.
        length: u64,
        /// Whether a line break follows.
        terminated: bool,
    },
}

/// A source and a buffer of at most one line.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    /// Up to here there is no line break.
    searched: usize,
    end: usize,
    longest: usize,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        Self::with_longest(source, LONGEST_LINE)
    }

    fn with_longest(source: R, longest: usize) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            end: 0,
            longest,
        }
    }

    /// The next line, or `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            if let Some(found) = memchr(b'\n', &self.buffer[self.searched..self.end]) {
                let line = self.start..self.searched + found;
                self.start = line.end + 1;
                self.searched = self.start;
                return Ok(Some(Line::Whole {
                    bytes: &mut self.buffer[line],
                    terminated: true,
                }));
            }
            self.searched = self.end;
            if self.end - self.start > self.longest {
                return self.skip_line().map(Some);
            }
            if self.fill()? == 0 {
                let line = self.start..self.end;
                self.start = self.end;
                return Ok((!line.is_empty()).then(|| Line::Whole {
                    bytes: &mut self.buffer[line],
                    terminated: false,
                }));
            }
        }
    }

    /// Reads on behind the begun line, making room for it first.
    fn fill(&mut self) -> io::Result<usize> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.searched -= self.start;
            self.start = 0;
            if self.end < PIECE && self.buffer.len() > PIECE {
                self.buffer.truncate(PIECE);
                self.buffer.shrink_to_fit();
            }
        }
        if self.end == self.buffer.len() {
            // One byte more than the longest line tells that a line is longer.
            let length = (self.end * 2).clamp(PIECE, self.longest.max(PIECE) + 1);
            // In place: beside a copy, the old buffer would stay resident.
            self.buffer.reserve_exact(length - self.end);
            self.buffer.resize(length, 0);
        }
        let read = read_some(&mut self.source, &mut self.buffer[self.end..])?;
        self.end += read;
        Ok(read)
    }

    /// Reads past the begun line, keeping nothing of it.
    fn skip_line(&mut self) -> io::Result<Line<'_>> {
        let mut length = (self.end - self.start) as u64;
        loop {
            self.start = 0;
            self.end = read_some(&mut self.source, &mut self.buffer)?;
            let found = memchr(b'\n', &self.buffer[..self.end]);
            length += found.unwrap_or(self.end) as u64;
            self.start = found.map_or(self.end, |found| found + 1);
            self.searched = self.start;
            if found.is_some() || self.end == 0 {
                return Ok(Line::TooLong {
                    length,
                    terminated: found.is_some(),
                });
            }
        }
    }
}

fn read_some(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Owned = (Result<Vec<u8>, u64>, bool);

    fn collect(source: impl Read, longest: usize) -> Vec<Owned> {
        let mut lines = Lines::with_longest(source, longest);
        let mut collected = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            collected.push(match line {
                Line::Whole { bytes, terminated } => (Ok(bytes.to_vec()), terminated),
                Line::TooLong { length, terminated } => (Err(length), terminated),
            });
        }
        assert!(lines.buffer.len() <= longest.max(PIECE) + 1);
        collected
    }

    #[test]
    fn a_long_line_is_skipped_and_its_neighbours_are_not() {
        let longest = PIECE * 3;
        let line = |length: usize| vec![b'x'; length];
        let content = [
            line(3),
            line(longest),
            line(longest + 1),
            line(4),
            line(longest * 3),
            line(2),
        ]
        .join(&b'\n');
        let lines = collect(&content[..], longest);
        let lengths: Vec<_> = lines
            .iter()
            .map(|(line, _)| line.as_ref().map(Vec::len).map_err(|length| *length))
            .collect();
        let too_long = |length: usize| Err(length as u64);
        assert_eq!(
            lengths,
            [
                Ok(3),
                Ok(longest),
                too_long(longest + 1),
                Ok(4),
                too_long(longest * 3),
                Ok(2)
            ]
        );
        assert_eq!(lines.iter().filter(|(_, terminated)| !terminated).count(), 1);
        assert_eq!(
            collect(&line(longest * 2)[..], longest),
            [(Err(longest as u64 * 2), false)]
        );
    }

    /// Gives what it has in small pieces.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            let (now, rest) = self.0.split_at(length);
            buffer[..length].copy_from_slice(now);
            self.0 = rest;
            Ok(length)
        }
    }

    proptest! {
        #[test]
        fn lines_are_what_lies_between_line_breaks(
            content in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200), piece in 1_usize..20,
        ) {
            let mut expected: Vec<Owned> = content.split(|byte| *byte == b'\n').map(|line| (Ok(line.to_vec()), true)).collect();
            // What follows the last line break is a line only if there is something.
            let last = expected.pop().unwrap();
            expected.extend((last.0 != Ok(Vec::new())).then_some((last.0, false)));
            prop_assert_eq!(collect(Pieces(&content, piece), 1000), expected);
        }
    }
}
