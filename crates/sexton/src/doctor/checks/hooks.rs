//! Whether sessions are recorded when they begin and end.

use std::path::Path;

use sexton_claude::settings::{HookProgram, SettingsFileError};

use crate::commands::hooks::own_program;
use crate::doctor::finding::word;
use crate::doctor::machine::{Machine, Settings};
use crate::doctor::{Finding, Fix};
use crate::recording::{Recording, disturbances, is_there};
use crate::render::path::safe;
use crate::render::visible;

const CHECK: &str = "hooks";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let own = own_program(&machine.context.environment).ok();
    let own = own.as_ref().map(HookProgram::path);
    machine
        .settings
        .iter()
        .flat_map(|settings| of_file(settings, own))
        .collect()
}

fn of_file(settings: &Settings, own: Option<&Path>) -> Vec<Finding> {
    let status = match &settings.status {
        Ok(status) => status,
        Err(error) => return vec![unreadable(error)],
    };
    let path = safe(&settings.path);
    let install = settings.path.parent().map_or_else(
        || "sexton hooks install".to_owned(),
        |directory| format!("sexton hooks install --config-dir {}", word(directory)),
    );
    // Entries that are there may be put right by themselves; whether there should be any is for a person to say.
    let fix = Fix::Hooks(settings.path.clone());
    let finding = match Recording::of(status, is_there) {
        Recording::Works(program) => other_program(&path, &program, own).map(|finding| finding.mended_by(install)),
        Recording::Plugin | Recording::Claudewheel => None,
        Recording::Missing => Some(
            Finding::attention(CHECK, format!("{path} has no hooks of sexton"), "that a session began or ended is then only known from what Claude Code keeps, and a crash from nothing")
                .mended_by(install),
        ),
        Recording::Half => Some(
            Finding::attention(CHECK, format!("only half of the hooks are in {path}"), "a session's end without its beginning, or the other way round, tells little").fixed_by(fix, install),
        ),
        Recording::Doubled => Some(
            Finding::attention(CHECK, format!("the hooks are more than once in {path}"), "each event is recorded more than once").fixed_by(fix, install),
        ),
        Recording::Dead(program) => Some(
            Finding::attention(
                CHECK,
                format!("the hooks in {path} call `{}`, which isn't there", safe(&program)),
                "nothing is recorded, and Claude Code complains at every event",
            )
            .fixed_by(fix, install),
        ),
        Recording::Disabled => Some(Finding::attention(CHECK, format!("`disableAllHooks` is set in {path}"), "no hook runs, and so nothing is recorded")),
    };
    let disturbing = disturbances(status).into_iter().filter(|_| !status.disabled);
    let disturbing = disturbing.map(|what| {
        Finding::attention(
            CHECK,
            format!("{path}: {what}"),
            "what is counted by events comes out double",
        )
    });
    finding.into_iter().chain(disturbing).collect()
}

/// Two installations are nobody's mistake, but after an update the older one may be the one that records.
fn other_program(path: &str, program: &Path, own: Option<&Path>) -> Option<Finding> {
    let real = |path: &Path| path.canonicalize().ok();
    let own = own.filter(|own| program.is_absolute() && real(own) != real(program))?;
    let what = format!(
        "the hooks in {path} call `{}`, and this is `{}`",
        safe(program),
        safe(own)
    );
    Some(Finding::note(
        CHECK,
        what,
        "sessions are recorded by that one, which may be another version",
    ))
}

fn unreadable(error: &SettingsFileError) -> Finding {
    let reason = "whether sessions are recorded can't be told, and Claude Code itself may not read it either";
    Finding::attention(CHECK, visible(&error.to_string()), reason)
}
