//! `sexton hooks status`

use sexton_claude::settings::Status;

use super::{Scope, files};
use crate::context::Context;
use crate::documents::{HooksDocument, HooksFileDocument};
use crate::error::CommandError;
use crate::recording::{Recording, disturbances, is_there};
use crate::render::path::safe;
use crate::render::{Align, Cell, Column, Table, short_path};
use crate::report::Report;

pub(super) fn run(scope: Scope, context: &Context) -> Result<Report, CommandError> {
    let mut problems = Vec::new();
    let mut found = Vec::new();
    for file in files(scope, context)? {
        match file.and_then(|file| Ok((file.status()?, file))) {
            Ok((status, file)) => found.push((file, Recording::of(&status, is_there), status)),
            Err(error) => problems.push(error.to_string()),
        }
    }
    let warnings = found.iter().flat_map(|(file, _, status)| {
        let path = safe(file.path());
        disturbances(status)
            .into_iter()
            .map(move |what| format!("{path}: {what}"))
    });
    let warnings: Vec<String> = warnings.collect();
    let report = if context.json {
        let hooks = found
            .iter()
            .map(|(file, recording, status)| HooksFileDocument::new(file.path(), recording, status));
        Report::json(&HooksDocument::new(hooks.collect(), &problems))?
    } else {
        let mut table = Table::new(vec![
            column("SETTINGS", 12, 60),
            column("HOOKS", 9, 11),
            column("PROGRAM", 7, usize::MAX),
        ]);
        let home = context.environment.home();
        for (file, recording, status) in &found {
            table.push(vec![
                short_path(file.path(), home.as_deref()).into(),
                Cell::styled(recording.word(), style(recording, context)),
                programs(status).into(),
            ]);
        }
        Report::text(table.render(context.screen.columns, context.screen.out.header()))
    };
    let hint = found.iter().any(|(_, recording, _)| is_mended_by_install(recording));
    let hint = hint.then(|| "`sexton hooks install` puts it right".to_owned());
    let hint = hint.filter(|_| !context.json);
    Ok(report.with_notes(hint).with_warnings(warnings).with_problems(problems))
}

fn is_mended_by_install(recording: &Recording) -> bool {
    matches!(
        recording,
        Recording::Missing | Recording::Half | Recording::Doubled | Recording::Dead(_)
    )
}

fn programs(status: &Status) -> String {
    let programs: Vec<String> = status.programs().into_iter().map(|program| safe(program)).collect();
    if programs.is_empty() {
        "–".into()
    } else {
        programs.join(", ")
    }
}

fn style(recording: &Recording, context: &Context) -> anstyle::Style {
    match recording {
        Recording::Works(_) | Recording::Plugin | Recording::Claudewheel => anstyle::Style::new(),
        Recording::Missing | Recording::Disabled | Recording::Half | Recording::Doubled => context.screen.out.warning(),
        Recording::Dead(_) => context.screen.out.error(),
    }
}

fn column(title: &'static str, least: usize, most: usize) -> Column {
    Column {
        title,
        align: Align::Left,
        least,
        most,
        dropped: 0,
    }
}
