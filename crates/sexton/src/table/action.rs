//! What a key can mean, and what the model then asks of the world.

use sexton_register::{MarkState, SessionId};

use super::model::{Edit, Motion, Place};

/// What a key means where it was pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Moves the cursor, or scrolls a page.
    Move(Motion),
    /// Shows the columns to the left.
    PanLeft,
    /// Shows the columns to the right.
    PanRight,
    /// Selects the session under the cursor, or not any more.
    Select,
    /// Shows finished sessions, or not any more.
    ToggleAll,
    /// Opens the filter.
    Filter,
    /// Searches in what was said instead of in names, or the other way round.
    SwitchScope,
    /// Opens the session's details.
    Details,
    /// Opens the session's events.
    Events,
    /// Opens the session's conversation.
    Read,
    /// Opens what can't be read.
    Problems,
    /// Opens the keys.
    Help,
    /// Asks for a mark.
    Mark,
    /// Sets this mark, or clears it.
    SetMark(Option<MarkState>),
    /// Asks for a note.
    Note,
    /// Runs the client on the session.
    Resume,
    /// Asks whether to remove what dead processes left in the registry.
    Prune,
    /// Moves sessions into the archive.
    Archive,
    /// Asks whether to delete sessions.
    Delete,
    /// Asks whether to take the last of these back.
    Undo,
    /// Looks for text in the page.
    Find,
    /// The next place that has it.
    FindNext,
    /// The one before.
    FindPrevious,
    /// Takes a step of typing.
    Type(Edit),
    /// Takes what was typed, or agrees to what was asked.
    Accept,
    /// Closes what is open, clears what is set, leaves at last.
    Back,
    /// Closes a page, or leaves.
    Quit,
    /// Leaves from wherever one is.
    Leave,
    /// Stops the program until it is continued.
    Suspend,
    /// Looks at everything again.
    Refresh,
}

/// What the model wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// The end.
    Leave,
    /// Stop until continued.
    Suspend,
    /// Draw everything anew, whatever the terminal shows.
    Redraw,
    /// Run the client on a session, and come back.
    Resume(SessionId),
    /// Something that is done beside the table, in order.
    Job(Job),
}

/// Something that is done beside the table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Job {
    /// Look at everything, record what would be lost.
    Look {
        /// Bring the catalogue up to date, too.
        thorough: bool,
    },
    /// Mark these sessions.
    Mark {
        /// The sessions.
        sessions: Vec<SessionId>,
        /// The mark; `None` clears.
        state: Option<MarkState>,
        /// What the person wrote about it.
        note: Option<String>,
    },
    /// Find sessions by what was said in them.
    Search(String),
    /// Say what pruning would remove.
    PlanPrune,
    /// Prune.
    Prune,
    /// Archive these sessions.
    Archive(Vec<SessionId>),
    /// Say what deleting these sessions would take.
    PlanDelete(Vec<SessionId>),
    /// Say what an undo would take back.
    PlanUndo,
    /// Do what was planned last.
    Agreed,
    /// Tell all about a session.
    Details(SessionId),
    /// Tell its events.
    Events(SessionId),
    /// Tell its conversation: the end, or around a place in it.
    Read(SessionId, Option<Place>),
}

impl From<Job> for Request {
    fn from(job: Job) -> Self {
        Self::Job(job)
    }
}
