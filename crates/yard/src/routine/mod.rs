//! The routine floor: which sessions are so small that nobody would miss them.
//!
//! A rule of arithmetic, without a model. It sorts sessions down and can narrow a filter; it never hides without saying how many,
//! and never leads to a purge.

mod floor;
mod low_signal;

pub use floor::{FloorCounter, is_routine};
pub use low_signal::is_low_signal;

/// Assistant prose up to this many bytes leaves a one-prompt session routine.
const MOST_PROSE_BYTES: u64 = 400;

/// One transcript record that counts, as far as the floor cares.
///
/// Records of other kinds (titles, snapshots, attachments that no hook made) are not handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FloorMessage<'a> {
    /// A `user` record with text that is neither meta, a compact summary nor a tool result: a person's turn, unless it is low-signal.
    Human(&'a str),
    /// Any other `user` record (tool result, meta, compact summary), a `system` record, or an attachment of a hook.
    Bookkeeping,
    /// An `assistant` record.
    Assistant {
        /// Bytes of its text blocks; tool calls and thinking count nothing.
        prose_bytes: u64,
    },
}

/// What the floor was measured from; `FloorStats` in the reference implementation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FloorStats {
    /// Turns of a person that say something.
    pub substantive_human_turns: u64,
    /// Every record that counts, tool results and hook banners included: many of them keep a session from being routine.
    pub total_messages: u64,
    /// Bytes, not characters, of what the assistant wrote as text.
    pub assistant_prose_bytes: u64,
}

impl FloorStats {
    /// Counts one more record.
    pub fn add(&mut self, message: FloorMessage<'_>) {
        self.total_messages = self.total_messages.saturating_add(1);
        match message {
            FloorMessage::Human(text) if !is_low_signal(text) => self.substantive_human_turns += 1,
            FloorMessage::Human(_) | FloorMessage::Bookkeeping => {}
            FloorMessage::Assistant { prose_bytes } => {
                self.assistant_prose_bytes = self.assistant_prose_bytes.saturating_add(prose_bytes);
            }
        }
    }

    /// Whether these figures are a routine session's.
    ///
    /// Every figure only grows, so that `false` stays `false` however much of the transcript is left unread.
    #[must_use]
    pub fn is_routine(&self) -> bool {
        let nobody_spoke = self.substantive_human_turns == 0 && self.total_messages <= 2;
        let one_short_exchange = self.substantive_human_turns <= 1
            && self.total_messages <= 4
            && self.assistant_prose_bytes <= MOST_PROSE_BYTES;
        nobody_spoke || one_short_exchange
    }
}

/// Whether a session of these messages is routine, and why; `EvaluateMathFloor` in the reference implementation.
///
/// No messages at all are routine.
#[must_use]
pub fn evaluate_floor<'a>(messages: impl IntoIterator<Item = FloorMessage<'a>>) -> (bool, FloorStats) {
    let mut stats = FloorStats::default();
    for message in messages {
        stats.add(message);
    }
    (stats.is_routine(), stats)
}

#[cfg(test)]
mod tests {
    use super::FloorMessage::{Assistant, Bookkeeping, Human};
    use super::*;

    fn prose(text: &str) -> FloorMessage<'static> {
        Assistant {
            prose_bytes: text.len() as u64,
        }
    }

    fn figures(messages: &[FloorMessage<'_>]) -> (bool, [u64; 3]) {
        let (routine, stats) = evaluate_floor(messages.iter().copied());
        let FloorStats {
            substantive_human_turns,
            total_messages,
            assistant_prose_bytes,
        } = stats;
        (
            routine,
            [substantive_human_turns, total_messages, assistant_prose_bytes],
        )
    }

    #[test]
    fn nothing_is_routine() {
        assert_eq!(figures(&[]), (true, [0, 0, 0]));
    }

    #[test]
    fn leaving_at_once_is_routine() {
        assert_eq!(figures(&[Human("/exit"), prose("Goodbye")]), (true, [0, 2, 7]));
    }

    #[test]
    fn one_question_with_a_word_for_an_answer_is_routine() {
        assert_eq!(
            figures(&[Human("Which day is it?"), prose("Tuesday")]),
            (true, [1, 2, 7])
        );
    }

    #[test]
    fn one_prompt_that_did_much_is_not() {
        let mut messages = vec![Human("fix the build")];
        for _ in 0..20 {
            messages.extend([Assistant { prose_bytes: 0 }, Bookkeeping]);
        }
        messages.push(prose(&"x".repeat(401)));
        assert_eq!(figures(&messages), (false, [1, 42, 401]));
    }

    #[test]
    fn two_turns_are_a_conversation() {
        let messages = [Human("why?"), prose("so"), Human("and then?"), prose("this")];
        assert_eq!(figures(&messages), (false, [2, 4, 6]));
    }

    #[test]
    fn the_prose_limit_is_exact_and_in_bytes() {
        assert!(figures(&[Human("why?"), prose(&"x".repeat(400))]).0);
        assert!(!figures(&[Human("why?"), prose(&"x".repeat(401))]).0);
        assert!(!figures(&[Human("why?"), prose(&"é".repeat(201))]).0);
        assert!(figures(&[Human("why?"), prose(&"é".repeat(200))]).0);
    }

    #[test]
    fn two_records_without_a_person_are_routine_whatever_was_written() {
        assert!(figures(&[prose(&"x".repeat(9000)), Bookkeeping]).0);
        assert!(!figures(&[prose(&"x".repeat(9000)), Bookkeeping, Bookkeeping]).0);
    }

    #[test]
    fn hook_banners_and_tool_results_count_as_messages() {
        let four = [Human("why?"), Bookkeeping, Bookkeeping, prose("so")];
        assert!(figures(&four).0);
        let five = [Human("why?"), Bookkeeping, Bookkeeping, Bookkeeping, prose("so")];
        assert!(!figures(&five).0);
    }

    #[test]
    fn what_is_not_routine_stays_so() {
        let mut stats = FloorStats::default();
        for message in [
            Human("one"),
            Human("two"),
            Bookkeeping,
            prose("x"),
            Bookkeeping,
            Human("hi"),
        ] {
            let before = stats.is_routine();
            stats.add(message);
            assert!(before || !stats.is_routine());
        }
        assert!(!stats.is_routine());
    }
}
