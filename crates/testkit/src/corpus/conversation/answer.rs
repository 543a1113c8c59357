//! What the model says and does: thoughts, words, calls of tools and their results.

use super::Conversation;
use crate::corpus::vocabulary::{Vocabulary, identifier, relative_path};

impl<'a> Conversation<'a> {
    pub(super) fn next_answer(&mut self) {
        let number = self.random.next();
        self.answer = format!("01{number:022}");
    }

    pub(super) fn thinking(&mut self, signature: usize) {
        self.begin_answer();
        self.push(&["{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\""]);
        let from = self.random.below(self.words.noise.len() - signature);
        self.out.push_str(&self.words.noise[from..from + signature]);
        self.push(&["\"}"]);
        self.end_answer("null");
    }

    pub(super) fn answer(&mut self, sentences: usize, code: usize) {
        self.begin_answer();
        self.push(&["{\"type\":\"text\",\"text\":\""]);
        self.prose(sentences);
        if code > 0 {
            self.push(&["\\n\\n```rust\\n"]);
            self.lines(|words| &words.code, code);
            self.push(&["```\\n\\n"]);
            self.prose(2);
        }
        self.push(&["\"}"]);
        self.end_answer("null");
    }

    /// A call and its result; the result stands in the record twice, as the model saw it and as the client keeps it.
    pub(super) fn tool(&mut self) {
        let id = format!("toolu_01{:022}", self.random.next());
        let path = relative_path(&mut self.random);
        let name = self.random.pick(&["Bash", "Read", "Edit", "Grep"]);
        self.begin_answer();
        self.push(&[
            "{\"type\":\"tool_use\",\"id\":\"",
            &id,
            "\",\"name\":\"",
            name,
            "\",\"input\":{",
        ]);
        match name {
            "Bash" => self.push(&[
                "\"command\":\"cargo test ",
                &path,
                " 2>&1 | tail\",\"description\":\"Run the tests of ",
                &path,
                "\"",
            ]),
            "Read" => self.push(&["\"file_path\":\"", &path, "\""]),
            "Grep" => {
                let word = identifier(&mut self.random);
                self.push(&["\"pattern\":\"", &word, "\",\"path\":\"", &path, "\""]);
            }
            _ => {
                self.push(&["\"file_path\":\"", &path, "\",\"old_string\":\""]);
                self.lines(|words| &words.code, 300);
                self.push(&["\",\"new_string\":\""]);
                self.lines(|words| &words.code, 400);
                self.push(&["\""]);
            }
        }
        self.push(&["},\"caller\":{\"type\":\"direct\"}}"]);
        self.end_answer("\"tool_use\"");

        let size = self.random.log_normal(700.0, 1.5).min(60_000.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 60,000"
        )]
        let size = size as usize;
        self.now_ms += i64::try_from(self.random.between(20, 4_000)).unwrap();
        self.begin("user");
        self.push(&[
            "\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"",
            &id,
            "\",\"type\":\"tool_result\",\"content\":\"",
        ]);
        let start = self.out.len();
        let source = if name == "Read" {
            |words: &'a Vocabulary| &words.code
        } else {
            |words: &'a Vocabulary| &words.output
        };
        self.lines(source, size);
        let result = start..self.out.len();
        self.push(&["\",\"is_error\":false}]},\"toolUseResult\":{\"stdout\":\""]);
        self.out.extend_from_within(result);
        self.push(&["\",\"stderr\":\"\",\"interrupted\":false,\"isImage\":false}"]);
        self.end();
    }

    pub(super) fn begin_answer(&mut self) {
        self.begin("assistant");
        let answer = std::mem::take(&mut self.answer);
        self.push(&[
            "\"message\":{\"model\":\"claude-opus-5-5\",\"id\":\"msg_",
            &answer,
            "\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[",
        ]);
        self.answer = answer;
    }

    pub(super) fn end_answer(&mut self, stop_reason: &str) {
        let answer = std::mem::take(&mut self.answer);
        self.push(&[
            "],\"stop_reason\":",
            stop_reason,
            ",\"stop_sequence\":null,\"usage\":{\"input_tokens\":6,\"cache_creation_input_tokens\":29152,",
        ]);
        self.push(&["\"cache_read_input_tokens\":61698,\"output_tokens\":278,\"server_tool_use\":{\"web_search_requests\":0},\"service_tier\":\"standard\"}},"]);
        self.push(&["\"requestId\":\"req_", &answer, "\",\"type\":\"assistant\""]);
        self.answer = answer;
        self.end();
    }
}
