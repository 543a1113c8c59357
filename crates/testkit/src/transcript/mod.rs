//! Transcripts, record by record, in the shape that Claude Code 2.1.332 writes.

mod bookkeeping;
mod envelope;

use std::fs;
use std::path::{Path, PathBuf};

use crate::ids::slug;
use crate::json::{Object, quoted};
use crate::registry::write_private;
use crate::time::NOW_MS;
use envelope::Envelope;

/// A transcript under construction.
///
/// Each record is a second younger than the one before. Nothing is added that wasn't asked for: begin with
/// [`opening`](Self::opening) for the bookkeeping that real transcripts start with.
#[derive(Debug, Clone)]
pub struct Transcript {
    envelope: Envelope,
    bytes: Vec<u8>,
}

impl Transcript {
    /// An empty transcript of a session in `/home/dev/sample`, an hour old.
    pub fn new(session: &str) -> Self {
        Self {
            envelope: Envelope::new(session, "/home/dev/sample", NOW_MS - 3_600_000),
            bytes: Vec::new(),
        }
    }

    /// Sets the working directory of the records to come; the first one decides the project directory.
    pub fn cwd(mut self, directory: &str) -> Self {
        if self.bytes.is_empty() {
            directory.clone_into(&mut self.envelope.project);
        }
        directory.clone_into(&mut self.envelope.cwd);
        self
    }

    /// Sets the time of the next record, in milliseconds since the Unix epoch.
    pub fn at_ms(mut self, ms: i64) -> Self {
        self.envelope.now_ms = ms;
        self
    }

