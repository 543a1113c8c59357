//! Texts of `settings.json`, as people and programs leave them.

/// Two-space indentation, keys in an order that nobody would sort into, unknown keys, and a hook of someone else's.
pub const WITH_OTHER_HOOKS: &str = r#"{
  "theme": "dark",
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(cargo test:*)", "Read(~/projects/**)"],
    "deny": []
  },
  "aSettingOfTomorrow": {"nested": [1, 2.50, 1e3, null]},
  "hooks": {
    "SessionStart": [
      {"matcher": "startup", "hooks": [{"type": "command", "command": "/usr/local/bin/other start"}]}
    ],
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "check \"$CLAUDE_PROJECT_DIR\""}]}
    ]
  },
  "cleanupPeriodDays": 30
}
"#;

/// Four-space indentation, no hooks, no newline at the end.
pub const FOUR_SPACES: &str = "{\n    \"model\": \"opus\",\n    \"env\": {\n        \"A\": \"1\"\n    }\n}";

/// Tabs and CRLF line ends.
pub const TABS_CRLF: &str = "{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {}\r\n}\r\n";

/// One line, as a program writes it.
pub const COMPACT: &str = r#"{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}"#;

/// Comments and a trailing comma: not JSON, to be refused untouched.
pub const NOT_JSON: &str = "{\n  // my settings\n  \"model\": \"opus\",\n}\n";

/// One key twice: to be refused untouched, since nobody can tell which of the two counts.
pub const DUPLICATE_KEY: &str = "{\n  \"hooks\": {},\n  \"hooks\": {\"Stop\": []}\n}\n";

/// JSON, but `hooks` is no object.
pub const HOOKS_IS_A_LIST: &str = "{\n  \"hooks\": []\n}\n";

/// Every text that must be editable.
pub const EDITABLE: &[&str] = &[WITH_OTHER_HOOKS, FOUR_SPACES, TABS_CRLF, COMPACT, "{}", "{}\n"];

/// Every text that must be refused and left as it is.
pub const REFUSED: &[&str] = &[NOT_JSON, DUPLICATE_KEY, HOOKS_IS_A_LIST, "[]", "{", "\u{feff}{\"a\":"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editable_ones_are_json() {
        for text in EDITABLE {
            serde_json::from_str::<serde_json::Value>(text).unwrap();
        }
    }
}
