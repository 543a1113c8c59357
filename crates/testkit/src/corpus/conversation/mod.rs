//! One generated transcript, written to its file in pieces.

mod answer;
mod line;

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::needles;
use super::plan::{SessionPlan, uuid};
use super::vocabulary::{Vocabulary, identifier};
use crate::random::Random;
use crate::time::iso;

/// Written out whenever this much has gathered, so that memory doesn't grow with the session.
const FLUSH_AT: usize = 1 << 20;

/// Writes the records of one transcript.
pub(super) struct Conversation<'a> {
    words: &'a Vocabulary,
    random: Random,
    speaks_cjk: bool,
    side_chain: bool,
    head: String,
    tail: String,
    own_words: [String; 3],
    parent: String,
    answer: String,
    prompt: Range<usize>,
    out: String,
    file: File,
    written: u64,
    now_ms: i64,
    id: String,
}

/// What was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    pub(super) bytes: u64,
    pub(super) last_ms: i64,
}

impl<'a> Conversation<'a> {
    /// Creates the file, 0600; `agent` makes it a subagent's.
    pub(super) fn create(
        path: &Path,
        plan: &SessionPlan,
        words: &'a Vocabulary,
        mut random: Random,
        agent: Option<&str>,
    ) -> Self {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let version = if plan.number.is_multiple_of(3) {
            "2.1.332"
        } else {
            "2.1.92"
        };
        let head = match agent {
            Some(agent) => format!(",\"isSidechain\":true,\"agentId\":\"{agent}\","),
            None => ",\"isSidechain\":false,".to_owned(),
        };
        let tail = format!(
            ",\"userType\":\"external\",\"entrypoint\":\"cli\",\"cwd\":\"{}\",\"sessionId\":\"{}\",\"version\":\"{version}\",\"gitBranch\":\"main\"}}\n",
            plan.cwd, plan.id
        );
        let own_words = std::array::from_fn(|_| format!("{}_{:04x}", identifier(&mut random), random.below(0x10000)));
        Self {
            words,
            speaks_cjk: plan.speaks_cjk,
            side_chain: agent.is_some(),
            head,
            tail,
            own_words,
            parent: "null".to_owned(),
            answer: String::new(),
            prompt: 0..0,
            out: String::with_capacity(FLUSH_AT + FLUSH_AT / 4),
            file: File::options()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path)
                .unwrap(),
            written: 0,
            now_ms: plan.started_ms,
            id: plan.id.clone(),
            random,
        }
    }

    /// Writes turns until about `bytes` are reached, and at least one.
    pub(super) fn write(mut self, number: usize, bytes: u64) -> Written {
        if !self.side_chain {
            self.opening(bytes);
        }
        self.prompt(Some(number));
        loop {
            self.turn(bytes);
            if self.written + self.out.len() as u64 >= bytes {
                break;
            }
            self.now_ms += i64::try_from(self.random.between(5_000, 600_000)).unwrap();
            self.prompt(None);
        }
        self.flush();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(u64::try_from(self.now_ms).unwrap());
        self.file.set_modified(time).unwrap();
        Written {
            bytes: self.written,
            last_ms: self.now_ms,
        }
    }

    /// The bookkeeping that comes first, and in larger sessions the snapshots of prompts and requests.
    fn opening(&mut self, bytes: u64) {
        let id = self.id.clone();
        for (kind, member) in [
            ("mode", "\"mode\":\"normal\""),
            ("permission-mode", "\"permissionMode\":\"auto\""),
        ] {
            self.push(&["{\"type\":\"", kind, "\",", member, ",\"sessionId\":\"", &id, "\"}\n"]);
        }
        let at = iso(self.now_ms);
        let message = uuid(&mut self.random);
        self.push(&[
            "{\"type\":\"file-history-snapshot\",\"messageId\":\"",
            &message,
            "\",\"snapshot\":{\"messageId\":\"",
            &message,
        ]);
        self.push(&[
            "\",\"trackedFileBackups\":{},\"timestamp\":\"",
            &at,
            "\"},\"isSnapshotUpdate\":false}\n",
        ]);
        if bytes > 40_000 {
            let skills = usize::try_from(bytes / 20).unwrap().min(20_000);
            self.attachment("skill_listing", "content", skills);
        }
        if bytes > 300_000 {
            self.attachment("prompt_snapshot", "systemPrompt", 75_000);
            self.push(&[
                "{\"type\":\"api-request-blob\",\"sessionId\":\"",
                &id,
                "\",\"hash\":\"5f3c\",\"message\":\"",
            ]);
            self.prose_of(75_000);
            self.push(&["\"}\n"]);
        }
    }

    fn attachment(&mut self, kind: &str, key: &str, bytes: usize) {
        self.begin("attachment");
        self.push(&["\"attachment\":{\"type\":\"", kind, "\",\"", key, "\":\""]);
        self.prose_of(bytes);
        self.push(&["\"}"]);
        self.end();
    }

    /// A human prompt; the first one of a session may hold a needle.
    fn prompt(&mut self, first_of: Option<usize>) {
        self.begin("user");
        self.push(&["\"message\":{\"role\":\"user\",\"content\":\""]);
        let start = self.out.len();
        if let Some(number) = first_of.filter(|_| !self.side_chain) {
            for needle in needles::of(number) {
                self.push(&[needle, ". "]);
            }
            if self.speaks_cjk {
                self.push(&[needles::CJK, "。"]);
            }
        }
        let sentences = self.random.between(1, 4);
        self.prose(sentences);
        self.prompt = start..self.out.len().min(start + 200);
        while !self.out.is_char_boundary(self.prompt.end) || self.out[self.prompt.clone()].ends_with('\\') {
            self.prompt.end -= 1;
        }
        self.push(&["\"},\"permissionMode\":\"auto\",\"origin\":{\"kind\":\"human\"},\"promptSource\":\"typed\""]);
        self.end();
    }

    /// Tools and thoughts, then the words that answer the prompt, then the end of the turn.
    fn turn(&mut self, bytes: u64) {
        let last_prompt = self.out[self.prompt.clone()].to_owned();
        while self.random.percent(85) && self.written + (self.out.len() as u64) < bytes {
            self.next_answer();
            if self.random.percent(25) {
                let signature = self.random.log_normal(900.0, 1.2).min(20_000.0);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "between 0 and 20,000"
                )]
                self.thinking(signature as usize);
            }
            if self.random.percent(25) {
                let sentences = self.random.between(1, 3);
                self.answer(sentences, 0);
            }
            self.tool();
            if self.out.len() > FLUSH_AT {
                self.flush();
            }
        }
        self.next_answer();
        let sentences = self.random.between(2, 12);
        let code = if self.random.percent(30) { 400 } else { 0 };
        self.answer(sentences, code);
        if !self.side_chain {
            self.begin("system");
            self.push(&["\"subtype\":\"turn_duration\",\"durationMs\":2176,\"messageCount\":8,\"isMeta\":false"]);
            self.end();
            self.title("ai-title", "aiTitle", 12);
            let id = self.id.clone();
            self.push(&[
                "{\"type\":\"last-prompt\",\"lastPrompt\":\"",
                &last_prompt,
                "\",\"sessionId\":\"",
                &id,
                "\"}\n",
            ]);
        }
    }

    fn title(&mut self, kind: &str, key: &str, percent: usize) {
        if self.random.percent(percent) {
            let id = self.id.clone();
            let words = self.own_words[0].replace('_', " ");
            self.push(&[
                "{\"type\":\"",
                kind,
                "\",\"",
                key,
                "\":\"",
                &words,
                "\",\"sessionId\":\"",
                &id,
                "\"}\n",
            ]);
        }
    }
}
