//! Sample transcripts in the client's shapes.

use serde_json::{Value, json};
use sexton_register::{SessionId, now_timestamp};

use super::Story;
use crate::render;

/// The lines of a sample session's transcript, the last message `minutes_ago` before `now_ms`; `cwd` is its working directory.
pub(super) fn transcript(story: &Story, session: SessionId, cwd: &str, version: &str, now_ms: i64) -> String {
    let id = session.to_string();
    let mut lines = vec![json!({"type": "mode", "mode": "default", "sessionId": id})];
    let mut parent = Value::Null;
    let last = now_ms - story.minutes_ago * 60_000;
    for (turn, text) in story.talk.iter().enumerate() {
        let uuid = format!("{}{:04x}", &session.as_str()[..32], turn + 1);
        let turns_left = i64::try_from(story.talk.len() - 1 - turn).unwrap_or(0);
        let at = now_timestamp(last - turns_left * 20_000);
        let common = json!({"parentUuid": parent, "isSidechain": false, "uuid": uuid, "timestamp": at.as_str(), "sessionId": id,
            "cwd": cwd, "version": version, "gitBranch": "main", "userType": "external"});
        let own = if turn % 2 == 0 {
            json!({"type": "user", "message": {"role": "user", "content": text}})
        } else {
            json!({"type": "assistant", "requestId": format!("req_{turn}"), "message": {"id": format!("msg_{id}_{turn}"), "type": "message",
                "role": "assistant", "model": story.model, "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                "usage": {"input_tokens": 1200, "output_tokens": text.len()}}})
        };
        parent = Value::String(uuid);
        lines.push(merged(common, own));
    }
    lines.push(json!({"type": "ai-title", "aiTitle": story.title, "sessionId": id}));
    render::lines(lines)
}

fn merged(mut common: Value, own: Value) -> Value {
    if let (Value::Object(common), Value::Object(own)) = (&mut common, own) {
        common.extend(own);
    }
    common
}
