//! What a transcript says about its session, gathered record by record.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sexton_register::SessionId;

use super::item::{ItemKind, RecordKind};
use super::raw;
use super::record::Record;
use super::titles::{TitleSource, Titles};
use super::usage::{AnswerLedger, Usage, answer_key};

/// More distinct models or versions than this are not kept: their number has a bound.
const MOST_DISTINCT: usize = 64;

/// What was gathered from the records read so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TranscriptSummary {
    /// Names for the session.
    pub titles: Titles,
    /// Where the conversation takes place, by its own records.
    main: Place,
    /// The same by records of subagents, which may work elsewhere.
    side: Place,
    /// The models that answered, in order of appearance.
    pub models: Vec<String>,
    /// The clients' versions, in order of appearance.
    pub versions: Vec<String>,
    /// The least time of a user or assistant record, in milliseconds since the Unix epoch.
    pub first_activity_ms: Option<i64>,
    /// The greatest one: a transcript's times go back and forth, and its modification time says nothing.
    pub last_activity_ms: Option<i64>,
    /// How much of everything.
    pub counts: Counts,
    /// Tokens.
    pub usage: Usage,
    /// The session this one was forked from.
    pub forked_from: Option<SessionId>,
    /// The session in which the conversation went on, unless it went on here after all.
    pub continued_in: Option<SessionId>,
    /// The name of the session's plan, the stem of a file in `plans/`.
    pub plan: Option<String>,
}

/// Where a conversation takes place.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Place {
    first_directory: Option<String>,
    directory: Option<String>,
    branch: Option<String>,
    model: Option<String>,
    version: Option<String>,
}

/// Numbers of what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Lines that aren't blank, whatever they hold.
    pub lines: u64,
    /// Records of type `user`.
    pub user: u64,
    /// Records of type `assistant`.
    pub assistant: u64,
    /// Records of type `system`.
    pub system: u64,
    /// Attachments of hooks.
    pub hooks: u64,
    /// Prompts that people wrote.
    pub human_prompts: u64,
    /// Answers of the API; one can be several records.
    pub answers: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Results of tools.
    pub tool_results: u64,
    /// Lines that were damaged.
    pub problems: u64,
}

impl TranscriptSummary {
    /// The title and where it comes from.
    #[must_use]
    pub fn title(&self) -> Option<(&str, TitleSource)> {
        self.titles.title()
    }

