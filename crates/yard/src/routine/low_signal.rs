//! User texts that say nothing.

use sexton_claude::transcript::{begins_with_harness_tag, is_interruption};

/// What a person types to be polite or to see whether anyone is there.
const PLEASANTRIES: [&str; 11] = [
    "hi", "hey", "hello", "yo", "sup", "thanks", "thx", "ok", "okay", "ty", "",
];

/// Commands that steer the client; with arguments that amount to a prompt they say something.
const BARE_COMMANDS: [&str; 9] = [
    "/clear", "/compact", "/resume", "/help", "/exit", "/quit", "/init", "/cost", "/review",
];

/// Whether a user text, trimmed, is no turn of the conversation.
///
/// That is: nothing, a pleasantry, a bare client command, text that begins with a tag of the harness, or an interruption notice.
/// Tool results, meta records and compact summaries are told by their record, not their text, and don't get here.
#[must_use]
pub fn is_low_signal(text: &str) -> bool {
    let text = text.trim();
    PLEASANTRIES.iter().any(|word| text.eq_ignore_ascii_case(word))
        || BARE_COMMANDS.contains(&text)
        || begins_with_harness_tag(text)
        || is_interruption(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_signal() {
        for text in [
            "",
            "  \n",
            "hi",
            "Hey",
            " hello\n",
            "yo",
            "sup",
            "thanks",
            "THX",
            "ok",
            "okay",
            "ty",
            "/clear",
            "/compact",
            "/resume",
            "/help",
            "/exit",
            "/quit",
            "/init",
            "/cost ",
            "/review",
            "<command-name>/clear</command-name>",
            "<command-message>clear</command-message>",
            "<command-args></command-args>",
            "<local-command-stdout>done</local-command-stdout>",
            "<local-command-caveat>x",
            "<system-reminder>x</system-reminder>",
            "<task-notification>x",
            "[Request interrupted by user]",
            "[Request interrupted by user for tool use]",
        ] {
            assert!(is_low_signal(text), "{text:?}");
        }
    }

    #[test]
    fn substantive() {
        for text in [
            "hi there",
            "ok, go on",
            "hello?",
            "thanks!",
            "/review the parser for overflows",
            "/compact keep the plan",
            "/deploy",
            "[Image #1] fix this",
            "<div> is not centred",
            "please run <command-name>",
            "Which day is it?",
        ] {
            assert!(!is_low_signal(text), "{text:?}");
        }
    }
}
