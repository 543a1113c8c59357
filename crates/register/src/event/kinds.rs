//! The kinds of event: one table from which types, reader, writer, schema and what is kept are made.

use super::field::Field;
use super::{EntryPoint, MarkState, Outcome};
use crate::Text;
use crate::kept::Keep;
use crate::line::{Fields, Writer};

/// One field as the schema describes it.
pub(crate) struct FieldDescription {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) schema: fn() -> serde_json::Value,
}

/// One kind as the schema describes it.
pub(crate) struct KindDescription {
    pub(crate) word: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) fields: &'static [FieldDescription],
}

/// The part of an event that its kind decides.
///
/// Implemented by each kind and by [`EventKind`], which is any of them; by nothing outside this crate.
pub trait Kind: sealed::Own {}

pub(crate) mod sealed {
    use crate::line::Writer;

    /// What the format needs to know of a kind.
    pub trait Own {
        /// The word in the line's `kind`.
        fn word(&self) -> &'static str;

        /// Writes the kind's own fields, in order.
        fn write_own(&self, line: &mut Writer);
    }
}

macro_rules! kinds {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident = $word:literal {
            $( $(#[doc = $field_doc:literal])* $field:ident: $type:ty, )+
        }
    )+) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, PartialEq, Eq)]
            pub struct $name {
                $( $(#[doc = $field_doc])* pub $field: $type, )+
            }

            impl $name {
                /// The word that stands for this kind in a line.
                pub const WORD: &'static str = $word;

                fn read(fields: &mut Fields<'_>) -> Option<Self> {
                    // Every field is asked for before the first missing one ends it, so that all faults are told.
                    $( let $field = fields.take::<$type>(stringify!($field)); )+
                    Some(Self { $( $field: $field?, )+ })
                }
            }

            impl Kind for $name {}

            impl Keep for $name {
                fn keep(&self, out: &mut Vec<u8>) {
                    $( self.$field.keep(out); )+
                }

                fn recall(kept: &mut $crate::kept::Reader<'_>) -> Option<Self> {
                    Some(Self { $( $field: Keep::recall(kept)?, )+ })
                }
            }

            impl sealed::Own for $name {
                fn word(&self) -> &'static str {
                    Self::WORD
                }

                fn write_own(&self, line: &mut Writer) {
                    $(
                        line.key(stringify!($field));
                        self.$field.write(line);
                    )+
                }
            }

            impl From<$name> for EventKind {
                fn from(own: $name) -> Self {
                    Self::$name(own)
                }
            }
        )+

        /// What happened.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum EventKind {
            $( $(#[doc = $doc])* $name($name), )+
        }

        impl EventKind {
            /// The words of all kinds, in the format's order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word that stands for this kind in a line.
            #[must_use]
            pub fn word(&self) -> &'static str {
                match self {
                    $( Self::$name(_) => $word, )+
                }
            }

            /// Takes the own fields of the kind that `word` names; `None` without a fault if it names none.
            pub(super) fn read(word: &str, fields: &mut Fields<'_>) -> Option<Self> {
                match word {
                    $( $word => $name::read(fields).map(Self::$name), )+
                    _ => None,
                }
            }
        }

        impl Kind for EventKind {}

        impl sealed::Own for EventKind {
            fn word(&self) -> &'static str {
                EventKind::word(self)
            }

            fn write_own(&self, line: &mut Writer) {
                match self {
                    $( Self::$name(own) => own.write_own(line), )+
                }
            }
        }

        /// Everything the schema says about the kinds.
        pub(crate) const KINDS: &[KindDescription] = &[
            $( KindDescription {
                word: $word,
                doc: concat!($($doc, "\n"),*),
                fields: &[
                    $( FieldDescription {
                        name: stringify!($field),
                        doc: concat!($($field_doc, "\n"),*),
                        schema: <$type as Field>::schema,
                    }, )+
                ],
            }, )+
        ];
    };
}

kinds! {
    /// A session began to run.
    Started = "started" {
        /// The working directory it runs in.
        cwd: Text,
        /// The configuration directory of Claude Code it runs under.
        config_dir: Text,
        /// The profile it was launched with; null when no launcher told.
        profile: Option<Text>,
        /// The version of Claude Code.
        claude_version: Option<Text>,
        /// The model it was launched with.
        model: Option<Text>,
        /// The permissions the launcher chose; null when no launcher told.
        permissions: Option<Text>,
        /// How it was entered.
        entry: EntryPoint,
        /// The path of its transcript.
        transcript: Option<Text>,
        /// The process id. Pids are used again, so it names a process only together with `at`.
        pid: Option<i64>,
    }

    /// A session stopped.
    Ended = "ended" {
        /// Whether it ended by itself or was found dead.
        outcome: Outcome,
        /// Claude Code's reason for the end; null when an observation wrote the line.
        reason: Option<Text>,
        /// An explanation for people; nothing depends on it.
        detail: Option<Text>,
    }

    /// A session carried a display name.
    Named = "named" {
        /// The name as it was seen.
        name: Text,
        /// Where Claude Code has the name from, in its own words, which may grow.
        name_source: Option<Text>,
    }

    /// A person marked the session, or cleared its mark.
    Mark = "mark" {
        /// The mark; null clears the one before.
        state: Option<MarkState>,
        /// The person's own words about it; nothing depends on them.
        note: Option<Text>,
    }

    /// A session's working directory and transcript were moved.
    Moved = "moved" {
        /// The working directory before, where known.
        old_cwd: Option<Text>,
        /// The working directory from then on.
        new_cwd: Text,
        /// The path of the transcript before.
        old_transcript: Text,
        /// The path of the transcript from then on.
        new_transcript: Text,
    }
}
