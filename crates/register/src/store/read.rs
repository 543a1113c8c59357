//! Reading one session's file.

use std::io::{self, Read};
use std::path::Path;

use sexton_sys::read::open_regular;

use super::content::{Judgement, lines};
use crate::{Event, LifecycleError};

/// The size in bytes up to which a session's file is read.
///
/// A line has some hundred bytes, and a session seldom more than a few dozen of them. A file beyond this is no register
/// file, and reading it whole would take memory without end.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// A file read as far as it can be.
#[derive(Debug, Default)]
pub struct Reading {
    /// The events of all lines that are events, in file order.
    pub events: Vec<Event>,
    /// One problem for each damaged line, in file order.
    pub problems: Vec<LifecycleError>,
}

/// Reads one session's file, in file order; `read_session` of the lifecycle document.
///
/// An absent or empty file holds no events. A last line without its newline that is not JSON is what a writer leaves
/// behind that was stopped in the middle, and is passed over. Everything else that is not an event is an error naming
/// file and line.
pub fn read_session(path: &Path) -> Result<Vec<Event>, LifecycleError> {
    let mut events = Vec::new();
    let mut content = Vec::new();
    read_content(path, &mut content)?;
    for item in events_in(path, &content) {
        events.push(item?);
    }
    Ok(events)
}

/// As [`read_session`], but damaged lines are reported beside the events of all others.
///
/// An error is left for a file that can't be read at all.
pub fn read_session_tolerant(path: &Path) -> Result<Reading, LifecycleError> {
    let mut reading = Reading::default();
    let mut content = Vec::new();
    read_content(path, &mut content)?;
    for item in events_in(path, &content) {
        match item {
            Ok(event) => reading.events.push(event),
            Err(problem) => reading.problems.push(problem),
        }
    }
    Ok(reading)
}

/// The events of `content`, which was read from `path`, with the damaged lines among them.
pub(super) fn events_in(path: &Path, content: &[u8]) -> impl Iterator<Item = Result<Event, LifecycleError>> {
    lines(content).filter_map(|line| match line.judge() {
        Judgement::Event(event) => Some(Ok(event)),
        Judgement::Blank | Judgement::CutShort => None,
        Judgement::Damaged(what) => Some(Err(LifecycleError::Line {
            path: path.to_path_buf(),
            line: line.number,
            what,
        })),
    })
}

/// Reads a file whole into `content`, whose memory is used again; leaves it empty if the file is absent.
pub(super) fn read_content(path: &Path, content: &mut Vec<u8>) -> Result<(), LifecycleError> {
    content.clear();
    match open_regular(path) {
        Ok((file, metadata)) => fill(&file, metadata.len(), content).map_err(LifecycleError::read(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(LifecycleError::read(path)(error)),
    }
}

/// Reads `file`, which had `size` bytes a moment ago, with as few calls as can be: a load reads thousands of them.
fn fill(mut file: impl Read, size: u64, content: &mut Vec<u8>) -> io::Result<()> {
    let mut filled = 0;
    // One byte more than expected, so that one short read shows the end.
    let mut wanted = usize::try_from(size).unwrap_or(usize::MAX).saturating_add(1);
    loop {
        if wanted as u64 > MAX_FILE_BYTES + 1 {
            let message = format!("is larger than {MAX_FILE_BYTES} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        content.resize(wanted, 0);
        while filled < wanted {
            match file.read(&mut content[filled..]) {
                Ok(read) if read == 0 || filled + read < wanted => {
                    content.truncate(filled + read);
                    return Ok(());
                }
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        // It has grown meanwhile.
        wanted += 64 << 10;
    }
}
