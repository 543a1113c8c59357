//! Events that are yet to be stamped.

use super::{Event, EventId, EventKind, FORMAT_VERSION, Source, Stamps, read_rest};
use crate::line::{Fields, InvalidLine};
use crate::{SessionId, Timestamp};

/// An event as its author states it, who usually leaves id and time to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft<K = EventKind> {
    /// The id, if it is given already.
    pub id: Option<EventId>,
    /// When it happened, if that is given already.
    pub at: Option<Timestamp>,
    /// To which session.
    pub session: SessionId,
    /// Who writes it down.
    pub source: Source,
    /// What happened.
    pub kind: K,
}

impl<K> Draft<K> {
    /// An event that gets its id and time when it is written.
    #[must_use]
    pub fn new(session: SessionId, source: Source, kind: K) -> Self {
        Self {
            id: None,
            at: None,
            session,
            source,
            kind,
        }
    }

    /// The same draft, dated now, or `at` if that is later in the store's order.
    ///
    /// For an event that answers one in the file. The order is that of the text, and the other's clock may be ahead or its
    /// time spelled with another offset; an answer that sorts before what it answers would count for nothing, and be
    /// given again and again.
    #[must_use]
    pub fn not_before(mut self, at: &Timestamp, stamps: &Stamps<'_>) -> Self {
        self.at = Some(stamps.at().max(at.clone()));
        self
    }

    /// The event with what was left open filled in; fails only if the kernel has no random bits to give.
    pub fn stamp(self, stamps: &Stamps<'_>) -> std::io::Result<Event<K>> {
        let Self {
            id,
            at,
            session,
            source,
            kind,
        } = self;
        let id = id.map_or_else(|| stamps.id(), Ok)?;
        Ok(Event {
            id,
            at: at.unwrap_or_else(|| stamps.at()),
            session,
            source,
            kind,
        })
    }

    /// The same draft as one of any kind.
    #[must_use]
    pub fn any_kind(self) -> Draft
    where
        K: Into<EventKind>,
    {
        let Self {
            id,
            at,
            session,
            source,
            kind,
        } = self;
        Draft {
            id,
            at,
            session,
            source,
            kind: kind.into(),
        }
    }
}

impl<K> From<Event<K>> for Draft<K> {
    fn from(event: Event<K>) -> Self {
        let Event {
            id,
            at,
            session,
            source,
            kind,
        } = event;
        Self {
            id: Some(id),
            at: Some(at),
            session,
            source,
            kind,
        }
    }
}

/// Reads an event that another program wants written.
///
/// As [`crate::parse_event`], but `format_version` may be left out, and `id` and `at` may be left out or empty.
pub fn parse_draft(json: &str) -> Result<Draft, InvalidLine> {
    let mut fields = Fields::parse(json.trim())?;
    fields.take_version_if_given("format_version", FORMAT_VERSION);
    if !fields.is_sound() {
        return fields.finish(None);
    }
    let id = fields.take_if_given("id");
    let at = fields.take_if_given("at");
    let (session, source, kind) = read_rest(&mut fields);
    let draft = (|| {
        Some(Draft {
            id,
            at,
            session: session?,
            source: source?,
            kind: kind?,
        })
    })();
    fields.finish(draft)
}
