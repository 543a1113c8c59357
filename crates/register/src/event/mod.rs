//! Events: what happened to a session, as values that can't hold anything the format forbids.

mod draft;
pub(crate) mod field;
mod kinds;
mod stamp;
mod words;

pub use draft::{Draft, parse_draft};
pub use kinds::{Ended, EventKind, Kind, Mark, Moved, Named, Started};
pub(crate) use kinds::{FieldDescription, KINDS, KindDescription};
pub use stamp::{EventId, Stamps, new_event_id};
pub use words::{EntryPoint, MarkState, Outcome, Source};

use crate::line::{Fault, Fields, InvalidLine, Writer};
use crate::{SessionId, Text, Timestamp};
use field::Field;

/// The version every line carries, and the only one that is read; `FORMAT_VERSION` of the lifecycle document.
pub const FORMAT_VERSION: i64 = 1;

/// One fact about one session, and one line of its file.
///
/// `Event` is an event of any kind; `Event<Started>` and its like are the lifecycle document's `StartedEvent`,
/// `EndedEvent`, `NamedEvent` and `MarkEvent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event<K = EventKind> {
    /// Unique over all events; ours begin with the time they were made.
    pub id: EventId,
    /// When it happened.
    pub at: Timestamp,
    /// To which session.
    pub session: SessionId,
    /// Who wrote it down.
    pub source: Source,
    /// What happened.
    pub kind: K,
}

/// The fields that every line has between `format_version` and `kind`, for the schema.
pub(crate) const COMMON_FIELDS: &[FieldDescription] = &[
    FieldDescription {
        name: "id",
        doc: "Unique over all events.",
        schema: EventId::schema,
    },
    FieldDescription {
        name: "at",
        doc: "When it happened: an RFC 3339 date-time with an offset.",
        schema: Timestamp::schema,
    },
    FieldDescription {
        name: "session",
        doc: "The session, which is also the name of the file the line is in.",
        schema: SessionId::schema,
    },
    FieldDescription {
        name: "source",
        doc: "Who wrote the line.",
        schema: Source::schema,
    },
];

impl<K: Kind> Event<K> {
    /// The event as one canonical line without its newline; see [`event_to_json`].
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut line = Writer::new();
        self.write(&mut line);
        line.finish()
    }

    pub(crate) fn write(&self, line: &mut Writer) {
        line.open();
        line.key("format_version");
        line.integer(FORMAT_VERSION);
        line.key("id");
        self.id.write(line);
        line.key("at");
        self.at.write(line);
        line.key("session");
        self.session.write(line);
        line.key("source");
        self.source.write(line);
        line.key("kind");
        line.text(self.kind.word());
        self.kind.write_own(line);
        line.close();
    }
}

impl<K> Event<K> {
    /// The same event with its kind in another type.
    pub(crate) fn with_kind<L>(self, change: impl FnOnce(K) -> L) -> Event<L> {
        let Self {
            id,
            at,
            session,
            source,
            kind,
        } = self;
        Event {
            id,
            at,
            session,
            source,
            kind: change(kind),
        }
    }
}

macro_rules! any_kind {
    ($($kind:ident),+) => {
        $(impl From<Event<$kind>> for Event {
            fn from(event: Event<$kind>) -> Self {
                event.with_kind(EventKind::from)
            }
        })+
    };
}

any_kind!(Started, Ended, Named, Mark, Moved);

/// Renders one canonical line without its newline; `event_to_json` of the lifecycle document.
///
/// Compact, pure ASCII, keys in the format's order, every key present. An [`Event`] can't hold what the format refuses,
/// so whatever this renders, [`parse_event`] accepts.
#[must_use]
pub fn event_to_json<K: Kind>(event: &Event<K>) -> String {
    event.to_json()
}

/// Reads one line, with or without surrounding white space; `parse_event` of the lifecycle document.
///
/// Any JSON spelling of the object will do, but every key must be there once, no other key may be, and every value must
/// be what the format asks for. The error names all faults it finds; [`crate::LifecycleError`] adds file and line.
pub fn parse_event(line: &str) -> Result<Event, InvalidLine> {
    let mut fields = Fields::parse(line.trim())?;
    fields.take_version("format_version", FORMAT_VERSION);
    if !fields.is_sound() {
        // Another version may have other fields; what this one thinks of them helps nobody.
        return fields.finish(None);
    }
    let id = fields.take("id");
    let at = fields.take("at");
    let (session, source, kind) = read_rest(&mut fields);
    let event = (|| {
        Some(Event {
            id: id?,
            at: at?,
            session: session?,
            source: source?,
            kind: kind?,
        })
    })();
    fields.finish(event)
}

/// Takes what stands behind `id` and `at` in a line, and refuses what is left over.
fn read_rest(fields: &mut Fields<'_>) -> (Option<SessionId>, Option<Source>, Option<EventKind>) {
    let session = fields.take("session");
    let source = fields.take("source");
    let kind = fields.take::<KindWord>("kind").and_then(|KindWord(word)| {
        let kind = EventKind::read(word, fields);
        // Which keys are too many can only be told for a kind that is known.
        fields.refuse_the_rest();
        kind
    });
    (session, source, kind)
}

/// The `kind` of a line, known to be one of [`EventKind::WORDS`].
struct KindWord(&'static str);

impl Field for KindWord {
    fn read(value: crate::line::Value<'_>) -> Result<Self, Fault> {
        let word = value.text()?;
        let known = EventKind::WORDS.iter().find(|known| **known == word);
        known
            .map(|word| Self(word))
            .ok_or_else(|| value.unknown_word(EventKind::WORDS))
    }

    fn write(&self, line: &mut Writer) {
        line.text(self.0);
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({ "enum": EventKind::WORDS })
    }
}

impl From<Text> for EventId {
    fn from(text: Text) -> Self {
        Self::of_text(text)
    }
}
