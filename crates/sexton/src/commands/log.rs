//! `sexton log`

use sexton_register::{Event, EventKind, read_session_tolerant, session_file};

use crate::context::Context;
use crate::documents::{EventsDocument, SCHEMA_VERSION};
use crate::error::CommandError;
use crate::render::table::GAP;
use crate::render::{Cell, one_line, width, wrapped};
use crate::report::Report;
use crate::roll::{Address, find_known};

const EXAMPLES: &str = "\
Examples:
  sexton log 3f8a21c4
  sexton log parser-rewrite --json | jq -r '.events[].kind'";

/// Show the events that the register holds of one session.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The session: its id, a prefix of at least 8 characters, or its exact name
    session: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let (_, session) = find_known(context, &arguments.session, Address::IdOrName)?;
    let file = session_file(&context.places.register, session);
    let reading = read_session_tolerant(&file).map_err(CommandError::unreadable)?;
    let problems: Vec<String> = reading.problems.iter().map(ToString::to_string).collect();
    let report = if context.json {
        let events = reading
            .events
            .iter()
            .map(|event| serde_json::from_str(&event.to_json()));
        let events = events.collect::<Result<_, _>>().map_err(CommandError::refused)?;
        Report::json(&EventsDocument {
            schema_version: SCHEMA_VERSION,
            events,
            problems: problems.clone(),
        })?
    } else {
        let note = reading
            .events
            .is_empty()
            .then(|| format!("the register holds no events of {session}"));
        let text = if reading.events.is_empty() {
            String::new()
        } else {
            table(&reading.events, context)
        };
        Report::text(text).with_notes(note)
    };
    Ok(report.with_problems(problems))
}

/// The events as a table whose last column goes on below itself: what happened is told whole.
fn table(events: &[Event], context: &Context) -> String {
    let (header, dim) = (context.screen.out.header(), context.screen.out.dim());
    let titles = ["AT", "KIND", "BY", "WHAT"].map(|title| Cell::styled(title, header));
    let rows = events.iter().map(|event| {
        [
            Cell::from(event.at.as_str()),
            Cell::from(event.kind.word()),
            Cell::styled(event.source.as_str(), dim),
            Cell::from(what(&event.kind)),
        ]
    });
    let rows: Vec<[Cell; 4]> = std::iter::once(titles).chain(rows).collect();
    let widest = |at: usize| rows.iter().map(|row| width(&row[at].text)).max().unwrap_or(0) + GAP;
    let starts = [widest(0), widest(1), widest(2)];
    let line = |row: &[Cell; 4]| {
        let padded = row.iter().zip(starts).flat_map(|(cell, room)| {
            let padding = " ".repeat(room.saturating_sub(width(&cell.text)));
            [cell.clone(), Cell::from(padding)]
        });
        let cells: Vec<Cell> = padded.chain([row[3].clone()]).collect();
        wrapped(&cells, context.screen.columns, starts.iter().sum())
    };
    rows.iter().map(line).collect()
}

/// What an event says, on one line.
pub(crate) fn what(kind: &EventKind) -> String {
    let quoted = |text: &str| format!("`{}`", one_line(text));
    let after = |before: &str, text: Option<&str>| {
        text.map(|text| format!("{before}{}", one_line(text)))
            .unwrap_or_default()
    };
    match kind {
        EventKind::Started(started) => {
            let model = after(" with ", started.model.as_deref());
            format!(
                "{} in {}{model}{}",
                started.entry,
                quoted(&started.cwd),
                started.pid.map(|pid| format!(", pid {pid}")).unwrap_or_default()
            )
        }
        EventKind::Ended(ended) => format!(
            "{}{}",
            ended.outcome,
            after(": ", ended.reason.as_deref().or(ended.detail.as_deref()))
        ),
        EventKind::Named(named) => format!("{}{}", quoted(&named.name), after(" by ", named.name_source.as_deref())),
        EventKind::Mark(mark) => format!(
            "{}{}",
            mark.state.map_or("cleared", |state| state.as_str()),
            after(": ", mark.note.as_deref())
        ),
        EventKind::Moved(moved) => format!("to {}", quoted(&moved.new_cwd)),
        // A kind that a later version of the format adds is still an event.
        other => other.word().to_owned(),
    }
}
