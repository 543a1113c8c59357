//! Why a settings text can't be edited.

/// A text that is refused and left as it is. Lines and columns count from 1, columns in bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// It is no JSON; comments and trailing commas aren't either.
    #[error("{line}:{column}: {message}")]
    Syntax {
        /// Where the text stops being JSON.
        line: usize,
        /// Where in that line.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// It is no UTF-8.
    #[error("{line}:{column}: not UTF-8")]
    NotUtf8 {
        /// Where the first bad byte is.
        line: usize,
        /// Where in that line.
        column: usize,
    },
    /// A value that we would have to add to is of another kind.
    #[error("{line}:{column}: expected {what} to be {expected}")]
    Kind {
        /// Where the value begins.
        line: usize,
        /// Where in that line.
        column: usize,
        /// Which value.
        what: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A key is there twice, and nobody can tell which of the two counts.
    #[error("{line}:{column}: `{key}` is there twice")]
    Repeated {
        /// Where the second one begins.
        line: usize,
        /// Where in that line.
        column: usize,
        /// The key.
        key: String,
    },
}

/// Line and column of an offset, in bytes, both from 1.
pub(super) fn position(text: &[u8], offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    (line, before.len() - line_start + 1)
}
