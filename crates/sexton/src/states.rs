//! What the states mean, in a few words for those who meet them first: in the table's help, in completions, in the documentation.

use sexton_register::State;

/// What a state means.
#[must_use]
pub fn meaning(state: State) -> &'static str {
    match state {
        State::Working => "the model works",
        State::Shell => "a command runs in its shell",
        State::Idle => "it has answered and nothing runs",
        State::Waiting => "it waits for you",
        State::Running => "a process runs it, and says no more",
        State::Unverified => "a process has its pid, but may be another one",
        State::Starting => "it was started less than a minute ago",
        State::OnHold => "you put it aside",
        State::Blocked => "you said that it can't go on",
        State::Done => "you said that it is done",
        State::Crashed => "its process is gone and never said goodbye",
        State::Exited => "it ended by itself",
    }
}
