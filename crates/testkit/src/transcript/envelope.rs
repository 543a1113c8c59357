//! What each record of a conversation carries around its message.

use std::cell::Cell;

use crate::json::Object;
use crate::time::iso;

#[derive(Debug, Clone)]
pub(super) struct Envelope {
    pub(super) session: String,
    pub(super) project: String,
    pub(super) cwd: String,
    pub(super) version: String,
    pub(super) model: String,
    pub(super) branch: String,
    pub(super) agent: Option<String>,
    pub(super) now_ms: i64,
    parent: Option<String>,
    uuids: Cell<u32>,
    answers: u32,
    tools: u32,
    output_tokens: i64,
}

impl Envelope {
    pub(super) fn new(session: &str, cwd: &str, now_ms: i64) -> Self {
        Self {
            session: session.to_owned(),
            project: cwd.to_owned(),
            cwd: cwd.to_owned(),
            version: "2.1.332".to_owned(),
            model: "claude-opus-5-5".to_owned(),
            branch: "main".to_owned(),
            agent: None,
            now_ms,
            parent: None,
            uuids: Cell::new(0),
            answers: 0,
            tools: 0,
            output_tokens: 0,
        }
    }

    /// A uuid that no other record of this transcript has.
    pub(super) fn next_uuid(&self) -> String {
        let number = self.uuids.get();
        self.uuids.set(number + 1);
        let head: String = self.session.chars().filter(char::is_ascii_hexdigit).take(8).collect();
        let side = u32::from(self.agent.is_some());
        format!("{head:0>8}-{side:04x}-4000-8000-{number:012x}")
    }

    pub(super) fn next_tool(&mut self) -> String {
        self.tools += 1;
        format!("toolu_01{:022}", self.tools)
    }

    /// Begins a new answer of the API: the lines that follow share its ids.
    pub(super) fn next_answer(&mut self) {
        self.answers += 1;
        self.output_tokens = 0;
    }

    /// A record of the conversation: chained to the one before, stamped, with session, directory and version at its end.
    pub(super) fn record(&mut self, kind: &str, body: impl FnOnce(Object) -> Object) -> String {
        let uuid = self.next_uuid();
        let mut record = Object::new()
            .text_or_null("parentUuid", self.parent.as_deref())
            .flag("isSidechain", self.agent.is_some());
        if let Some(agent) = &self.agent {
            record = record.text("agentId", agent);
        }
        // Assistant records name their type after the message, all others before it: a reader must not rely on either.
        if kind != "assistant" {
            record = record.text("type", kind);
        }
        record = body(record);
        if kind == "assistant" {
            record = record.text("type", kind);
        }
        record = record
            .text("uuid", &uuid)
            .text("timestamp", &iso(self.now_ms))
            .text("userType", "external")
            .text("entrypoint", "cli")
            .text("cwd", &self.cwd)
            .text("sessionId", &self.session)
            .text("version", &self.version)
            .text("gitBranch", &self.branch);
        self.parent = Some(uuid);
        self.now_ms += 1000;
        record.build()
    }

    pub(super) fn user(&mut self, content: &str, extra: impl FnOnce(Object) -> Object) -> String {
        let message = Object::new().text("role", "user").raw("content", content);
        self.record("user", |record| extra(record.object("message", message)))
    }

    pub(super) fn human(&mut self, content: &str, extra: impl FnOnce(Object) -> Object) -> String {
        self.user(content, |record| {
            extra(
                record
                    .text("permissionMode", "auto")
                    .raw("origin", r#"{"kind":"human"}"#)
                    .text("promptSource", "typed"),
            )
        })
    }

    pub(super) fn system(&mut self, subtype: &str, body: impl FnOnce(Object) -> Object) -> String {
        self.record("system", |record| {
            body(record.text("subtype", subtype)).flag("isMeta", false)
        })
    }

    pub(super) fn answer_line(&mut self, block: Object, stop_reason: Option<&str>) -> String {
        self.output_tokens += 25;
        let usage = Object::new()
            .number("input_tokens", 6)
            .number("cache_creation_input_tokens", 29152)
            .number("cache_read_input_tokens", 61698)
            .number("output_tokens", self.output_tokens)
            .text("service_tier", "standard");
        let message = Object::new()
            .text("model", &self.model)
            .text("id", &format!("msg_01{:022}", self.answers))
            .text("type", "message")
            .text("role", "assistant")
            .array("content", [block.build()])
            .text_or_null("stop_reason", stop_reason)
            .raw("stop_sequence", "null")
            .object("usage", usage);
        let request = format!("req_011{:021}", self.answers);
        self.record("assistant", |record| {
            record.object("message", message).text("requestId", &request)
        })
    }
}
