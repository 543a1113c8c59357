//! The journal's last line, which tells whether anything before it is open.

use sexton_sys::read;

use super::read::{Parsed, parse};
use super::{Journal, JournalError, LineBody};

/// Far longer than a `closed` line, far shorter than a journal.
const WINDOW: u64 = 4096;

/// What the end of the journal says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tail {
    /// Nothing is open.
    Settled,
    /// Something may be open: the last operation was interrupted, or left something behind that could not be settled.
    Open,
}

impl Journal {
    /// Looks at the last line; costs the same whatever the journal's length. An absent journal is settled.
    pub fn tail(&self) -> Result<Tail, JournalError> {
        let (mut file, metadata) = match read::open_regular(&self.path) {
            Ok(open) => open,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Tail::Settled),
            Err(error) => return Err(self.unreadable(error)),
        };
        if metadata.len() == 0 {
            return Ok(Tail::Settled);
        }
        let ends = read::ends(&mut file, metadata.len(), WINDOW).map_err(|error| self.unreadable(error))?;
        let window = if ends.tail.is_empty() { ends.head } else { ends.tail };
        // A last line without its newline was cut short.
        let Some(lines) = window.strip_suffix(b"\n") else {
            return Ok(Tail::Open);
        };
        let last = lines.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        match parse(last) {
            Parsed::Newer(version) => Err(JournalError::Newer {
                path: self.path.clone(),
                version,
            }),
            Parsed::Line(line) if matches!(line.body, LineBody::Closed { pending: 0 }) => Ok(Tail::Settled),
            _ => Ok(Tail::Open),
        }
    }
}
