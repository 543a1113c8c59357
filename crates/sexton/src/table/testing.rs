//! Sessions for the table's own tests.

use std::path::{Path, PathBuf};

use sexton_claude::registry::{Liveness, ProcessKind};
use sexton_register::{SessionId, SessionLifecycle, State, parse_event, summarize};
use sexton_testkit::register::{EventLine, mark, named};

use super::model::{Entry, Model, News, Window};
use crate::render::style::Styles;
use crate::roll::{Evidence, Facts, Process, Row, ShortIds};

/// The time of every test, in milliseconds since the Unix epoch.
pub(super) const NOW_MS: i64 = sexton_testkit::NOW_MS;

const HOME: &str = "/home/ann";

/// Session number `number`.
pub(super) fn session(number: u32) -> SessionId {
    SessionId::parse(&sexton_testkit::session_id(number)).unwrap()
}

/// A row as it would come from a roll.
pub(crate) fn row(number: u32, state: State, name: &str, minutes_ago: i64) -> Row {
    let at_ms = NOW_MS - minutes_ago * 60_000;
    let id = session(number);
    let mut events = Vec::new();
    if !name.is_empty() {
        events.push(named(id.as_str(), at_ms, name));
    }
    let evidence = match state {
        State::OnHold | State::Blocked | State::Done => {
            events.push(mark(id.as_str(), at_ms, Some(state.as_str())).text("note", "after the release"));
            Evidence::Mark
        }
        State::Crashed => Evidence::Sweep,
        State::Exited => Evidence::Hook,
        State::Unverified => Evidence::Pid,
        _ => Evidence::Kernel,
    };
    let has_process = state.is_live();
    Row {
        session: id,
        state,
        evidence,
        lifecycle: (!events.is_empty()).then(|| Box::new(lifecycle(id, &events))),
        processes: has_process.then(|| process(number, at_ms)).into_iter().collect(),
        name: (!name.is_empty()).then(|| name.to_owned()),
        transcripts: vec![PathBuf::from(format!("{HOME}/.claude/projects/-p/{id}.jsonl"))],
        config_dir: Some(Path::new(HOME).join(".claude")),
        disposal: None,
        is_current: false,
        missing_since_ms: None,
        sweep_due_ms: None,
        has_copy: false,
        is_routine: None,
        facts: Some(Facts {
            title: Some(format!("Title of {number}")),
            directory: Some(format!("{HOME}/work/project-{}", number % 3).into()),
            model: Some("claude-opus-5-5".to_owned()),
            version: Some("2.1.332".to_owned()),
            last_activity_ms: Some(at_ms),
            ..Facts::default()
        }),
    }
}

fn lifecycle(session: SessionId, events: &[EventLine]) -> SessionLifecycle {
    summarize(session, events.iter().map(|event| parse_event(&event.line()).unwrap()))
}

fn process(number: u32, started_at_ms: i64) -> Process {
    Process {
        pid: 1000 + number,
        liveness: Liveness::Alive { verified: true },
        kind: ProcessKind::Interactive,
        status: None,
        waiting_for: None,
        started_at_ms: Some(started_at_ms),
        version: Some("2.1.332".to_owned()),
        cwd: Some(Path::new(HOME).join("work")),
        config_dir: Path::new(HOME).join(".claude"),
        record: PathBuf::from(format!("{HOME}/.claude/sessions/{}.json", 1000 + number)),
        name_source: None,
        resident_bytes: Some(200 << 20),
    }
}

/// A few sessions in every group.
pub(super) fn some_rows() -> Vec<Row> {
    let mut rows = vec![
        row(1, State::Working, "parser-rewrite", 0),
        row(2, State::Waiting, "", 4),
        row(3, State::Idle, "cache-layers", 38),
        row(4, State::Crashed, "import-fix", 71),
        row(5, State::Blocked, "schema-migration", 26 * 60),
        row(6, State::OnHold, "日本語のドキュメント整理", 3 * 24 * 60),
        row(7, State::Done, "release-notes", 2 * 24 * 60),
        row(8, State::Exited, "", 5 * 24 * 60),
    ];
    rows[0].is_current = true;
    rows
}

/// News of these rows.
pub(super) fn news(rows: Vec<Row>) -> News {
    News::Sessions {
        entries: entries(rows),
        problems: Vec::new(),
        now_ms: NOW_MS,
    }
}

/// These rows made ready.
pub(super) fn entries(mut rows: Vec<Row>) -> Vec<Entry> {
    rows.sort_by_key(|row| row.session);
    rows.dedup_by_key(|row| row.session);
    let short_ids = ShortIds::of(&rows);
    let entry = |row: Row| {
        let short_id = short_ids.get(row.session);
        Entry::new(row, short_id, Some(Path::new(HOME)), NOW_MS)
    };
    rows.into_iter().map(entry).collect()
}

/// A table of these rows on a screen of this size.
pub(super) fn model(rows: Vec<Row>, columns: usize, height: usize) -> Model {
    let screen = Window { columns, rows: height };
    let mut model = Model::new(screen, Styles::new(true), Some(PathBuf::from(HOME)));
    model.take(news(rows));
    model.settle();
    model
}
