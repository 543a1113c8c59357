//! `sexton show`

use std::fmt::Write;

use sexton_claude::footprint::footprints;
use sexton_claude::projects::list_projects;
use sexton_claude::registry::Liveness;
use sexton_register::{MarkState, SessionId};
use sexton_yard::FloorStats;

use crate::context::Context;
use crate::documents::SessionsDocument;
use crate::error::CommandError;
use crate::indexing::vault;
use crate::render::path::safe;
use crate::render::text::width;
use crate::render::{Cell, age, ago, counted, one_line, size, visible, wrapped};
use crate::report::Report;
use crate::roll::{Address, Counted, Disposal, Hidden, Process, Roll, Row, find_known};

const EXAMPLES: &str = "\
Examples:
  sexton show 3f8a21c4
  sexton show parser-rewrite --json | jq '.sessions[0].processes'";

/// Show all that is known about one session, and how.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The session: its id, a prefix of at least 8 characters, or its exact name
    session: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let (mut roll, session) = find_known(context, &arguments.session, Address::IdOrName)?;
    roll.rows.retain(|row| row.session == session);
    let known = roll.rows.iter_mut().try_for_each(|row| row.know(context));
    let warning = known.err().map(|error| format!("the catalogue can't be read: {error}"));
    // Another session's damage is no news here.
    roll.problems.retain(|problem| concerns(session, problem));
    roll.read_transcripts();
    let report = if context.json {
        Report::json(&SessionsDocument::new(&roll.rows, Hidden::default(), &roll.problems))?
    } else {
        Report::text(
            roll.rows
                .iter()
                .map(|row| page(row, &roll, context))
                .collect::<String>(),
        )
    };
    Ok(report.with_warnings(warning).with_problems(roll.problems))
}

/// Whether a problem names this session, or none at all.
fn concerns(session: SessionId, problem: &str) -> bool {
    let mut named = problem
        .split(|character: char| !character.is_ascii_hexdigit() && character != '-')
        .filter_map(|word| SessionId::parse(word).ok())
        .peekable();
    named.peek().is_none() || named.any(|id| id == session)
}

/// A labelled line of a session's page.
#[derive(Debug)]
pub(crate) struct Field {
    /// What it tells; empty if the line above says it.
    pub(crate) label: &'static str,
    /// The value, in pieces, safe to look at.
    pub(crate) value: Vec<Cell>,
}

struct Fields(Vec<Field>);

impl Fields {
    fn pieces(&mut self, label: &'static str, value: Vec<Cell>) {
        self.0.push(Field { label, value });
    }

    fn line(&mut self, label: &'static str, value: impl Into<String>) {
        self.pieces(label, vec![Cell::from(value)]);
    }

    fn optional(&mut self, label: &'static str, value: Option<impl Into<String>>) {
        if let Some(value) = value {
            self.line(label, value);
        }
    }

    fn moment(&mut self, label: &'static str, ms: Option<i64>, now_ms: i64) {
        self.optional(label, ms.map(|ms| format!("{} ({})", local_time(ms), ago(ms, now_ms))));
    }
}

fn page(row: &Row, roll: &Roll, context: &Context) -> String {
    const LABEL: usize = 14;
    let header = context.screen.out.header();
    let line = |Field { label, value }| {
        let padding = " ".repeat(LABEL.saturating_sub(width(label)));
        let mut cells = vec![Cell::styled(label, header), Cell::from(padding)];
        cells.extend(value);
        wrapped(&cells, context.screen.columns, LABEL)
    };
    fields(row, roll.now_ms, context).into_iter().map(line).collect()
}

/// All that is known about a session whose transcript has been read, line by line.
pub(crate) fn fields(row: &Row, now_ms: i64, context: &Context) -> Vec<Field> {
    let mut page = Fields(Vec::new());
    let lifecycle = row.lifecycle.as_deref();
    let started = lifecycle.and_then(|lifecycle| lifecycle.started.as_ref());

    page.line("session", row.session.as_str());
    page.optional("name", row.name.as_deref().map(one_line));
    page.optional("title", row.title().map(one_line));
    page.pieces(
        "state",
        vec![
            Cell::styled(row.state.as_str(), context.screen.out.state(row.state)),
            Cell::from(format!(": {}", row.evidence.sentence(row.state))),
        ],
    );
    page.optional(
        "waits for",
        row.process()
            .and_then(|process| process.waiting_for.as_deref())
            .map(one_line),
    );
    page.optional(
        "mark",
        lifecycle.and_then(|lifecycle| lifecycle.mark.as_ref()).map(|mark| {
            let state = mark.kind.state.map_or("none", MarkState::as_str);
            let note = mark
                .kind
                .note
                .as_ref()
                .map(|note| format!(": {}", one_line(note)))
                .unwrap_or_default();
            format!("{state}, set {}{note}", local_time(mark.at.ms()))
        }),
    );
    page.optional("put away", row.disposal.map(Disposal::as_str));
    page.moment("started", row.started_ms(), now_ms);
    page.moment("last activity", row.last_activity_ms(), now_ms);
    page.optional(
        "ended",
        lifecycle.and_then(|lifecycle| lifecycle.ended.as_ref()).map(|ended| {
            let why = ended.kind.reason.as_ref().or(ended.kind.detail.as_ref());
            let why = why.map(|why| format!(": {}", one_line(why))).unwrap_or_default();
            format!(
                "{} {}, recorded by the {}{why}",
                ended.kind.outcome,
                local_time(ended.at.ms()),
                ended.source
            )
        }),
    );
    page.optional("directory", row.directory().map(safe));
    page.optional(
        "branch",
        row.facts
            .as_ref()
            .and_then(|facts| facts.branch.as_deref())
            .map(one_line),
    );
    page.optional("model", row.model().map(visible));
    page.optional("version", row.version().map(visible));
    page.optional(
        "profile",
        started.and_then(|event| event.kind.profile.as_deref()).map(one_line),
    );
    page.optional(
        "permissions",
        started
            .and_then(|event| event.kind.permissions.as_deref())
            .map(one_line),
    );
    for process in &row.processes {
        page.line("process", process_line(process, now_ms));
    }
    files(&mut page, row, context);
    talk(&mut page, row);
    page.0
}

