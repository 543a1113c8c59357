//! Reads one file and turns it into batches for the writer.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use sexton_claude::transcript::{Found, Item, ReadState, TranscriptReader};
use sexton_sys::{FileIdentity, read};
use sexton_yard::FloorStats;
use sexton_yard::routine::FloorCounter;

use super::decide::{Job, Place};
use super::slices::Slices;
use crate::calls::OpenCalls;
use crate::catalogue::{Checkpoint, Stored};
use crate::engine::{Inverted, Inverter, Mark};
use crate::message::{Kind, kind_of};
use crate::spans::{Placed, Span, spans_of};
use crate::sum::{self, Sum};
use crate::tokens::Tokenizer;
use crate::vault::Vault;

/// Up to so many bytes are compared whole before a longer file counts as grown; of more, both edges.
const COMPARED_WHOLE: u64 = 64 * 1024;

/// A unit is given to the writer when the words of its messages take their part of so much memory, or so many bytes were read for it:
/// the larger it is, the fewer times each word is written.
const UNITS_MEMORY: usize = 16 * 1024 * 1024;
const UNIT_BYTES: u64 = 64 * 1024 * 1024;

/// A word that is cut between two parts of a text is put together if it is no longer than this on either side, in bytes.
const LONGEST_WORD: usize = 512;

/// What a slice of a file said.
#[derive(Debug)]
pub(super) struct Slice {
    /// The number of the job it belongs to.
    pub(super) job: usize,
    /// Whether what was stored of the file before is void.
    pub(super) afresh: bool,
    /// Its messages, in the order in which the unit's are numbered.
    pub(super) spans: Vec<Span>,
    pub(super) checkpoint: Checkpoint,
}

/// Slices of files that one reader has read, with the words of all their messages.
#[derive(Debug, Default)]
pub(super) struct Unit {
    pub(super) slices: Vec<Slice>,
    pub(super) inverted: Inverted,
    /// How many bytes were read for it.
    pub(super) bytes: u64,
    /// Jobs that it ends.
    pub(super) done: Vec<(usize, Result<(), String>)>,
}

/// What one reader has gathered for its next unit.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    inverter: Inverter,
    tokenizer: Tokenizer,
    unit: Unit,
}

impl Gathered {
    /// Notes that a job is done.
    pub(super) fn end(&mut self, job: usize, result: Result<(), String>) {
        self.unit.done.push((job, result));
    }

    /// Whether it is one reader's part of what `readers` may gather.
    fn is_full(&self, readers: usize) -> bool {
        self.inverter.memory() >= UNITS_MEMORY / readers.max(1) || self.unit.bytes >= UNIT_BYTES
    }

    /// Gives what was gathered, and starts over.
    pub(super) fn finish(&mut self) -> Unit {
        let mut unit = std::mem::take(&mut self.unit);
        unit.inverted = self.inverter.finish();
        unit
    }
}

/// Our own part of a reading's state, beside the reader's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct OwnState {
    turns: u64,
    messages: u64,
    prose: u64,
    /// The last title of each kind: clients repeat them, and each is indexed once.
    titles: BTreeMap<String, String>,
    /// The calls of tools that have no result yet.
    calls: OpenCalls,
}

/// How a file is read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'r> {
    pub(super) tool_output: bool,
    /// How many read at once.
    pub(super) readers: usize,
    pub(super) vault: Option<&'r Vault>,
    pub(super) should_stop: &'r (dyn Fn() -> bool + Sync),
    /// The state that a stored file's reading goes on from.
    pub(super) state_of: &'r (dyn Fn(i64) -> Option<String> + Sync),
    /// Takes a unit; false when nobody wants more.
    pub(super) send: &'r (dyn Fn(Unit) -> bool + Sync),
}

