//! What one session's file says, read latest-wins.

use crate::line::Writer;
use crate::{Ended, Event, EventKind, Kind, Mark, Moved, Named, SessionId, Started, Text, Timestamp};

/// The newest of each kind of event of one session, as far as it still holds.
///
/// `SessionLifecycle` of the lifecycle document, extended by `moved`. What most sessions don't have lies in a place of its own: a list holds a
/// hundred thousand summaries at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLifecycle {
    /// Whose it is: what the file is named after, whatever its lines say.
    pub session: SessionId,
    /// The newest beginning.
    pub started: Option<Event<Started>>,
    /// The end of the newest run; an end that is older than `started` belongs to an earlier one and is not here.
    pub ended: Option<Event<Ended>>,
    /// The newest name.
    pub name: Option<Box<Event<Named>>>,
    /// The mark in force; one that was cleared is not here.
    pub mark: Option<Box<Event<Mark>>>,
    /// The newest move, unless the session has begun anew since.
    pub moved: Option<Box<Event<Moved>>>,
    /// The greatest time of all events.
    pub last_at: Option<Timestamp>,
}

impl SessionLifecycle {
    /// What an empty or absent file says of `session`.
    #[must_use]
    pub fn nothing(session: SessionId) -> Self {
        Self {
            session,
            started: None,
            ended: None,
            name: None,
            mark: None,
            moved: None,
            last_at: None,
        }
    }

    /// The working directory: where the session was moved to, else where it began.
    #[must_use]
    pub fn directory(&self) -> Option<&Text> {
        let moved = self.moved.as_ref().map(|event| &event.kind.new_cwd);
        moved.or_else(|| self.started.as_ref().map(|event| &event.kind.cwd))
    }

    /// The path of the transcript: where it was moved to, else what the beginning said.
    #[must_use]
    pub fn transcript(&self) -> Option<&Text> {
        let moved = self.moved.as_ref().map(|event| &event.kind.new_transcript);
        moved.or_else(|| self.started.as_ref()?.kind.transcript.as_ref())
    }

    /// The summary as one line of JSON: `session started ended name mark moved last_at`.
    ///
    /// Each event is whole or null, and `last_at` is an empty string where there is none, as in the lifecycle document.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut line = Writer::new();
        line.open();
        line.key("session");
        line.text(self.session.as_str());
        event_or_null(&mut line, "started", self.started.as_ref());
        event_or_null(&mut line, "ended", self.ended.as_ref());
        event_or_null(&mut line, "name", self.name.as_deref());
        event_or_null(&mut line, "mark", self.mark.as_deref());
        event_or_null(&mut line, "moved", self.moved.as_deref());
        line.key("last_at");
        line.text(self.last_at.as_ref().map_or("", Timestamp::as_str));
        line.close();
        line.finish()
    }
}

fn event_or_null<K: Kind>(line: &mut Writer, key: &str, event: Option<&Event<K>>) {
    line.key(key);
    match event {
        Some(event) => event.write(line),
        None => line.null(),
    }
}

/// Reduces the events of one session's file, given in file order; `summarize` of the lifecycle document.
///
/// Ordered by `at` as text, which is what every program of this store does; of equal ones the later in the file wins.
#[must_use]
pub fn summarize(session: SessionId, events: impl IntoIterator<Item = Event>) -> SessionLifecycle {
    let mut newest = Newest::default();
    for event in events {
        newest.take(event);
    }
    newest.summary(session)
}

/// The newest event of each kind so far, with its place in the file.
#[derive(Debug, Default)]
pub(crate) struct Newest {
    taken: usize,
    started: Option<Placed<Started>>,
    ended: Option<Placed<Ended>>,
    name: Option<Placed<Named>>,
    mark: Option<Placed<Mark>>,
    moved: Option<Placed<Moved>>,
    last_at: Option<Timestamp>,
}

type Placed<K> = (usize, Event<K>);

impl Newest {
    pub(crate) fn take(&mut self, event: Event) {
        if self.last_at.as_ref().is_none_or(|last| *last < event.at) {
            self.last_at = Some(event.at.clone());
        }
        let place = self.taken;
        self.taken += 1;
        let Event {
            id,
            at,
            session,
            source,
            kind,
        } = event;
        let common = (id, at, session, source);
        match kind {
            EventKind::Started(own) => keep_newer(&mut self.started, place, common, own),
            EventKind::Ended(own) => keep_newer(&mut self.ended, place, common, own),
            EventKind::Named(own) => keep_newer(&mut self.name, place, common, own),
            EventKind::Mark(own) => keep_newer(&mut self.mark, place, common, own),
            EventKind::Moved(own) => keep_newer(&mut self.moved, place, common, own),
        }
    }

    pub(crate) fn summary(self, session: SessionId) -> SessionLifecycle {
        let Self {
            taken: _,
            started,
            ended,
            name,
            mark,
            moved,
            last_at,
        } = self;
        let ended = ended.filter(|ended| !is_older(ended, started.as_ref()));
        let moved = moved.filter(|moved| !is_older(moved, started.as_ref()));
        SessionLifecycle {
            session,
            started: started.map(|(_, event)| event),
            ended: ended.map(|(_, event)| event),
            name: name.map(|(_, event)| Box::new(event)),
            mark: mark
                .map(|(_, event)| Box::new(event))
                .filter(|event| event.kind.state.is_some()),
            moved: moved.map(|(_, event)| Box::new(event)),
            last_at,
        }
    }
}

fn keep_newer<K>(
    kept: &mut Option<Placed<K>>,
    place: usize,
    (id, at, session, source): (crate::EventId, Timestamp, SessionId, crate::Source),
    kind: K,
) {
    if kept.as_ref().is_none_or(|(_, event)| event.at <= at) {
        *kept = Some((
            place,
            Event {
                id,
                at,
                session,
                source,
                kind,
            },
        ));
    }
}

fn is_older<K>((place, event): &Placed<K>, started: Option<&Placed<Started>>) -> bool {
    started.is_some_and(|(started_place, started)| (&event.at, place) < (&started.at, started_place))
}
