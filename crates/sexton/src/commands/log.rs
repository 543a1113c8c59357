//! `sexton log`

use sexton_register::{Event, EventKind, read_session_tolerant, session_file};

use crate::context::Context;
use crate::documents::{EventsDocument, SCHEMA_VERSION};
use crate::error::CommandError;
use crate::render::{Align, Cell, Column, Table, one_line};
use crate::report::Report;
use crate::roll::{Address, find, gather};

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
    let mut roll = gather(context)?;
    let session = find(&mut roll, &arguments.session, Address::IdOrName)?;
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

fn table(events: &[Event], context: &Context) -> String {
    let column = |title, least, most| Column {
        title,
        align: Align::Left,
        least,
        most,
        dropped: 0,
    };
    let mut table = Table::new(vec![
        column("AT", 24, 35),
        column("KIND", 7, 7),
        column("BY", 5, 5),
        column("WHAT", 20, usize::MAX),
    ]);
    for event in events {
        let style = context.screen.out.dim();
        table.push(vec![
            event.at.as_str().into(),
            event.kind.word().into(),
            Cell::styled(event.source.as_str(), style),
            what(&event.kind).into(),
        ]);
    }
    table.render(context.screen.columns, context.screen.out.header())
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
