//! Goes through a transcript, line by line, in bounded memory.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use sexton_sys::read;

use super::item::Item;
use super::line::{self, Problem, ProblemKind};
use super::raw;
use super::record::{Piece, Record};
use super::skip::{self, Skip};
use super::state::ReadState;
use super::summary::TranscriptSummary;
use crate::lines::{Line, Lines};

/// A longer buffer for texts than this is given back after its line.
const SCRATCH_KEPT: usize = 1024 * 1024;

/// What a reading comes upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'a> {
    /// A piece of the conversation.
    Item(Item<'a>),
    /// A damaged line.
    Problem(Problem),
}

/// How a reading ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Everything there is was read.
    Complete,
    /// The last line breaks off. It was told as a [`ProblemKind::Torn`], or [`ProblemKind::TooLong`], and will be read again.
    TornLine,
    /// The receiver wanted no more. Lines that were begun are in the state whole.
    Stopped,
}

/// A transcript that can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The system refused.
    #[error("read transcript `{path}`: {source}")]
    Io {
        /// The transcript.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It ends before the place where reading should go on, so that it is not the file that was read before.
    #[error("go on reading transcript `{path}` at byte {offset}: it has only {size}")]
    Shrunk {
        /// The transcript.
        path: PathBuf,
        /// Where reading should go on.
        offset: u64,
        /// Its size in bytes.
        size: u64,
    },
}

/// Reads a transcript, from its beginning or from where an earlier reading ended.
///
/// Reading in any number of goes, while the file grows, finds the same items and gives the same summary as reading it at once. The one
/// exception is a line that goes on after its record was complete, which no client writes; it is told as a problem.
#[derive(Debug, Default)]
pub struct TranscriptReader {
    state: ReadState,
    scratch: String,
}

impl TranscriptReader {
    /// A reader that begins at the beginning.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A reader that goes on. Whether the file is still the same one is for the caller to know.
    #[must_use]
    pub fn resume(state: ReadState) -> Self {
        Self {
            state,
            scratch: String::new(),
        }
    }

    /// What was gathered so far.
    #[must_use]
    pub fn summary(&self) -> &TranscriptSummary {
        &self.state.summary
    }

    /// How far the reading has come.
    #[must_use]
    pub fn state(&self) -> &ReadState {
        &self.state
    }

    /// Gives the state away, to be kept until the transcript has grown.
    #[must_use]
    pub fn into_state(self) -> ReadState {
        self.state
    }

    /// Reads the unread part of the file at `path`; a symlink is followed.
    pub fn read_file(
        &mut self,
        path: &Path,
        receiver: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
    ) -> Result<Ending, ReadError> {
        let io_error = |source| ReadError::Io {
            path: path.to_path_buf(),
            source,
        };
        let (mut file, metadata) = read::open_regular(path).map_err(io_error)?;
        if metadata.len() < self.state.offset {
            return Err(ReadError::Shrunk {
                path: path.to_path_buf(),
                offset: self.state.offset,
                size: metadata.len(),
            });
        }
        file.seek(SeekFrom::Start(self.state.offset)).map_err(io_error)?;
        self.read(file, receiver).map_err(io_error)
    }

