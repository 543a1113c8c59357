//! Archiving, deleting, and taking that back.

use sexton_register::SessionId;
use sexton_sys::Effects;
use sexton_yard::archive::ArchiveRequest;
use sexton_yard::gate::Vouched;
use sexton_yard::item::{Applied, ItemError, ItemId};
use sexton_yard::undo::{UndoError, UndoPlan};
use sexton_yard::{DeleteOptions, DeletePlan, plan_archive};

use super::taken_back;
use crate::commands::yard::Ground;
use crate::context::Context;
use crate::error::CommandError;
use crate::render::path::safe;
use crate::render::{Cell, age, counted, one_line, short_path, size, visible};
use crate::table::action::{Job, Request};
use crate::table::model::{News, Notice, PageLine};

/// A plan that was shown. What is agreed to is done: nothing is looked for a second time.
pub(super) struct Pending<'a> {
    ground: Ground<'a>,
    plan: Plan,
}

enum Plan {
    Delete(Box<DeletePlan>),
    Undo(UndoPlan),
}

impl Pending<'_> {
    /// Does it, and says what came of it.
    pub(super) fn apply(self) -> Result<Notice, CommandError> {
        let along = self.ground.along();
        let (yard, survey) = (self.ground.yard(), self.ground.survey(&along));
        let (applied, verb, hint) = match self.plan {
            Plan::Delete(plan) => (plan.apply(&yard, &survey), "deleted", "; u brings back"),
            Plan::Undo(plan) => (plan.apply(&yard, &survey), "undone for", ""),
        };
        Ok(said(&applied.map_err(CommandError::refused)?, verb, hint))
    }
}

/// Moves sessions into the archive. Nothing is lost by it, and it can be undone, so it is not asked for.
pub(super) fn archive(context: &Context, sessions: &[SessionId]) -> Result<Notice, CommandError> {
    let archive = context.configuration.archive_dir.as_deref();
    let ground = Ground::look(context, Effects::apply())?;
    let along = ground.along();
    let (yard, survey) = (ground.yard(), ground.survey(&along));
    let requests: Vec<ArchiveRequest> = sessions
        .iter()
        .map(|session| ArchiveRequest::Id(session.to_string()))
        .collect();
    let plan = plan_archive(&yard, &survey, &requests, archive, &Vouched::nobody()).map_err(CommandError::refused)?;
    if plan.items.is_empty()
        && let Some(refused) = plan.refused.first()
    {
        return Ok(Notice::failed(refusal(&refused.0, &refused.1)));
    }
    let stays = plan.refused.first().map(|(id, error)| refusal(id, error));
    let applied = plan.apply(&yard, &survey).map_err(CommandError::refused)?;
    let notice = said(&applied, "archived", "; u takes it back");
    Ok(match stays {
        Some(stays) => Notice::failed(format!("{}; {stays}", notice.text)),
        None => notice,
    })
}

