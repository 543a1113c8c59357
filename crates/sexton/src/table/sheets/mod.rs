//! The pages about one session: what commands print, as lines to scroll through.

mod transcript;

use sexton_register::{SessionId, read_session_tolerant, session_file};

use crate::commands::{log, show};
use crate::context::Context;
use crate::error::CommandError;
use crate::render::path::safe;
use crate::render::{Cell, one_line, width};
use crate::roll::{gather, gather_known};
use crate::table::model::PageLine;

/// How wide the column of labels is.
const LABELS: usize = 14;

/// All that is known about a session, as `show` prints it.
pub(super) fn details(session: SessionId, context: &Context) -> Result<Vec<PageLine>, CommandError> {
    // What can't be had is counted in the table's first line.
    let mut roll = gather_known(context, &mut Vec::new())?;
    roll.rows.retain(|row| row.session == session);
    roll.read_transcripts();
    let Some(row) = roll.rows.first() else {
        return Ok(vec![PageLine::text("It is gone: nothing knows it any more.")]);
    };
    let header = context.screen.out.header();
    let lines = show::fields(row, roll.now_ms, context).into_iter().map(|field| {
        let padding = " ".repeat(LABELS.saturating_sub(width(field.label)));
        let label = Cell::styled(format!("{}{padding}", field.label), header);
        PageLine {
            cells: std::iter::once(label).chain(field.value).collect(),
            hang: LABELS,
        }
    });
    Ok(lines.collect())
}

/// The events of a session, as `log` prints them.
pub(super) fn events(session: SessionId, context: &Context) -> Result<Vec<PageLine>, CommandError> {
    let file = session_file(&context.places.register, session);
    let reading = read_session_tolerant(&file).map_err(CommandError::unreadable)?;
    let styles = context.screen.out;
    let mut lines: Vec<PageLine> = reading
        .events
        .iter()
        .map(|event| {
            let at = event.at.as_str();
            PageLine {
                cells: vec![
                    Cell::styled(format!("{at}  "), styles.dim()),
                    Cell::styled(format!("{:<8}", event.kind.word()), styles.header()),
                    Cell::styled(format!("{:<6}", event.source.as_str()), styles.dim()),
                    Cell::from(log::what(&event.kind)),
                ],
                hang: width(at) + 2,
            }
        })
        .collect();
    if lines.is_empty() && reading.problems.is_empty() {
        lines.push(PageLine::text("The register holds no events of this session."));
    }
    let problems = reading.problems.iter().map(ToString::to_string);
    lines.extend(problems.map(|problem| PageLine::new(vec![Cell::styled(one_line(&problem), styles.error())])));
    Ok(lines)
}

/// The end of the conversation in the session's transcript.
pub(super) fn conversation(session: SessionId, context: &Context) -> Result<Vec<PageLine>, CommandError> {
    let roll = gather(context)?;
    let row = roll.rows.iter().find(|row| row.session == session);
    let Some(path) = row.and_then(|row| row.transcripts.first()) else {
        return Ok(vec![PageLine::text(
            "There is no transcript: nothing was said yet, or it was swept away.",
        )]);
    };
    let lines = transcript::lines(path, context.screen.out, &show::local_time);
    lines.map_err(|error| CommandError::unreadable(format_args!("read `{}`: {error}", safe(path))))
}
