//! A transcript's summary from its two ends, for lists: files of gigabytes are told in two reads.

use std::io;
use std::path::Path;

use sexton_sys::{FileIdentity, read};

use super::line;
use super::record::{Piece, Record};
use super::summary::TranscriptSummary;
use super::usage::AnswerLedger;

/// How much is read from each end, in bytes.
pub const END_LENGTH: u64 = 64 * 1024;

/// What the two ends of a transcript tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndsSummary {
    /// The summary; its counts and tokens are those of the ends.
    pub summary: TranscriptSummary,
    /// Whether the ends were all of it.
    pub is_whole: bool,
    /// The file that was read.
    pub identity: FileIdentity,
}

/// Whether a transcript holds a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Conversation {
    /// A user or assistant record was seen.
    Present,
    /// There is none: a stub of bookkeeping records.
    Absent,
    /// None was seen, but not everything was read.
    Unknown,
}

impl EndsSummary {
    /// Whether the transcript holds a conversation.
    #[must_use]
    pub fn conversation(&self) -> Conversation {
        if self.summary.has_conversation() {
            Conversation::Present
        } else if self.is_whole {
            Conversation::Absent
        } else {
            Conversation::Unknown
        }
    }
}

/// Summarises the transcript at `path` from its first and last [`END_LENGTH`] bytes.
pub fn summarize_ends(path: &Path) -> io::Result<EndsSummary> {
    let (mut file, metadata) = read::open_regular(path)?;
    let ends = read::ends(&mut file, metadata.len(), END_LENGTH)?;
    let is_whole = ends.tail_offset <= ends.head.len() as u64;
    let mut gathered = Gathered::default();
    if is_whole {
        let mut all = ends.head;
        all.extend_from_slice(&ends.tail);
        gathered.add_lines(&all);
    } else {
        let (lines, _torn) = split_last_line(&ends.head);
        gathered.add_lines(lines);
        let (torn, lines) = split_first_line(&ends.tail);
        gathered.add_suffix(torn);
        gathered.add_lines(lines);
    }
    Ok(EndsSummary {
        summary: gathered.summary,
        is_whole,
        identity: FileIdentity::of(&metadata),
    })
}

#[derive(Default)]
struct Gathered {
    summary: TranscriptSummary,
    ledger: AnswerLedger,
    scratch: String,
}

impl Gathered {
    fn add_lines(&mut self, bytes: &[u8]) {
        let bytes = line::without_mark(bytes);
        for line in bytes.split(|byte| *byte == b'\n') {
            let line = line.trim_ascii();
            if !line.is_empty() {
                self.summary.counts.lines += 1;
                let damage = line::understand(line, |record| self.add(record));
                self.summary.counts.problems += u64::from(damage.is_some());
            }
        }
    }

    fn add(&mut self, record: &Record<'_>) {
        self.summary.observe(record, &mut self.ledger);
        let summary = &mut self.summary;
        record.each_piece(&mut self.scratch, &mut |Piece { kind, chunk }| {
            if !chunk.continues {
                summary.observe_piece(&kind, chunk.text);
            }
        });
    }

    /// Takes what can be had from the end of a line whose beginning was not read: a record ends in its small fields.
    fn add_suffix(&mut self, torn: &[u8]) {
        let torn = torn.trim_ascii();
        let mut is_whole = false;
        line::understand(torn, |record| {
            is_whole = true;
            self.add(record);
        });
        if is_whole {
            return;
        }
        if let Some(object) = line::fields_from(torn, b"\"uuid\":\"", &|before| {
            // An assistant's type stands after its message, a user's before it.
            ["assistant", "attachment", "system", "progress"]
                .into_iter()
                .find(|name| before.ends_with(format!("\"type\":\"{name}\",").as_bytes()))
                .unwrap_or("user")
        }) && let Ok(record) = Record::parse(&object)
        {
            self.summary.observe(&record, &mut self.ledger);
        }
    }
}

/// Splits off what follows the last line break.
fn split_last_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at(memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1))
}

