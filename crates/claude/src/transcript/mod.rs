//! Transcripts, `projects/<slug>/<uuid>.jsonl`: one JSON record a line, written by many versions and damaged in many ways.
//!
//! [`summarize_ends`] tells a session's title, directory and activity from the two ends of its file, for lists; [`TranscriptReader`]
//! goes through all of it, or what was appended since, in bounded memory. Both understand what they can and count the rest.

mod count;
mod ends;
mod item;
mod line;
mod raw;
mod reader;
mod record;
mod skip;
mod state;
mod subagents;
mod summary;
mod text;
mod titles;
mod usage;

pub use count::count_lines;
pub use ends::{Conversation, END_LENGTH, EndsSummary, summarize_ends};
pub use item::{Harness, Item, ItemKind, RecordKind, TitleKind, begins_with_harness_tag, is_interruption};
pub use line::{Problem, ProblemKind};
pub use reader::{Ending, Found, LineReader, ReadError, TranscriptReader};
pub use state::ReadState;
pub use subagents::{SubagentTranscript, look_at_subagents, subagent_transcripts};
pub use summary::{Counts, TranscriptSummary};
pub use titles::{TitleSource, Titles, name_in_tail};
pub use usage::Usage;
