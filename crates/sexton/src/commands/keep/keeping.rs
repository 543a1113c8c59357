//! What is true of a session's copy, and the words for it.

use sexton_register::SessionId;

use crate::documents::Outcome;

/// What the vault holds of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// Nothing.
    Nothing,
    /// A part of what there is, or was when it was taken.
    Part,
    /// A whole copy, of what the transcript was before something was written.
    Older,
    /// All of it.
    Whole,
}

/// Where the session's transcript is, and whether it is copied as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transcript {
    /// In `projects/`, and at rest.
    Rests,
    /// In `projects/`, and written to a moment ago.
    IsWritten,
    /// Not there yet: the session runs.
    Awaited,
    /// Where no copy is made of it, and why.
    OutOfReach(&'static str),
}

/// The facts of one session after a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) held: Held,
    pub(super) transcript: Transcript,
    /// What kept the pass from copying it.
    pub(super) trouble: Option<String>,
}

/// What became of the wish to keep a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Keeping {
    /// A copy of all of it is kept.
    Kept,
    /// Nothing is in the way of it, `when` something has come to pass.
    Later {
        /// What is held already.
        held: Held,
        /// When it is copied.
        when: &'static str,
    },
    /// Something is in the way.
    Not {
        /// What is held all the same.
        held: Held,
        /// What it is.
        why: String,
        /// Whether a later pass makes the copy once that is mended.
        is_tried_again: bool,
    },
}

/// Judges one session. Nothing is promised that something is known to be in the way of.
pub(super) fn keeping(seen: Seen) -> Keeping {
    let Seen {
        held,
        transcript,
        trouble,
    } = seen;
    match (held, transcript, trouble) {
        (Held::Whole, _, _) => Keeping::Kept,
        (held, Transcript::OutOfReach(why), _) => Keeping::Not {
            held,
            why: why.to_owned(),
            is_tried_again: false,
        },
        (held, _, Some(why)) => Keeping::Not {
            held,
            why,
            is_tried_again: true,
        },
        (held, Transcript::IsWritten, None) => Keeping::Later {
            held,
            when: "once it has rested for a few minutes",
        },
        (held, Transcript::Awaited, None) => Keeping::Later {
            held,
            when: "once it has a transcript",
        },
        (held, Transcript::Rests, None) => Keeping::Later {
            held,
            when: "by the next `sexton list` or `search`",
        },
    }
}

impl Keeping {
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Kept | Self::Later { .. } => Outcome::Done,
            Self::Not { .. } => Outcome::Failed,
        }
    }

    /// What is true of `session`, as a sentence; of `more` sessions besides it, if they fail alike.
    pub(super) fn sentence(&self, session: SessionId, more: usize) -> String {
        match self {
            Self::Kept => format!("a copy of {session} is kept"),
            Self::Later { held, when } => match held {
                Held::Nothing => format!("a copy of {session} will be kept {when}"),
                Held::Part => format!("a part of {session} is kept, the rest will be {when}"),
                Held::Older | Held::Whole => {
                    format!("a copy of {session} is kept, what was written since will be {when}")
                }
            },
            Self::Not { held, why, .. } => {
                let others = match more {
                    0 => String::new(),
                    more => format!(", nor of {more} more"),
                };
                match held {
                    Held::Nothing => format!("no copy of {session}{others} is kept: {why}"),
                    Held::Part => format!("no whole copy of {session}{others} is kept: {why}"),
                    Held::Older | Held::Whole => {
                        format!("no copy of what was last written in {session}{others} is kept: {why}")
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(held: Held, transcript: Transcript, trouble: Option<&str>) -> (Outcome, String) {
        let trouble = trouble.map(str::to_owned);
        let keeping = keeping(Seen {
            held,
            transcript,
            trouble,
        });
        let sentence = keeping.sentence(SessionId::from_u128(7), 0);
        (
            keeping.outcome(),
            sentence.replace(SessionId::from_u128(7).as_str(), "ID"),
        )
    }

    #[test]
    fn nothing_is_promised_that_something_is_in_the_way_of() {
        let transcripts = [
            Transcript::Rests,
            Transcript::IsWritten,
            Transcript::Awaited,
            Transcript::OutOfReach("it is gone"),
        ];
        for transcript in transcripts {
            for trouble in [None, Some("the disk is full")] {
                let whole = said(Held::Whole, transcript, trouble);
                assert_eq!(whole, (Outcome::Done, "a copy of ID is kept".to_owned()));
                let is_free = trouble.is_none() && !matches!(transcript, Transcript::OutOfReach(_));
                for held in [Held::Nothing, Held::Part, Held::Older] {
                    let (outcome, sentence) = said(held, transcript, trouble);
                    assert_eq!(outcome == Outcome::Done, is_free, "{held:?} {transcript:?} {trouble:?}");
                    assert_eq!(sentence.contains("will be"), is_free, "{sentence}");
                }
            }
        }
    }

    #[test]
    fn what_is_held_is_said() {
        for (held, later, not) in [
            (
                Held::Nothing,
                "a copy of ID will be kept once it has rested for a few minutes",
                "no copy of ID is kept: the disk is full",
            ),
            (
                Held::Part,
                "a part of ID is kept, the rest will be once it has rested for a few minutes",
                "no whole copy of ID is kept: the disk is full",
            ),
            (
                Held::Older,
                "a copy of ID is kept, what was written since will be once it has rested for a few minutes",
                "no copy of what was last written in ID is kept: the disk is full",
            ),
        ] {
            assert_eq!(said(held, Transcript::IsWritten, None).1, later);
            assert_eq!(said(held, Transcript::IsWritten, Some("the disk is full")).1, not);
        }
    }
}