/// Splits off what precedes the first line break.
fn split_first_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at(memchr::memchr(b'\n', bytes).unwrap_or(bytes.len()))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use super::*;
    use crate::transcript::TitleSource;

    fn ends(content: impl AsRef<[u8]>) -> EndsSummary {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.jsonl");
        std::fs::write(&path, content).unwrap();
        summarize_ends(&path).unwrap()
    }

    fn user(at: &str, cwd: &str, text: &str) -> String {
        format!(
            "{{\"parentUuid\":null,\"isSidechain\":false,\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}},\
             \"uuid\":\"u\",\"timestamp\":\"2026-01-01T{at}Z\",\"cwd\":\"{cwd}\",\"version\":\"2.1.0\",\"gitBranch\":\"main\"}}\n"
        )
    }

    fn assistant(at: &str, text: &str) -> String {
        format!(
            "{{\"parentUuid\":null,\"isSidechain\":false,\"message\":{{\"model\":\"claude-opus-5-5\",\"id\":\"m\",\"role\":\"assistant\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"nested\":{{\"uuid\":\"x\"}}}},\"requestId\":\"r\",\
             \"type\":\"assistant\",\"uuid\":\"u\",\"timestamp\":\"2026-01-01T{at}Z\",\"cwd\":\"/deep\",\"version\":\"2.2.0\"}}\n"
        )
    }

    /// 09:00 on the first of January 2026.
    const NINE: i64 = 1_767_258_000_000;

    #[test]
    fn a_short_transcript_is_read_whole() {
        let content = [
            "{\"type\":\"mode\",\"mode\":\"normal\"}\n".into(),
            user("09:00:01", "/work", "fix it"),
            assistant("09:00:00", "done"),
            "{\"type\":\"relocated\",\"relocatedCwd\":\"/elsewhere\"}\n".into(),
        ];
        let ends = ends(content.concat());
        let summary = &ends.summary;
        assert_eq!(summary.title(), Some(("fix it", TitleSource::FirstPrompt)));
        assert_eq!(summary.directory(), Some(Path::new("/elsewhere")));
        assert_eq!(summary.first_directory(), Some(Path::new("/work")));
        assert_eq!(summary.model(), Some("claude-opus-5-5"));
        assert_eq!((summary.version(), summary.branch()), (Some("2.2.0"), Some("main")));
        assert_eq!(summary.first_activity_ms, Some(NINE));
        assert_eq!(summary.last_activity_ms, Some(NINE + 1000));
        assert_eq!((ends.is_whole, ends.conversation()), (true, Conversation::Present));
        assert_eq!(ends.identity.size, content.concat().len() as u64);
    }

    #[test]
    fn a_stub_and_an_empty_file_hold_no_conversation() {
        let stub = ends("{\"type\":\"mode\"}\n{\"type\":\"ai-title\",\"aiTitle\":\"left behind\"}\n");
        assert_eq!(stub.conversation(), Conversation::Absent);
        assert_eq!(stub.summary.title(), Some(("left behind", TitleSource::Ai)));
        assert_eq!(ends("").conversation(), Conversation::Absent);
    }

    #[test]
    fn of_a_long_transcript_the_ends_are_read() {
        let filler = "{\"type\":\"mode\",\"mode\":\"normal\"}\n".repeat(10_000);
        let content = [
            user("09:00:00", "/work", "first"),
            filler.clone(),
            user("12:00:00", "/middle", "unseen"),
            filler,
            "{\"type\":\"custom-title\",\"customTitle\":\"named\"}\n".into(),
            assistant("10:00:00", "last"),
        ];
        let ends = ends(content.concat());
        let summary = &ends.summary;
        assert!(!ends.is_whole);
        assert_eq!(summary.title(), Some(("named", TitleSource::Custom)));
        assert_eq!(summary.titles.first_prompt.as_deref(), Some("first"));
        assert_eq!(summary.directory(), Some(Path::new("/deep")));
        assert_eq!(summary.last_activity_ms, Some(NINE + 3_600_000));
        assert_eq!(summary.counts.problems, 0);
        let bookkeeping = super::tests::ends("{\"type\":\"mode\"}\n".repeat(20_000));
        assert_eq!(bookkeeping.conversation(), Conversation::Unknown);
    }

    #[test]
    fn a_last_record_that_is_longer_than_the_end_still_tells_when_and_where() {
        let long = "x".repeat(200_000);
        for (last, directory, version) in [
            (user("10:00:00", "/moved", &long), "/moved", "2.1.0"),
            (assistant("10:00:00", &long), "/deep", "2.2.0"),
        ] {
            let bookkeeping = "{\"type\":\"mode\"}\n";
            let ends = ends([&user("09:00:00", "/work", "first"), &last, bookkeeping].concat());
            assert_eq!(ends.summary.last_activity_ms, Some(NINE + 3_600_000));
            assert_eq!(ends.summary.directory(), Some(Path::new(directory)));
            assert_eq!(ends.summary.version(), Some(version));
            assert_eq!(ends.summary.counts.problems, 0);
        }
    }

    #[test]
    fn a_long_attachment_is_no_activity() {
        let attachment = format!(
            "{{\"attachment\":{{\"type\":\"x\",\"content\":\"{}\"}},\"type\":\"attachment\",\"uuid\":\"u\",\
             \"timestamp\":\"2026-01-01T20:00:00Z\",\"cwd\":\"/x\"}}\n",
            "x".repeat(200_000)
        );
        let ends = ends([user("09:00:00", "/work", "first"), attachment].concat());
        assert_eq!(ends.summary.last_activity_ms, Some(NINE));
    }

    #[test]
    fn a_file_that_is_torn_or_damaged_tells_the_rest() {
        let content = [
            b"\xef\xbb\xbf".to_vec(),
            user("09:00:00", "/work", "caf\u{e9}")
                .replace("\u{e9}", "\\ud83d")
                .into_bytes(),
            b"\0\0\0\0\n[1]\nnoise\n".to_vec(),
            b"{\"type\":\"custom-title\",\"customTitle\":\"a\xffb\"}\r\n".to_vec(),
            b"{\"type\":\"custom-title\",\"customTi".to_vec(),
        ];
        let ends = ends(content.concat());
        assert_eq!(ends.summary.title(), Some(("a\u{fffd}b", TitleSource::Custom)));
        assert_eq!(ends.summary.titles.first_prompt.as_deref(), Some("caf\u{fffd}"));
        assert_eq!((ends.summary.counts.lines, ends.summary.counts.problems), (6, 6));
    }
}