    /// The session's real directory: where the newest record that tells one says that it is.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.place(|place| &place.directory).map(Path::new)
    }

    /// The directory of the first record that tells one.
    #[must_use]
    pub fn first_directory(&self) -> Option<&Path> {
        self.place(|place| &place.first_directory).map(Path::new)
    }

    /// The git branch of the newest record that tells one.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        self.place(|place| &place.branch)
    }

    /// The model of the newest answer.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.place(|place| &place.model)
    }

    /// The client's version in the newest record that tells one.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.place(|place| &place.version)
    }

    /// Whether there is a user or assistant record: without one, a transcript is a stub of bookkeeping.
    #[must_use]
    pub fn has_conversation(&self) -> bool {
        self.counts.user + self.counts.assistant > 0
    }

    fn place(&self, of: fn(&Place) -> &Option<String>) -> Option<&str> {
        of(&self.main).as_deref().or(of(&self.side).as_deref())
    }

    /// Takes in what `record` says, but for its pieces.
    pub(super) fn observe(&mut self, record: &Record<'_>, ledger: &mut AnswerLedger) {
        self.observe_place(record);
        match record.kind {
            RecordKind::User => self.counts.user += 1,
            RecordKind::Assistant => {
                self.counts.assistant += 1;
                self.observe_answer(record, ledger);
            }
            RecordKind::System => self.counts.system += 1,
            RecordKind::Title => {
                let (kind, text) = record.title();
                self.titles.set(kind, &raw::text(text).unwrap_or_default());
            }
            RecordKind::Attachment => {}
            RecordKind::Other => self.observe_bookkeeping(record),
        }
        if matches!(record.kind, RecordKind::User | RecordKind::Assistant) {
            self.observe_activity(record);
        }
    }

    /// Takes in a piece of a record.
    pub(super) fn observe_piece(&mut self, kind: &ItemKind<'_>, text: &str) {
        match kind {
            ItemKind::HumanPrompt => {
                self.counts.human_prompts += 1;
                self.titles.offer_first_prompt(text);
            }
            ItemKind::ToolCall { .. } => self.counts.tool_calls += 1,
            ItemKind::ToolResult { .. } => self.counts.tool_results += 1,
            ItemKind::Hook => self.counts.hooks += 1,
            _ => {}
        }
    }

    fn observe_place(&mut self, record: &Record<'_>) {
        let place = if record.is_sidechain {
            &mut self.side
        } else {
            &mut self.main
        };
        if let Some(cwd) = raw::non_empty(record.raw.cwd) {
            if place.first_directory.is_none() {
                place.first_directory = Some(cwd.clone().into_owned());
            }
            replace(&mut place.directory, &cwd);
        }
        if let Some(branch) = raw::non_empty(record.raw.git_branch) {
            replace(&mut place.branch, &branch);
        }
        if let Some(version) = raw::non_empty(record.raw.version) {
            if place.version.as_deref() != Some(&*version) {
                add_distinct(&mut self.versions, &version);
            }
            replace(&mut place.version, &version);
        }
    }

    fn observe_answer(&mut self, record: &Record<'_>, ledger: &mut AnswerLedger) {
        // The client's own notices stand in the model's place under this name.
        let model = raw::non_empty(record.message.model).filter(|model| model != "<synthetic>");
        if let Some(model) = model {
            let place = if record.is_sidechain {
                &mut self.side
            } else {
                &mut self.main
            };
            if place.model.as_deref() != Some(&*model) {
                add_distinct(&mut self.models, &model);
            }
            replace(&mut place.model, &model);
        }
        let key = raw::non_empty(record.message.id).map(|id| {
            let request = raw::text(record.raw.request_id).unwrap_or_default();
            answer_key(&id, &request)
        });
        let usage = Usage::parse(record.message.usage).unwrap_or_default();
        if ledger.add(key, usage, &mut self.usage) {
            self.counts.answers += 1;
        }
    }

    fn observe_activity(&mut self, record: &Record<'_>) {
        if let Some(at) = record.timestamp_ms {
            self.first_activity_ms = Some(self.first_activity_ms.map_or(at, |first| first.min(at)));
            self.last_activity_ms = Some(self.last_activity_ms.map_or(at, |last| last.max(at)));
        }
        if !raw::is_true(record.raw.is_meta) {
            // Real messages follow: the conversation went on here.
            self.continued_in = None;
        }
        if self.forked_from.is_none() && record.raw.forked_from.is_some() {
            self.forked_from = session(raw::field(record.raw.forked_from, "sessionId"));
        }
        if self.plan.is_none() {
            self.plan = raw::non_empty(record.raw.slug).map(std::borrow::Cow::into_owned);
        }
    }

    fn observe_bookkeeping(&mut self, record: &Record<'_>) {
        let directory = match &*record.type_name {
            "last-prompt" => {
                let prompt = raw::text(record.raw.last_prompt).unwrap_or_default();
                return self.titles.set_last_prompt(&prompt);
            }
            "continued-in" => {
                self.continued_in = session(record.raw.continued_in_session_id);
                return;
            }
            "relocated" => raw::non_empty(record.raw.relocated_cwd),
            // Null when the worktree was left: the next record's own directory tells where to.
            "worktree-state" => raw::non_empty(raw::field(record.raw.worktree_session, "worktreePath")),
            _ => None,
        };
        if let Some(directory) = directory {
            replace(&mut self.main.directory, &directory);
        }
    }
}

fn session(raw: raw::Raw<'_>) -> Option<SessionId> {
    SessionId::parse(&raw::text(raw)?).ok()
}

/// Sets `field`, keeping its allocation: nearly always it holds the same already.
fn replace(field: &mut Option<String>, text: &str) {
    match field {
        Some(old) if old == text => {}
        Some(old) => {
            old.clear();
            old.push_str(text);
        }
        None => *field = Some(text.to_owned()),
    }
}

fn add_distinct(list: &mut Vec<String>, text: &str) {
    if list.len() < MOST_DISTINCT && list.iter().all(|known| known != text) {
        list.push(text.to_owned());
    }
}