/// Where it lies, for how long, and whether a copy is kept.
fn files(page: &mut Fields, row: &Row, context: &Context) {
    page.optional("config", row.config_dir.as_deref().map(safe));
    for transcript in &row.transcripts {
        let bytes =
            std::fs::metadata(transcript).map_or_else(|error| error.to_string(), |metadata| size(metadata.len()));
        page.line("transcript", format!("{} ({bytes})", safe(transcript)));
    }
    if row.transcripts.len() > 1 {
        page.line(
            "",
            "two transcripts with one id make resume fail or write to the wrong file",
        );
    }
    page.optional("footprint", footprint(row, context));
    page.optional("missing since", row.missing_since_ms.map(local_time));
    page.optional(
        "cleanup",
        row.sweep_due_ms
            .map(|due| format!("Claude Code may delete it from {} on", local_time(due))),
    );
    if row.has_copy {
        let earlier = vault(context).earlier(row.session).map_or(0, |earlier| earlier.len());
        let kept = match earlier {
            0 => "the vault keeps one; `sexton keep status` tells more".to_owned(),
            more => format!(
                "the vault keeps one, and {}; `sexton keep earlier` lists them",
                counted(more, "earlier content")
            ),
        };
        page.line("copy", kept);
    }
}

/// What was said in it.
fn talk(page: &mut Fields, row: &Row) {
    page.optional("routine", row.is_routine.map(|is_routine| verdict(row, is_routine)));
    if let Some(counted) = row.facts.as_ref().and_then(|facts| facts.counted) {
        page.line("contents", contents(&counted));
    }
    if let Some(facts) = &row.facts {
        page.optional("continued in", facts.continued_in.map(|session| session.to_string()));
        page.optional("forked from", facts.forked_from.map(|session| session.to_string()));
        page.optional("last prompt", facts.last_prompt.as_deref().map(one_line));
    }
}

/// Whether it is routine, and by what.
fn verdict(row: &Row, is_routine: bool) -> String {
    let word = if is_routine { "yes" } else { "no" };
    let Some(floor) = row
        .facts
        .as_ref()
        .and_then(|facts| facts.counted)
        .map(|counted| counted.floor)
    else {
        return word.to_owned();
    };
    if floor.is_routine() != is_routine {
        return format!("{word}, as you said; the rule says otherwise");
    }
    let FloorStats {
        substantive_human_turns: prompts,
        total_messages: messages,
        assistant_prose_bytes: bytes,
    } = floor;
    let prompts = if prompts == 1 {
        "1 prompt that says something".to_owned()
    } else {
        format!("{prompts} prompts that say something")
    };
    let (messages, bytes) = (counted(messages, "message"), counted(bytes, "byte"));
    format!("{word}: {prompts}, {messages}, {bytes} of answers")
}

/// How much would go along if the session was put away.
fn footprint(row: &Row, context: &Context) -> Option<String> {
    let config_dirs = context.config_dirs.as_slice();
    let mut found = footprints(config_dirs, &list_projects(config_dirs), [row.session]);
    let footprint = found.sessions.remove(&row.session)?;
    let files = footprint.files();
    (files > 0).then(|| format!("{} in {}", size(footprint.bytes()), counted(files, "file")))
}

fn contents(facts: &Counted) -> String {
    let Counted {
        lines,
        human_prompts,
        answers,
        tool_calls,
        problems,
        tokens,
        floor: _,
    } = facts;
    let damaged = if *problems == 0 {
        String::new()
    } else {
        format!(", {}", counted(problems, "damaged line"))
    };
    format!(
        "{}, {}, {}, {} in {}{damaged}",
        counted(human_prompts, "prompt"),
        counted(answers, "answer"),
        counted(tool_calls, "tool call"),
        counted(tokens, "token"),
        counted(lines, "line")
    )
}

fn process_line(process: &Process, now_ms: i64) -> String {
    let mut line = format!("{} {}: {}", process.pid, process.kind.as_str(), process.liveness);
    if let Some(started) = process
        .started_at_ms
        .filter(|_| !matches!(process.liveness, Liveness::Dead(_)))
    {
        let _ = write!(line, ", for {}", age(started, now_ms));
    }
    if let Some(bytes) = process.resident_bytes {
        let _ = write!(line, ", {} of memory", size(bytes));
    }
    let terminal = sexton_sys::process::terminal(process.pid).filter(|_| process.liveness.is_alive());
    if let Some(terminal) = terminal {
        let _ = write!(line, ", on {}", safe(&terminal));
    }
    let _ = write!(line, " [{}]", safe(&process.record));
    line
}

/// A time in the machine's time zone, to the second.
pub(crate) fn local_time(ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(instant) => instant
            .to_zoned_datetime(jiff::tz::TimeZone::system())
            .strftime("%Y-%m-%d %H:%M:%S %:z")
            .to_string(),
        Err(_) => format!("{ms} ms"),
    }
}
