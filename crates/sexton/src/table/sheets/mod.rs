//! The pages about one session: what commands print, as lines to scroll through.

mod transcript;

use sexton_index::texts::Texts;
use sexton_register::{SessionId, read_session_tolerant, session_file};

use crate::commands::{log, read, show};
use crate::context::Context;
use crate::error::CommandError;
use crate::indexing::vault;
use crate::render::path::safe;
use crate::render::{Cell, one_line, width};
use crate::roll::{Roll, gather_known, look};
use crate::table::model::{PageLine, Place};

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
        PageLine::new(std::iter::once(label).chain(field.value).collect()).hanging(LABELS)
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
            let cells = vec![
                Cell::styled(format!("{at}  "), styles.dim()),
                Cell::styled(format!("{:<8}", event.kind.word()), styles.header()),
                Cell::styled(format!("{:<6}", event.source.as_str()), styles.dim()),
                Cell::from(log::what(&event.kind)),
            ];
            PageLine::new(cells).hanging(width(at) + 2)
        })
        .collect();
    if lines.is_empty() && reading.problems.is_empty() {
        lines.push(PageLine::text("The register holds no events of this session."));
    }
    let problems = reading.problems.iter().map(ToString::to_string);
    lines.extend(problems.map(|problem| PageLine::new(vec![Cell::styled(one_line(&problem), styles.error())])));
    Ok(lines)
}

/// The end of a session's conversation, or what is around a place in it: from the transcript, else the archive, else the vault's copy.
pub(super) fn conversation(
    session: SessionId,
    place: Option<&Place>,
    context: &Context,
) -> Result<Vec<PageLine>, CommandError> {
    let sources = look(context)?;
    let archives = sources.archives();
    let mut roll = Roll::join(sources, context);
    roll.add_retained(context);
    let vault = vault(context);
    let texts = Texts {
        vault: &vault,
        archives: &archives,
    };
    let paths = match place {
        Some(place) => vec![place.path.clone()],
        None => read::paths(session, None, &roll, context),
    };
    let opened = paths
        .into_iter()
        .find_map(|path| texts.open(session, &path).map(|open| (path, open)));
    let Some((path, open)) = opened else {
        return Ok(vec![PageLine::text(
            "There is no transcript and no copy: nothing was said yet, or it was swept away.",
        )]);
    };
    let line = place.map(|place| place.line);
    let lines = transcript::lines(open, line, context.screen.out, &show::local_time);
    lines.map_err(|error| CommandError::unreadable(format_args!("read `{}`: {error}", safe(&path))))
}