    /// Reads `source`, which begins at the state's offset, to its end, or until `receiver` breaks. After an error, the state holds the
    /// lines before it.
    pub fn read(
        &mut self,
        source: impl Read,
        receiver: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
    ) -> io::Result<Ending> {
        let mut lines = Lines::new(source);
        let mut flow = ControlFlow::Continue(());
        while let Some(line) = lines.next()? {
            let mut send = |found: Found<'_>| {
                if flow.is_continue() {
                    flow = receiver(found);
                }
            };
            let is_torn = match line {
                Line::Whole { bytes, terminated } if self.state.is_line_open => {
                    let goes_on = !bytes.trim_ascii().is_empty();
                    self.close_line(bytes.len() as u64, goes_on, terminated, &mut send)
                }
                Line::Whole {
                    bytes,
                    terminated: true,
                } => {
                    self.take_line(bytes, &mut send);
                    false
                }
                Line::Whole {
                    bytes,
                    terminated: false,
                } => self.take_last_line(bytes, &mut send),
                Line::TooLong { length, terminated } => self.pass_line(length, terminated, &mut send),
            };
            if self.scratch.capacity() > SCRATCH_KEPT {
                self.scratch = String::new();
            }
            if flow.is_break() {
                return Ok(Ending::Stopped);
            }
            if is_torn {
                return Ok(Ending::TornLine);
            }
        }
        Ok(Ending::Complete)
    }

    /// Reads a line that is followed by a line break.
    fn take_line(&mut self, bytes: &mut [u8], send: &mut dyn FnMut(Found<'_>)) {
        let length = bytes.len() as u64;
        let masked = line::mask_broken_utf8(bytes);
        let content = self.content(bytes);
        if !content.is_empty() {
            self.take_content(content, masked, send);
        }
        self.state.lines += 1;
        self.state.offset += length + 1;
    }

    /// Reads a line at the end of the file without a line break: whole if its record is, else left for the next reading. Says whether
    /// it was left.
    fn take_last_line(&mut self, bytes: &mut [u8], send: &mut dyn FnMut(Found<'_>)) -> bool {
        let length = bytes.len() as u64;
        let masked = line::mask_broken_utf8(bytes);
        let content = self.content(bytes);
        if content.is_empty() {
            return false;
        }
        let mut is_whole = false;
        line::understand(content, |_| is_whole = true);
        if !is_whole {
            send(Found::Problem(self.problem(ProblemKind::Torn)));
            return true;
        }
        self.take_content(content, masked, send);
        self.state.lines += 1;
        self.state.offset += length;
        self.state.is_line_open = true;
        false
    }

    /// Takes in what a line holds, but for what is told to be of no use by its first bytes.
    fn take_content(&mut self, content: &[u8], masked: bool, send: &mut dyn FnMut(Found<'_>)) {
        let problem = match skip::skip(content) {
            Some(Skip::All) => None,
            Some(Skip::AllBut(fields)) => self.understand(&fields, send),
            None => self.understand(content, send),
        };
        let problem = problem.or(masked.then_some(ProblemKind::InvalidUtf8));
        if let Some(kind) = problem {
            send(Found::Problem(self.problem(kind)));
            self.count_problem();
        }
        self.state.summary.counts.lines += 1;
    }

    /// Passes over a line that is too long to be read.
    fn pass_line(&mut self, length: u64, terminated: bool, send: &mut dyn FnMut(Found<'_>)) -> bool {
        if self.state.is_line_open {
            return self.close_line(length, true, terminated, send);
        }
        send(Found::Problem(self.problem(ProblemKind::TooLong)));
        if terminated {
            self.count_problem();
            self.state.summary.counts.lines += 1;
            self.state.lines += 1;
            self.state.offset += length + 1;
        }
        !terminated
    }

    /// Passes over what follows a line that was taken before its line break came; normally that is the line break.
    fn close_line(&mut self, length: u64, goes_on: bool, terminated: bool, send: &mut dyn FnMut(Found<'_>)) -> bool {
        if goes_on {
            let problem = Problem {
                line: self.state.lines,
                ..self.problem(ProblemKind::GoesOn)
            };
            send(Found::Problem(problem));
        }
        if terminated {
            self.state.summary.counts.problems += u64::from(goes_on);
            self.state.offset += length + 1;
            self.state.is_line_open = false;
        }
        goes_on && !terminated
    }

    /// Takes in what `content` holds; gives what is wrong with it.
    fn understand(&mut self, content: &[u8], send: &mut dyn FnMut(Found<'_>)) -> Option<ProblemKind> {
        let mut part = 0;
        let Self { state, scratch } = self;
        line::understand(content, |record| {
            state.summary.observe(record, &mut state.ledger);
            let (line, offset) = (state.lines + 1, state.offset);
            let summary = &mut state.summary;
            let ids = Ids::of(record);
            record.each_piece(scratch, &mut |Piece { kind, chunk }| {
                if !chunk.continues {
                    summary.observe_piece(&kind, chunk.text);
                }
                send(Found::Item(Item::of(
                    record,
                    &ids,
                    Place { line, offset, part },
                    kind,
                    chunk,
                )));
                part += 1;
            });
        })
    }

    fn content<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        let bytes = if self.state.offset == 0 {
            line::without_mark(bytes)
        } else {
            bytes
        };
        bytes.trim_ascii()
    }

    fn problem(&self, kind: ProblemKind) -> Problem {
        Problem {
            line: self.state.lines + 1,
            offset: self.state.offset,
            kind,
        }
    }

    fn count_problem(&mut self) {
        self.state.summary.counts.problems += 1;
    }
}

/// Reads single lines that were read before, for their items alone.
#[derive(Debug, Default)]
pub struct LineReader {
    scratch: String,
}

impl LineReader {
    /// A reader.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `receiver` with the items of `line`, which may be overwritten; to them it is line 1. What is damaged is left out.
    pub fn read(&mut self, line: &mut [u8], receiver: &mut dyn FnMut(Item<'_>)) {
        line::mask_broken_utf8(line);
        let content = line::without_mark(line).trim_ascii();
        // Whatever is skipped of a record has no items.
        let fields = match skip::skip(content) {
            Some(Skip::All) => return,
            Some(Skip::AllBut(fields)) => Some(fields),
            None => None,
        };
        let content = fields.as_deref().unwrap_or(content);
        let scratch = &mut self.scratch;
        let mut part = 0;
        line::understand(content, |record| {
            let ids = Ids::of(record);
            record.each_piece(scratch, &mut |Piece { kind, chunk }| {
                receiver(Item::of(
                    record,
                    &ids,
                    Place {
                        line: 1,
                        offset: 0,
                        part,
                    },
                    kind,
                    chunk,
                ));
                part += 1;
            });
        });
    }
}

/// Where a piece stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    line: u64,
    offset: u64,
    part: u32,
}

impl<'a> Item<'a> {
    fn of(
        record: &Record<'a>,
        ids: &Ids<'a>,
        place: Place,
        kind: super::ItemKind<'a>,
        chunk: super::text::Chunk<'a>,
    ) -> Self {
        Self {
            line: place.line,
            offset: place.offset,
            part: place.part,
            record: record.kind,
            kind,
            text: chunk.text,
            continues: chunk.continues,
            timestamp_ms: record.timestamp_ms,
            uuid: ids.uuid.clone(),
            message_id: ids.message.clone(),
            is_sidechain: record.is_sidechain,
        }
    }
}

/// The ids that all pieces of a record share.
struct Ids<'a> {
    uuid: Option<std::borrow::Cow<'a, str>>,
    message: Option<std::borrow::Cow<'a, str>>,
}

impl<'a> Ids<'a> {
    fn of(record: &Record<'a>) -> Self {
        Self {
            uuid: raw::non_empty(record.raw.uuid),
            message: raw::non_empty(record.message.id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_line_gives_the_items_that_reading_through_gives() {
        let long = "x\n".repeat(700_000);
        for line in [
            r#"{"type":"user","message":{"role":"user","content":"a \"prompt\""},"timestamp":"2026-01-01T00:00:00Z","uuid":"u"}"#.to_owned(),
            r#"{"type":"assistant","message":{"role":"assistant","id":"m","content":[{"type":"text","text":"a"},{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]}}"#.to_owned(),
            serde_json::json!({"type": "user", "message": {"role": "user", "content": long}}).to_string(),
            r#"{"type":"custom-title","customTitle":"t"}"#.to_owned(),
            r#"{"type":"mode","mode":"normal"}"#.to_owned(),
            "\u{feff}{\"type\":\"custom-title\",\"customTitle\":\"t\"}".to_owned(),
            "no record".to_owned(),
        ] {
            let mut through = Vec::new();
            let reading = TranscriptReader::new().read(format!("{line}\n").as_bytes(), &mut |found| {
                if let Found::Item(item) = found {
                    through.push(format!("{item:?}"));
                }
                ControlFlow::Continue(())
            });
            assert_eq!(reading.unwrap(), Ending::Complete);
            let mut single = Vec::new();
            LineReader::new().read(&mut line.into_bytes(), &mut |item| single.push(format!("{item:?}")));
            assert!(single == through, "{} items instead of {}", single.len(), through.len());
        }
    }
}
