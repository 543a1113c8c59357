//! Counting a transcript's lines without reading them.

use std::io::{self, Read};
use std::path::Path;

use memchr::memchr;
use sexton_sys::read;

const PIECE: usize = 256 * 1024;

/// How many lines of the transcript at `path` aren't blank; a last one without line break counts. Stops once there are more than
/// `at_most`, and then gives `at_most + 1`.
pub fn count_lines(path: &Path, at_most: u64) -> io::Result<u64> {
    let (file, _) = read::open_regular(path)?;
    count(file, at_most)
}

fn count(mut source: impl Read, at_most: u64) -> io::Result<u64> {
    let mut buffer = vec![0; PIECE];
    let mut counted = 0;
    // Whether the line that goes on in the next piece has anything in it.
    let mut has_content = false;
    loop {
        let length = match source.read(&mut buffer) {
            Ok(0) => return Ok(counted + u64::from(has_content)),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut rest = &buffer[..length];
        while let Some(at) = memchr(b'\n', rest) {
            counted += u64::from(has_content || is_content(&rest[..at]));
            has_content = false;
            rest = &rest[at + 1..];
        }
        has_content = has_content || is_content(rest);
        if counted > at_most {
            return Ok(at_most.saturating_add(1));
        }
    }
}

fn is_content(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| !byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blank_lines_do_not_count_and_an_open_one_does() {
        for (content, lines) in [
            ("", 0),
            ("\n \r\n\t\n", 0),
            ("a\n\nb", 2),
            ("a\nb\n", 2),
            (" ", 0),
            ("a", 1),
        ] {
            assert_eq!(count(content.as_bytes(), u64::MAX).unwrap(), lines, "{content:?}");
        }
        assert_eq!(count(&b"a\nb\nc\n"[..], 1).unwrap(), 2);
        assert_eq!(count(&b"a\nb\nc\n"[..], 3).unwrap(), 3);
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(content in "[a\n ]{0,60}", cut in 0_usize..60) {
            let cut = cut.min(content.len());
            let (first, second) = content.as_bytes().split_at(cut);
            let expected = content.lines().filter(|line| !line.trim().is_empty()).count() as u64;
            prop_assert_eq!(count(first.chain(second), u64::MAX).unwrap(), expected);
        }
    }
}
