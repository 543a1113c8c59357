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

use super::decide::Job;
use super::slices::Slices;
use crate::catalogue::{Checkpoint, Stored};
use crate::engine::Mark;
use crate::message::{Kind, kind_of};
use crate::sum::{self, Sum};
use crate::tokens::TokenSet;
use crate::vault::Vault;

/// Up to so many bytes are compared whole before a longer file counts as grown; of more, both edges.
const COMPARED_WHOLE: u64 = 64 * 1024;

/// A word that is cut between two parts of a text is put together if it is no longer than this on either side, in bytes.
const LONGEST_WORD: usize = 512;

/// A message without its session, and where its tokens end in the batch's text.
#[derive(Debug)]
pub(super) struct NewMessage {
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) part: u32,
    pub(super) kind: Kind,
    pub(super) at_ms: Option<i64>,
    pub(super) tokens_end: usize,
}

/// What a slice of a file said.
#[derive(Debug)]
pub(super) struct Batch {
    /// The number of the job it belongs to.
    pub(super) job: usize,
    /// Whether what was stored of the file before is void.
    pub(super) afresh: bool,
    pub(super) messages: Vec<NewMessage>,
    /// The tokens of all messages, one after the other.
    pub(super) tokens: String,
    pub(super) checkpoint: Checkpoint,
    /// How many bytes were read for it.
    pub(super) bytes: u64,
}

/// Our own part of a reading's state, beside the reader's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct OwnState {
    turns: u64,
    messages: u64,
    prose: u64,
    /// The last title of each kind: clients repeat them, and each is indexed once.
    titles: BTreeMap<String, String>,
}

/// How a file is read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'r> {
    pub(super) tool_output: bool,
    pub(super) vault: Option<&'r Vault>,
    pub(super) should_stop: &'r (dyn Fn() -> bool + Sync),
    /// The state that a stored file's reading goes on from.
    pub(super) state_of: &'r (dyn Fn(i64) -> Option<String> + Sync),
    /// Takes a batch; false when nobody wants more.
    pub(super) send: &'r (dyn Fn(Batch) -> bool + Sync),
}

impl Reading<'_> {
    /// Reads what is new in one file. An error concerns this file alone.
    pub(super) fn read(&self, number: usize, job: &Job) -> io::Result<()> {
        if job.copied {
            return self.read_copy(number, job);
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
        self.slices(&file, progress, |offset| sum::edges_of(&file, offset))
    }

    fn read_copy(&self, number: usize, job: &Job) -> io::Result<()> {
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
        self.slices(copy, progress, |_| Ok(0))
    }

    fn slices(&self, source: impl Read, progress: Progress, edges: impl Fn(u64) -> io::Result<u64>) -> io::Result<()> {
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
        let mut tokens = TokenSet::new();
        loop {
            let before = reader.state().offset();
            let mut gathered = Gathered::new(&mut tokens, &mut own, self.tool_output);
            reader.read(slices.next(), &mut |found| {
                if let Found::Item(item) = found {
                    gathered.take(&item);
                }
                ControlFlow::Continue(())
            })?;
            let (messages, text) = gathered.finish();
            let offset = reader.state().offset();
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
                edges: edges(offset)?,
                state: write_state(&own, reader.state()),
                summary: reader.summary().clone(),
                floor: own.floor(),
            };
            let batch = Batch {
                job: number,
                afresh,
                messages,
                tokens: text,
                checkpoint,
                bytes: offset - before,
            };
            afresh = false;
            if !(self.send)(batch) || is_last || (self.should_stop)() {
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
struct Gathered<'g> {
    tokens: &'g mut TokenSet,
    own: &'g mut OwnState,
    tool_output: bool,
    floor: FloorCounter,
    messages: Vec<NewMessage>,
    text: String,
    /// The message whose text may go on, and the last word of what came of it.
    open: Option<NewMessage>,
    last_word: String,
}

impl<'g> Gathered<'g> {
    fn new(tokens: &'g mut TokenSet, own: &'g mut OwnState, tool_output: bool) -> Self {
        Self {
            floor: FloorCounter::going_on(own.floor()),
            tokens,
            own,
            tool_output,
            messages: Vec::new(),
            text: String::new(),
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
        let Some((kind, tool)) = kind_of(item) else {
            return;
        };
        if kind == Kind::ToolResult && !self.tool_output {
            return;
        }
        if kind == Kind::Title && !self.is_new_title(item) {
            return;
        }
        self.tokens.clear();
        self.tokens.add(&Mark::Kind(kind).token());
        if let Some(tool) = tool {
            self.tokens.add(&Mark::Tool(tool.to_owned()).token());
            self.tokens.add_text(tool);
        }
        self.tokens.add_text(item.text);
        self.open = Some(NewMessage {
            line: item.line,
            offset: item.offset,
            part: item.part,
            kind,
            at_ms: item.timestamp_ms,
            tokens_end: 0,
        });
        self.keep_last_word(item.text);
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
        self.tokens.add_text(&self.last_word);
        self.tokens.add_text(text);
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
            self.text.push_str(self.tokens.as_text());
            self.messages.push(NewMessage {
                tokens_end: self.text.len(),
                ..message
            });
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

    fn finish(mut self) -> (Vec<NewMessage>, String) {
        self.close();
        let floor = self.floor.finish();
        self.own.turns = floor.substantive_human_turns;
        self.own.messages = floor.total_messages;
        self.own.prose = floor.assistant_prose_bytes;
        (self.messages, self.text)
    }
}
