//! The closed vocabularies of the format.

/// Makes an enum whose variants are words of the format, readable and writable as a field.
macro_rules! words {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $variant_doc:literal])* $variant:ident = $word:literal,)+ }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[doc = $variant_doc])* $variant,)+
        }

        impl $name {
            /// Every value, in the format's order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            const WORDS: &[&str] = &[$($word),+];

            /// The word the format has for it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The value that `word` names, if it is one.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl $crate::event::field::Field for $name {
            fn read(value: $crate::line::Value<'_>) -> Result<Self, $crate::line::Fault> {
                let word = value.text()?;
                Self::from_word(&word).ok_or_else(|| value.unknown_word(Self::WORDS))
            }

            fn write(&self, line: &mut $crate::line::Writer) {
                line.text(self.as_str());
            }

            fn schema() -> serde_json::Value {
                serde_json::json!({ "enum": Self::WORDS })
            }
        }

        impl $crate::kept::Keep for $name {
            fn keep(&self, out: &mut Vec<u8>) {
                out.extend(Self::ALL.iter().position(|one| one == self).and_then(|at| u8::try_from(at).ok()));
            }

            fn recall(kept: &mut $crate::kept::Reader<'_>) -> Option<Self> {
                Self::ALL.get(usize::from(u8::recall(kept)?)).copied()
            }
        }
    };
}

words! {
    /// Who wrote a line.
    Source {
        /// A hook that Claude Code called.
        Hook = "hook",
        /// A person, through a command.
        User = "user",
        /// An observation pass that looked at what is running.
        Sweep = "sweep",
    }
}

words! {
    /// How a session was entered, in the words of Claude Code's own `SessionStart` hook.
    EntryPoint {
        /// A new session.
        Startup = "startup",
        /// An old one continued.
        Resume = "resume",
        /// A new one after `/clear`.
        Clear = "clear",
        /// The same one after its context was compacted.
        Compact = "compact",
        /// A new one that begins as a copy of another.
        Fork = "fork",
    }
}

words! {
    /// How a session stopped.
    Outcome {
        /// Claude Code reported the end.
        Exited = "exited",
        /// An observation found neither a process nor a reported end.
        Crashed = "crashed",
    }
}

words! {
    /// What a person says about a session.
    MarkState {
        /// Put aside, to be taken up again.
        OnHold = "on-hold",
        /// Can't go on until something else happens.
        Blocked = "blocked",
        /// Nothing is left to do.
        Done = "done",
    }
}
