//! Counting a transcript's messages as the reference implementation does: lines that aren't blank.

use std::io::{self, Read};
use std::path::Path;

use sexton_sys::read;

/// The non-blank lines of the file at `path`; a last line without its newline counts. Constant memory, whatever the lines' lengths.
pub fn count_messages(path: &Path) -> io::Result<u64> {
    let (mut file, _) = read::open_regular(path)?;
    let mut buffer = vec![0; 256 * 1024];
    let (mut lines, mut is_blank) = (0, true);
    loop {
        let got = match file.read(&mut buffer) {
            Ok(0) => return Ok(lines + u64::from(!is_blank)),
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut rest = &buffer[..got];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            lines += u64::from(!(is_blank && rest[..end].trim_ascii().is_empty()));
            is_blank = true;
            rest = &rest[end + 1..];
        }
        is_blank = is_blank && rest.trim_ascii().is_empty();
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test arranges files directly")]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_are_no_messages() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.jsonl");
        let long = "x".repeat(600_000);
        for (content, count) in [
            ("", 0),
            ("\n\n", 0),
            ("a", 1),
            ("a\n", 1),
            ("a\n \t\r\nb", 2),
            (&format!("{long}\n{}{long}\n", " ".repeat(300_000)), 2),
        ] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(count_messages(&path).unwrap(), count);
        }
        assert!(count_messages(directory.path()).is_err());
    }
}
