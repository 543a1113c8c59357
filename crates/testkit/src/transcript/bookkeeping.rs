//! The records around a conversation: what comes first, titles, pointers, costs.

use super::Transcript;
use crate::json::Object;
use crate::time::iso;

impl Transcript {
    /// Adds the bookkeeping that comes first: mode, permission mode, latch, file history snapshot. None of it has a `cwd`.
    pub fn opening(self) -> Self {
        let id = self.envelope.session.clone();
        let message = self.envelope.next_uuid();
        let snapshot = Object::new()
            .text("messageId", &message)
            .raw("trackedFileBackups", "{}")
            .text("timestamp", &iso(self.envelope.now_ms));
        let history = Object::new()
            .text("type", "file-history-snapshot")
            .text("messageId", &message)
            .object("snapshot", snapshot)
            .flag("isSnapshotUpdate", false);
        self.line(
            Object::new()
                .text("type", "mode")
                .text("mode", "normal")
                .text("sessionId", &id)
                .build(),
        )
        .line(
            Object::new()
                .text("type", "permission-mode")
                .text("permissionMode", "auto")
                .text("sessionId", &id)
                .build(),
        )
        .line(
            Object::new()
                .text("type", "atis-latch")
                .text("atis", "")
                .text("sessionId", &id)
                .build(),
        )
        .line(history.build())
    }

    /// Adds `bytes` bytes or a little more of prompt snapshots and request shapes, as a new transcript has about 150,000 of them.
    pub fn snapshots(mut self, bytes: usize) -> Self {
        let prose = "You are an interactive agent that helps users with software engineering tasks. ";
        let half = prose.repeat(bytes / 2 / prose.len() + 1);
        let snapshot = Object::new()
            .text("type", "prompt_snapshot")
            .text("systemPrompt", &half);
        self = self.attachment(snapshot);
        let id = self.envelope.session.clone();
        self.line(
            Object::new()
                .text("type", "api-request-blob")
                .text("sessionId", &id)
                .text("hash", "5f3c")
                .text("message", &half)
                .build(),
        )
    }

    /// Adds an `attachment` record, which is noise for search.
    pub fn attachment(mut self, attachment: Object) -> Self {
        let line = self
            .envelope
            .record("attachment", |record| record.object("attachment", attachment));
        self.line(line)
    }

    /// Adds a `custom-title`, given by the user; empty clears.
    pub fn custom_title(self, title: &str) -> Self {
        self.title("custom-title", "customTitle", title)
    }

    /// Adds an `ai-title`.
    pub fn ai_title(self, title: &str) -> Self {
        self.title("ai-title", "aiTitle", title)
    }

    /// Adds an `agent-name`.
    pub fn agent_name(self, name: &str) -> Self {
        self.title("agent-name", "agentName", name)
    }

    /// Adds a `summary`, as old versions wrote them: without a session id.
    pub fn summary(self, text: &str) -> Self {
        let leaf = self.envelope.next_uuid();
        self.line(
            Object::new()
                .text("type", "summary")
                .text("summary", text)
                .text("leafUuid", &leaf)
                .build(),
        )
    }

    /// Adds a `continued-in`: the conversation went on under another id.
    pub fn continued_in(self, session: &str) -> Self {
        self.title("continued-in", "continuedInSessionId", session)
    }

    /// Adds a `relocated`: the session's directory is now another.
    pub fn relocated(self, directory: &str) -> Self {
        self.title("relocated", "relocatedCwd", directory)
    }

    /// Adds a `cost-state`, the last thing a client writes.
    pub fn cost_state(self) -> Self {
        let id = self.envelope.session.clone();
        self.line(
            Object::new()
                .text("type", "cost-state")
                .text("sessionId", &id)
                .raw("totalCostUSD", "0.058068")
                .raw(
                    "modelUsage",
                    r#"{"claude-opus-5-5":{"inputTokens":14457,"outputTokens":12}}"#,
                )
                .build(),
        )
    }

    pub(super) fn title(self, kind: &str, key: &str, value: &str) -> Self {
        let id = self.envelope.session.clone();
        self.line(
            Object::new()
                .text("type", kind)
                .text(key, value)
                .text("sessionId", &id)
                .build(),
        )
    }
}