impl Reading<'_> {
    /// Reads what is new in one file. An error concerns this file alone.
    pub(super) fn read(&self, number: usize, job: &Job, gathered: &mut Gathered) -> io::Result<()> {
        if job.from == Place::Vault {
            return self.read_copy(number, job, gathered);
        }
        let (mut file, metadata) = read::open_regular(&job.seen.path)?;
        let identity = FileIdentity::of(&metadata);
        let resumed = match &job.stored {
            Some(stored) if is_continued(&mut file, stored, identity.size)? => (self.state_of)(stored.number)
                .and_then(|text| parse_state(&text))
                .map(|state| (stored.sum, state)),
            _ => None,
        };
        let afresh = resumed.is_none();
        let (sum, (own, reader)) = resumed.unwrap_or_default();
        file.seek(SeekFrom::Start(reader.offset()))?;
        let progress = Progress {
            number,
            identity,
            afresh,
            own,
            reader,
            sum,
        };
        self.slices(&file, progress, gathered, |offset| sum::edges_of(&file, offset))
    }

    fn read_copy(&self, number: usize, job: &Job, gathered: &mut Gathered) -> io::Result<()> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let vault = self.vault.ok_or_else(missing)?;
        let copy = vault
            .open_at(job.seen.session, &job.seen.path)
            .map_err(io::Error::other)?
            .ok_or_else(missing)?;
        let mut identity = job.seen.identity;
        identity.size = copy.size();
        let progress = Progress {
            number,
            identity,
            afresh: true,
            own: OwnState::default(),
            reader: ReadState::default(),
            sum: Sum::default(),
        };
        self.slices(copy, progress, gathered, |_| Ok(0))
    }

    fn slices(
        &self,
        source: impl Read,
        progress: Progress,
        gathered: &mut Gathered,
        edges: impl Fn(u64) -> io::Result<u64>,
    ) -> io::Result<()> {
        let Progress {
            number,
            identity,
            mut afresh,
            mut own,
            reader,
            sum,
        } = progress;
        let mut slices = Slices::new(source, sum);
        let mut reader = TranscriptReader::resume(reader);
        loop {
            let before = reader.state().offset();
            let mut messages = Messages::new(gathered, &mut own, self.tool_output);
            let read = reader.read(slices.next(), &mut |found| {
                if let Found::Item(item) = found {
                    messages.take(&item);
                }
                ControlFlow::Continue(())
            });
            let messages = messages.finish();
            let offset = reader.state().offset();
            // What was read before an error stays: its words are among the others already.
            if read.is_err() && offset == before {
                return read.map(|_| ());
            }
            let is_last = slices.has_ended();
            let checkpoint = Checkpoint {
                // A file that is left in the middle looks like one that has grown since.
                identity: if is_last {
                    identity
                } else {
                    FileIdentity {
                        size: offset,
                        ..identity
                    }
                },
                offset,
                sum: slices.sum_at(offset).unwrap_or_default(),
                // Without edges, the next pass begins again.
                edges: edges(offset).unwrap_or_default(),
                state: write_state(&own, reader.state()),
                summary: reader.summary().clone(),
                floor: own.floor(),
            };
            gathered.unit.bytes += offset - before;
            gathered.unit.slices.push(Slice {
                job: number,
                afresh,
                spans: spans_of(&messages),
                checkpoint,
            });
            afresh = false;
            read?;
            if gathered.is_full(self.readers) && !(self.send)(gathered.finish()) || is_last || (self.should_stop)() {
                return Ok(());
            }
        }
    }
}

struct Progress {
    number: usize,
    identity: FileIdentity,
    afresh: bool,
    own: OwnState,
    reader: ReadState,
    sum: Sum,
}

/// Whether `file` begins with what was read of it.
fn is_continued(file: &mut File, stored: &Stored, size: u64) -> io::Result<bool> {
    if size < stored.offset || stored.sum.count() != stored.offset {
        return Ok(false);
    }
    // Of the same length it was re-stamped or rewritten, and only all its bytes tell which.
    if size == stored.row.identity.size || stored.offset <= COMPARED_WHOLE {
        return Ok(sum::sum_of(file, stored.offset)? == stored.sum);
    }
    Ok(sum::edges_of(file, stored.offset)? == stored.edges)
}

fn parse_state(text: &str) -> Option<(OwnState, ReadState)> {
    let (own, reader) = text.split_once('\n')?;
    Some((serde_json::from_str(own).ok()?, ReadState::from_json(reader)?))
}