/// What a delete would take, to be agreed to.
pub(super) fn plan_delete<'a>(
    context: &'a Context,
    sessions: &[SessionId],
) -> Result<(News, Option<Pending<'a>>), CommandError> {
    let ground = Ground::look(context, Effects::apply())?;
    let options = DeleteOptions {
        sessions: sessions.iter().map(ToString::to_string).collect(),
        ..DeleteOptions::default()
    };
    let along = ground.along();
    let plan =
        sexton_yard::plan_delete(&ground.yard(), &ground.survey(&along), &options).map_err(CommandError::refused)?;
    drop(along);
    let stays: Vec<String> = plan
        .refused
        .iter()
        .map(|refused| refusal(&refused.id, &refused.error))
        .collect();
    if plan.matched.is_empty() {
        let why = stays
            .into_iter()
            .next()
            .unwrap_or_else(|| "there is nothing to delete".to_owned());
        return Ok((News::Said(Notice::failed(why)), None));
    }
    let (home, now_ms, styles) = (context.environment.home(), context.now_ms(), context.screen.out);
    let mut lines: Vec<PageLine> = Vec::new();
    for item in &plan.matched {
        let title = item.facts.title.as_deref().map(one_line).unwrap_or_default();
        let directory = item
            .facts
            .directory
            .as_deref()
            .map(|path| short_path(path, home.as_deref()));
        let active = item
            .facts
            .last_activity_ms
            .map(|then| format!("{} ago", age(then, now_ms)));
        let about = [
            directory,
            active,
            Some(format!(
                "{} in {}",
                size(item.footprint_bytes),
                counted(item.footprint_files, "file")
            )),
        ];
        lines.push(PageLine::new(vec![
            Cell::styled(format!("{}  ", visible(item.id.as_str())), styles.dim()),
            Cell::styled(title, styles.header()),
        ]));
        let about: Vec<String> = about.into_iter().flatten().collect();
        lines.push(PageLine::text(format!("  {}", about.join(", "))));
        let files = item.footprint.iter().map(|path| {
            let path = Cell::styled(format!("  {}", safe(path)), styles.dim());
            PageLine::new(vec![path]).hanging(4)
        });
        lines.extend(files);
    }
    lines.push(PageLine::default());
    lines.push(PageLine::text(format!(
        "{} of {}, {}. They go into the trash; u brings them back.",
        plan.matched.len(),
        counted(plan.sessions.max(plan.matched.len()), "session"),
        size(plan.total_bytes)
    )));
    let stays = stays
        .into_iter()
        .map(|why| PageLine::new(vec![Cell::styled(why, styles.warning())]));
    lines.extend(stays);
    let title = match plan.matched.len() {
        1 => "Delete this session?".to_owned(),
        several => format!("Delete these {several} sessions?"),
    };
    let pending = Pending {
        ground,
        plan: Plan::Delete(Box::new(plan)),
    };
    Ok((question(title, lines), Some(pending)))
}

/// What an undo would take back, to be agreed to: unlike what it takes back, it can't be undone.
pub(super) fn plan_undo(context: &Context) -> Result<(News, Option<Pending<'_>>), CommandError> {
    let ground = Ground::look(context, Effects::apply())?;
    let trash = ground.trash();
    let along = ground.along();
    let planned = sexton_yard::undo::plan_undo(
        &ground.yard(),
        &ground.survey(&along),
        &trash,
        &ground.restore_options(),
    );
    drop(along);
    let plan = match planned {
        Ok(plan) => plan,
        Err(UndoError::Nothing) => return Ok((News::Said(Notice::said("there is nothing to undo")), None)),
        Err(error) => return Err(CommandError::refused(error)),
    };
    let when = plan
        .at_ms
        .map(|at| format!(" of {} ago", age(at, context.now_ms())))
        .unwrap_or_default();
    let title = format!("Take back the {}{when}?", plan.kind.word());
    let refused = plan.refused.iter();
    let mut lines = taken_back::lines(&plan, context);
    lines.extend(refused.map(|(id, error)| PageLine::text(refusal(id, error))));
    let pending = Pending {
        ground,
        plan: Plan::Undo(plan),
    };
    Ok((question(title, lines), Some(pending)))
}

fn question(title: String, lines: Vec<PageLine>) -> News {
    News::Question {
        title,
        lines,
        then: Request::Job(Job::Agreed),
    }
}

fn refusal(id: &ItemId, error: &ItemError) -> String {
    format!("{} stays: {}", visible(id.as_str()), one_line(&error.to_string()))
}

/// What an operation did, on one line; if something failed, that first.
fn said(applied: &Applied, verb: &str, hint: &str) -> Notice {
    let done = applied.items.iter().filter(|item| item.outcome.is_success()).count();
    let failed = applied
        .items
        .iter()
        .find_map(|item| Some(refusal(&item.id, item.outcome.error()?)));
    let sessions = counted(done, "session");
    match failed.or_else(|| applied.problems.first().map(|problem| one_line(problem))) {
        Some(problem) => Notice::failed(format!("{verb} {sessions}; {problem}")),
        None => Notice::said(format!("{verb} {sessions}{hint}")),
    }
}