    /// Sets the client's version.
    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.envelope.version);
        self
    }

    /// Sets the model of the answers to come.
    pub fn model(mut self, model: &str) -> Self {
        model.clone_into(&mut self.envelope.model);
        self
    }

    /// Sets the branch.
    pub fn branch(mut self, branch: &str) -> Self {
        branch.clone_into(&mut self.envelope.branch);
        self
    }

    /// Makes the records to come those of a subagent: a side chain that carries the parent's session id.
    pub fn subagent(mut self, agent: &str) -> Self {
        self.envelope.agent = Some(agent.to_owned());
        self
    }

    /// Adds bytes as they are, with no newline.
    pub fn bytes(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.bytes.extend_from_slice(bytes.as_ref());
        self
    }

    /// Adds a line as it is.
    pub fn line(self, line: impl AsRef<[u8]>) -> Self {
        self.bytes(line).bytes("\n")
    }

    /// Adds a human prompt.
    pub fn prompt(mut self, text: &str) -> Self {
        let line = self.envelope.human(&quoted(text), |record| record);
        self.line(line)
    }

    /// Adds a human prompt whose content is a list of blocks.
    pub fn prompt_blocks(mut self, texts: &[&str]) -> Self {
        let blocks = texts
            .iter()
            .map(|text| Object::new().text("type", "text").text("text", text).build());
        let content = format!("[{}]", blocks.collect::<Vec<_>>().join(","));
        let line = self.envelope.human(&content, |record| record);
        self.line(line)
    }

    /// Adds a user record that no human wrote: a caveat, a command's output, a reminder.
    pub fn meta(mut self, text: &str) -> Self {
        let line = self.envelope.user(&quoted(text), |record| record.flag("isMeta", true));
        self.line(line)
    }

    /// Adds the records of a compaction: the boundary and the summary that stands for what came before.
    pub fn compacted(mut self, summary: &str) -> Self {
        let boundary = self.envelope.system("compact_boundary", |record| {
            record
                .text("content", "Conversation compacted")
                .raw("compactMetadata", r#"{"trigger":"auto","preTokens":120000}"#)
        });
        let summary = self.envelope.user(&quoted(summary), |record| {
            record
                .flag("isVisibleInTranscriptOnly", true)
                .flag("isCompactSummary", true)
        });
        self.line(boundary).line(summary)
    }

    /// Adds an answer of one text.
    pub fn answer(self, text: &str) -> Self {
        self.answer_in_parts(&[text])
    }

    /// Adds one answer of the API as several lines with one `message.id` and growing `usage`.
    pub fn answer_in_parts(mut self, texts: &[&str]) -> Self {
        self.envelope.next_answer();
        for text in texts {
            let block = Object::new().text("type", "text").text("text", text);
            self = self.block(block, None);
        }
        self
    }

    /// Adds a thought, signed but mostly without words, as the beginning of the next answer.
    pub fn thinking(mut self, text: &str) -> Self {
        self.envelope.next_answer();
        let block = Object::new()
            .text("type", "thinking")
            .text("thinking", text)
            .text("signature", &"A".repeat(700));
        self.block(block, None)
    }

    /// Adds a call of a tool and its result; `input` is JSON.
    pub fn tool(mut self, name: &str, input: &str, output: &str) -> Self {
        let id = self.envelope.next_tool();
        self.envelope.next_answer();
        let call = Object::new()
            .text("type", "tool_use")
            .text("id", &id)
            .text("name", name)
            .raw("input", input)
            .raw("caller", r#"{"type":"direct"}"#);
        self = self.block(call, Some("tool_use"));
        let result = Object::new()
            .text("tool_use_id", &id)
            .text("type", "tool_result")
            .text("content", output)
            .flag("is_error", false);
        let detail = Object::new()
            .text("stdout", output)
            .text("stderr", "")
            .flag("interrupted", false)
            .flag("isImage", false);
        let line = self.envelope.user(&format!("[{}]", result.build()), |record| {
            record.object("toolUseResult", detail)
        });
        self.line(line)
    }

    /// Adds the end of a turn: its duration, then the last prompt and the modes once more.
    pub fn turn_end(mut self, last_prompt: &str) -> Self {
        let line = self
            .envelope
            .system("turn_duration", |record| record.number("durationMs", 2176));
        self.line(line).title("last-prompt", "lastPrompt", last_prompt)
    }

    /// A whole small session: bookkeeping, one prompt, a tool, an answer, the end of a turn.
    pub fn conversation(self, prompt: &str, answer: &str) -> Self {
        self.opening()
            .prompt(prompt)
            .tool(
                "Bash",
                r#"{"command":"cargo test","description":"Run the tests"}"#,
                "test result: ok",
            )
            .answer(answer)
            .turn_end(prompt)
    }

    /// The file's bytes so far.
    pub fn content(&self) -> &[u8] {
        &self.bytes
    }

    /// Where the transcript lies in a configuration directory: `projects/<slug>/<session>.jsonl`.
    pub fn path(&self, config_dir: &Path) -> PathBuf {
        config_dir
            .join("projects")
            .join(slug(&self.envelope.project))
            .join(format!("{}.jsonl", self.envelope.session))
    }

    /// Writes it to where it lies, 0600, modified when its last record was written, and returns the path.
    pub fn write(&self, config_dir: &Path) -> PathBuf {
        let path = self.path(config_dir);
        self.write_to(&path);
        path
    }

    /// Writes it beside its parent's transcript as `<parent>/subagents/agent-<agent>.jsonl` and returns the path.
    pub fn write_as_subagent(&self, parent_transcript: &Path) -> PathBuf {
        let agent = self.envelope.agent.as_deref().expect("`subagent` was called");
        let path = parent_transcript
            .with_extension("")
            .join("subagents")
            .join(format!("agent-{agent}.jsonl"));
        self.write_to(&path);
        path
    }

    /// Writes it anywhere.
    pub fn write_to(&self, path: &Path) {
        write_private(path, &self.bytes);
        let ms = self.envelope.now_ms - 1000;
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(ms.try_into().unwrap_or(0));
        fs::File::options()
            .append(true)
            .open(path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    }

    fn block(mut self, block: Object, stop_reason: Option<&str>) -> Self {
        let line = self.envelope.answer_line(block, stop_reason);
        self.line(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session_id;
    use serde_json::Value;

    fn records(transcript: &Transcript) -> Vec<Value> {
        let text = std::str::from_utf8(transcript.content()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn every_line_is_json_and_parents_are_chained() {
        let transcript = Transcript::new(&session_id(1))
            .opening()
            .snapshots(150_000)
            .prompt("mend \"it\"")
            .thinking("")
            .answer_in_parts(&["first", "second"])
            .tool("Bash", r#"{"command":"ls"}"#, "a\nb")
            .compacted("what was said")
            .turn_end("mend it")
            .ai_title("Mending")
            .summary("old")
            .cost_state();
        assert!(transcript.content().len() > 150_000);
        let records = records(&transcript);
        let mut last: Option<&Value> = None;
        for record in records.iter().filter(|record| record.get("uuid").is_some()) {
            assert_eq!(last.unwrap_or(&Value::Null), &record["parentUuid"]);
            last = Some(&record["uuid"]);
        }
        assert!(records[0].get("cwd").is_none(), "bookkeeping comes first");
        let parts: Vec<&Value> = records.iter().filter(|record| record["type"] == "assistant").collect();
        assert_eq!(parts[1]["message"]["id"], parts[2]["message"]["id"]);
        assert_eq!(parts[1]["requestId"], parts[2]["requestId"]);
        assert!(
            parts[1]["message"]["usage"]["output_tokens"].as_i64()
                < parts[2]["message"]["usage"]["output_tokens"].as_i64()
        );
    }

    #[test]
    fn it_lies_where_the_client_puts_it() {
        let scratch = tempfile::tempdir().unwrap();
        let transcript = Transcript::new(&session_id(1))
            .cwd("/home/dev/my.app")
            .conversation("hello there", "hi");
        let path = transcript.write(scratch.path());
        assert!(path.ends_with(format!("projects/-home-dev-my-app/{}.jsonl", session_id(1))));
        let side = Transcript::new(&session_id(1))
            .subagent("a1")
            .prompt("look")
            .write_as_subagent(&path);
        assert!(side.ends_with(format!("{}/subagents/agent-a1.jsonl", session_id(1))));
        let record: Value = serde_json::from_slice(&fs::read(side).unwrap()).unwrap();
        assert_eq!(
            (&record["isSidechain"], &record["sessionId"]),
            (&true.into(), &session_id(1).into())
        );
    }
}
