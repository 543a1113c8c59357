//! `sexton register repair`

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use sexton_register::{Repair, Repaired, repair, session_of_file};
use sexton_sys::Effects;

use crate::commands::changes;
use crate::context::Context;
use crate::error::CommandError;
use crate::render::counted;
use crate::render::path::safe;
use crate::render::text::block;
use crate::report::Report;
use crate::roll::look;

/// How long appends that were on their way to the old file are waited for.
const SETTLE: Duration = Duration::from_millis(300);

pub(super) fn run(file: &Path, effects: &Effects, context: &Context) -> Result<Report, CommandError> {
    let Some(session) = session_of_file(file) else {
        return Err(CommandError::usage(format_args!(
            "repair `{}`: its name is not `<session id>.jsonl`",
            safe(file)
        )));
    };
    let sources = look(context)?;
    let every = sources.register.every();
    let is_live = sources.observation.live_sessions(every).contains(&session);
    let repaired = repair(
        effects,
        &Repair {
            file,
            is_live,
            now_ms: context.now_ms(),
            settle: SETTLE,
        },
    )
    .map_err(CommandError::refused)?;
    if effects.is_dry_run() {
        return Ok(changes::would(effects, context.screen.columns));
    }
    Ok(Report::text(tell(&repaired)))
}

fn tell(repaired: &Repaired) -> String {
    let mut text = String::new();
    for moved in &repaired.moved {
        let what = moved
            .what
            .as_ref()
            .map_or_else(|| "cut short".to_owned(), ToString::to_string);
        // Writing to a string does not fail.
        let _ = writeln!(text, "moved line {}: {}", moved.line, block(&what));
    }
    if let Some(damaged) = &repaired.damaged_file {
        let _ = writeln!(text, "the damaged lines are in {}", safe(damaged));
    }
    if let Some(old) = &repaired.old_file {
        let _ = writeln!(text, "the file as it was is {}", safe(old));
    }
    if repaired.carried > 0 {
        let _ = writeln!(
            text,
            "carried over {} appended meanwhile",
            counted(repaired.carried, "line")
        );
    }
    let verdict = if repaired.moved.is_empty() {
        "nothing to repair, "
    } else {
        ""
    };
    let _ = writeln!(text, "{verdict}kept {} good lines", repaired.kept);
    text
}