fn write_state(own: &OwnState, reader: &ReadState) -> String {
    // Strings and numbers only: nothing that can't be written.
    let mut text = serde_json::to_string(own).unwrap_or_default();
    text.push('\n');
    text.push_str(&reader.to_json());
    text
}

impl OwnState {
    fn floor(&self) -> FloorStats {
        FloorStats {
            substantive_human_turns: self.turns,
            total_messages: self.messages,
            assistant_prose_bytes: self.prose,
        }
    }
}

/// The messages of one slice.
struct Messages<'g> {
    inverter: &'g mut Inverter,
    tokenizer: &'g mut Tokenizer,
    own: &'g mut OwnState,
    tool_output: bool,
    floor: FloorCounter,
    placed: Vec<Placed>,
    /// The message whose text may go on, and the last word of what came of it.
    open: Option<Placed>,
    last_word: String,
}

impl<'g> Messages<'g> {
    fn new(gathered: &'g mut Gathered, own: &'g mut OwnState, tool_output: bool) -> Self {
        Self {
            floor: FloorCounter::going_on(own.floor()),
            inverter: &mut gathered.inverter,
            tokenizer: &mut gathered.tokenizer,
            own,
            tool_output,
            placed: Vec::new(),
            open: None,
            last_word: String::new(),
        }
    }

    fn take(&mut self, item: &Item<'_>) {
        self.floor.take(item);
        if item.continues {
            return self.go_on(item.text);
        }
        self.close();
        let called = self.own.calls.take(item);
        let Some((kind, tool)) = kind_of(item) else {
            return;
        };
        if kind == Kind::ToolResult && !self.tool_output {
            return;
        }
        if kind == Kind::Title && !self.is_new_title(item) {
            return;
        }
        self.inverter.add(&Mark::Kind(kind).token());
        if let Some(tool) = tool {
            self.inverter.add(&Mark::Tool(tool.to_owned()).token());
            self.add(tool);
        } else if let Some(called) = called {
            // A result is found by its tool's name as a filter, not as a word: it doesn't say it.
            self.inverter.add(&Mark::Tool(called).token());
        }
        self.add(item.text);
        self.open = Some(Placed {
            line: item.line,
            offset: item.offset,
            part: item.part,
            kind,
            at_ms: item.timestamp_ms,
        });
        self.keep_last_word(item.text);
    }

    fn add(&mut self, text: &str) {
        self.tokenizer.each(text, |token| self.inverter.add(token));
    }

    /// Takes the next part of a text that is too long to come at once.
    fn go_on(&mut self, text: &str) {
        if self.open.is_none() {
            return;
        }
        // The word that was cut: its halves are in the set as well, which does no harm.
        let end = text.floor_char_boundary(LONGEST_WORD);
        let first = text[..end].split(char::is_whitespace).next().unwrap_or_default();
        self.last_word.push_str(first);
        let word = std::mem::take(&mut self.last_word);
        self.add(&word);
        self.add(text);
        self.keep_last_word(text);
    }

    fn keep_last_word(&mut self, text: &str) {
        self.last_word.clear();
        let start = text.ceil_char_boundary(text.len().saturating_sub(LONGEST_WORD));
        self.last_word
            .push_str(text[start..].rsplit(char::is_whitespace).next().unwrap_or_default());
    }

    /// Writes down the message whose text is complete by now.
    fn close(&mut self) {
        if let Some(message) = self.open.take() {
            self.inverter.end_message();
            self.placed.push(message);
        }
    }

    fn is_new_title(&mut self, item: &Item<'_>) -> bool {
        let kind = format!("{:?}", item.kind);
        let known = self.own.titles.get(&kind).is_some_and(|last| last == item.text);
        if !known {
            self.own.titles.insert(kind, item.text.to_owned());
        }
        !known
    }

    fn finish(mut self) -> Vec<Placed> {
        self.close();
        let floor = self.floor.finish();
        self.own.turns = floor.substantive_human_turns;
        self.own.messages = floor.total_messages;
        self.own.prose = floor.assistant_prose_bytes;
        self.placed
    }
}
