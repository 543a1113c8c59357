//! Which tool a result is of: the result names the call, and the call, earlier in the same file, named the tool.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use sexton_claude::transcript::{Item, ItemKind};

/// So many calls are remembered that have no result yet. A model makes a few at once; others were interrupted and never get one.
const MOST_OPEN: usize = 32;

/// An id and a name that are longer together, in bytes, are nobody's.
const LONGEST: usize = 256;

/// The calls that have no result yet, the oldest first: each call's id, and the tool's name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct OpenCalls(VecDeque<(String, String)>);

impl OpenCalls {
    /// Remembers a call; tells of a result which tool it is of, if its call was seen. To be told all items of a file in their order.
    pub(crate) fn take(&mut self, item: &Item<'_>) -> Option<String> {
        match &item.kind {
            ItemKind::ToolCall { name, id: Some(id) } if !item.continues && name.len() + id.len() <= LONGEST => {
                if self.0.len() == MOST_OPEN {
                    self.0.pop_front();
                }
                self.0.push_back((id.to_string(), name.to_string()));
                None
            }
            ItemKind::ToolResult { call: Some(call) } if !item.continues => {
                let at = self.0.iter().rposition(|(id, _)| id == call)?;
                self.0.remove(at).map(|(_, name)| name)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use serde_json::json;
    use sexton_claude::transcript::{Found, TranscriptReader};

    use super::*;

    fn call(id: &str, name: &str) -> String {
        let content = json!([{"type": "tool_use", "id": id, "name": name, "input": {}}]);
        json!({"type": "assistant", "message": {"role": "assistant", "content": content}}).to_string()
    }

    fn result(id: &str) -> String {
        let content = json!([{"type": "tool_result", "tool_use_id": id, "content": "x"}]);
        json!({"type": "user", "message": {"role": "user", "content": content}}).to_string()
    }

    /// What is told of each result.
    fn told(calls: &mut OpenCalls, lines: &[String]) -> Vec<Option<String>> {
        let mut told = Vec::new();
        TranscriptReader::new()
            .read(lines.join("\n").as_bytes(), &mut |found| {
                if let Found::Item(item) = found {
                    let tool = calls.take(&item);
                    if matches!(item.kind, ItemKind::ToolResult { .. }) {
                        told.push(tool);
                    }
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        told
    }

    #[test]
    fn results_come_in_any_order_and_some_never() {
        let mut calls = OpenCalls::default();
        let lines = [
            call("a", "Bash"),
            call("b", "Read"),
            result("b"),
            result("x"),
            result("a"),
            result("a"),
        ];
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(told(&mut calls, &lines), [named("Read"), None, named("Bash"), None]);
        assert_eq!(calls, OpenCalls::default());
    }

    #[test]
    fn it_goes_on_where_it_was_and_its_memory_is_bounded() {
        let mut calls = OpenCalls::default();
        let many: Vec<String> = (0..1000).map(|number| call(&format!("id{number}"), "Bash")).collect();
        told(&mut calls, &many);
        told(&mut calls, &[call(&"i".repeat(10_000), "Bash")]);
        let kept = serde_json::to_string(&calls).unwrap();
        assert!(kept.len() < 1000, "{kept}");
        let mut again: OpenCalls = serde_json::from_str(&kept).unwrap();
        assert_eq!(
            told(&mut again, &[result("id999"), result("id1")]),
            [Some("Bash".to_owned()), None]
        );
    }
}
