//! What an undo is about: nobody should have to agree to a time.

use std::path::Path;

use sexton_claude::transcript::summarize_ends;
use sexton_register::{SessionId, read_session_tolerant, session_file, summarize};
use sexton_yard::item::ItemId;
use sexton_yard::journal::OperationKind;
use sexton_yard::undo::{UndoPlan, UndoStep};

use crate::context::Context;
use crate::render::{Cell, one_line, visible};
use crate::table::model::PageLine;

/// Each session that the undo is about, with what it is called, and what becomes of them.
pub(super) fn lines(plan: &UndoPlan, context: &Context) -> Vec<PageLine> {
    let mut lines = Vec::new();
    for step in &plan.steps {
        match step {
            UndoStep::Restore(plans) => lines.extend(plans.iter().map(|plan| {
                let transcript = plan.moves.first().map(|(from, _)| from.as_path());
                line(&plan.id, transcript.and_then(title), context)
            })),
            UndoStep::Delete(plan) => {
                let items = plan.matched.iter();
                lines.extend(items.map(|item| line(&item.id, item.facts.title.clone(), context)));
            }
            UndoStep::Archive(plan) => {
                let items = plan.items.iter();
                lines.extend(items.map(|item| line(&item.session.into(), item.facts.title.clone(), context)));
            }
            UndoStep::AddTombstones(ids) | UndoStep::LiftTombstones(ids) => {
                lines.extend(ids.iter().map(|id| line(&ItemId::of_stem(id), None, context)));
            }
            // A later kind of step is told by its title.
            _ => {}
        }
    }
    let fate = match plan.kind {
        OperationKind::Archive | OperationKind::Delete => "Everything comes back as it was, byte for byte.",
        OperationKind::Restore => "What had come back is put away again, as it is now.",
        _ => "Only tombstones change; no file moves.",
    };
    lines.push(PageLine::default());
    lines.push(PageLine::text(fate));
    lines
}

fn line(id: &ItemId, title: Option<String>, context: &Context) -> PageLine {
    let styles = context.screen.out;
    let label = id.session().and_then(|session| name(*session, context)).or(title);
    PageLine::new(vec![
        Cell::styled(format!("{}  ", visible(id.as_str())), styles.dim()),
        Cell::styled(label.as_deref().map(one_line).unwrap_or_default(), styles.header()),
    ])
}

/// The name that is recorded.
fn name(session: SessionId, context: &Context) -> Option<String> {
    let reading = read_session_tolerant(&session_file(&context.places.register, session)).ok()?;
    let name = summarize(session, reading.events).name?;
    Some(name.kind.name.to_string())
}

fn title(transcript: &Path) -> Option<String> {
    let ends = summarize_ends(transcript).ok()?;
    ends.summary.title().map(|(title, _)| title.to_owned())
}

#[cfg(test)]
mod tests {
    use sexton_testkit::{TestEnv, Transcript, register, session_id};

    use super::super::put_away::{archive, plan_delete, plan_undo};
    use super::*;
    use crate::table::model::News;

    #[test]
    fn a_question_names_the_sessions() {
        let env = TestEnv::new();
        let id = |number| SessionId::parse(&session_id(number)).unwrap();
        for number in [1, 2] {
            Transcript::new(&session_id(number))
                .conversation("a", "b")
                .ai_title("Mend the parser")
                .write(&env.config_dir());
        }
        let named = register::named(&session_id(1), 1, "import-fix");
        register::write(&env.register_dir(), &session_id(1), &[named]);
        let context = Context::for_completion(env.environment()).unwrap();
        let asked = || {
            let (news, pending) = plan_undo(&context).unwrap();
            let News::Question { lines, .. } = news else {
                panic!("{news:?}");
            };
            let lines: Vec<String> = lines.iter().map(PageLine::plain).collect();
            (lines.join("\n"), pending.unwrap())
        };
        let (_, pending) = plan_delete(&context, &[id(1), id(2)]).unwrap();
        pending.unwrap().apply().unwrap();
        let (question, pending) = asked();
        assert!(question.contains(&format!("{}  import-fix\n", id(1))), "{question}");
        assert!(
            question.contains(&format!("{}  Mend the parser\n", id(2))),
            "{question}"
        );
        assert!(question.contains("comes back as it was"), "{question}");
        pending.apply().unwrap();
        archive(&context, &[id(2)]).unwrap();
        let (question, _pending) = asked();
        assert!(
            question.contains(&format!("{}  Mend the parser\n", id(2))),
            "{question}"
        );
    }
}
