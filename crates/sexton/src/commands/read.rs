//! `sexton read`

use std::fmt::Write;
use std::path::PathBuf;

use sexton_index::catalogue::Catalogue;
use sexton_index::query::Role;
use sexton_index::texts::{OpenText, Texts};
use sexton_index::vault::Vault;
use sexton_index::window::{Part, Window, WindowRequest, window, window_of};
use sexton_register::SessionId;
use sexton_yard::is_tombstoned;
use sexton_yard::stub::is_stub;

use super::keep::no_such;
use super::search::parse_role;
use crate::context::Context;
use crate::documents::{MessagesDocument, origin_word};
use crate::error::CommandError;
use crate::indexing::{catalogue_path, vault};
use crate::render::text::block;
use crate::render::{age, counted, one_line};
use crate::report::Report;
use crate::roll::{Address, Roll, find, look};

const EXAMPLES: &str = "\
Examples:
  sexton read 3f8a21c4                   the end of the conversation
  sexton read 3f8a21c4:120 --around 5    around line 120, as `search` names it
  sexton read 3f8a21c4 --role user --first -n 50";

/// Longer messages are cut for a person; JSON has more.
const LONGEST_SHOWN: usize = 4 * 1024;
const LONGEST_IN_JSON: usize = 1024 * 1024;

/// Read a part of a conversation.
///
/// Reads the transcript where it lies, else in the archive, else the copy in the vault.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// `ID`, `ID:LINE` or `ID/AGENT:LINE`, as `search` prints it
    #[arg(value_name = "ID[:LINE]")]
    reference: String,

    /// With a line: so many messages before and after it
    #[arg(long, value_name = "N", default_value_t = 3)]
    around: usize,

    /// Without a line: so many messages
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    limit: usize,

    /// Without a line: from the beginning instead of the end
    #[arg(long)]
    first: bool,

    /// Only what these said: user, assistant, thinking, tool, system, title
    #[arg(long, value_name = "ROLE", value_delimiter = ',', value_parser = parse_role)]
    role: Vec<Role>,

    /// What the transcript held before it was rewritten, by its number in `sexton keep earlier`
    #[arg(long, value_name = "NUMBER")]
    earlier: Option<usize>,
}

/// A reference taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Reference<'a> {
    session: &'a str,
    agent: Option<&'a str>,
    line: Option<u64>,
}

impl<'a> Reference<'a> {
    /// A name may itself hold colons and slashes: only what ends like a reference is one.
    fn parse(text: &'a str) -> Self {
        let (rest, line) = match text.rsplit_once(':') {
            Some((rest, line)) => line.parse().map_or((text, None), |line| (rest, Some(line))),
            None => (text, None),
        };
        match rest.split_once("/agent-") {
            Some((session, _)) => Self {
                session,
                agent: rest.get(session.len() + 1..),
                line,
            },
            None => Self {
                session: rest,
                agent: None,
                line,
            },
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    let reference = Reference::parse(&arguments.reference);
    let sources = look(context)?;
    let archives = sources.archives();
    let mut roll = Roll::join(sources, context);
    let known = roll.problems.len();
    roll.add_retained(context);
    // What else is wrong on this machine is no news here.
    let problems = roll.problems.split_off(known);
    let session = match SessionId::parse(reference.session) {
        // Also one of which nothing is known: the catalogue may still know where its text lay.
        Ok(session) => session,
        Err(_) => find(&mut roll, reference.session, Address::IdOrName)?,
    };
    if is_tombstoned(&context.places.tombstones, session.as_str()).map_err(CommandError::unreadable)? {
        return Err(CommandError::refused(format_args!("{session} was deleted"))
            .hint(format_args!("`sexton restore {session}` brings it back")));
    }
    let vault = vault(context);
    let request = request(arguments, &reference, context);
    if let Some(number) = arguments.earlier {
        let window = earlier(&vault, session, number, &request)?;
        return Ok(report(session, &reference, &window, context)?.with_problems(problems));
    }
    let texts = Texts {
        vault: &vault,
        archives: &archives,
    };
    for path in paths(session, reference.agent, &roll, context) {
        if let Some(window) = window(texts, session, &path, &request).map_err(CommandError::unreadable)? {
            return Ok(report(session, &reference, &window, context)?.with_problems(problems));
        }
    }
    Err(CommandError::refused(format_args!(
        "the text of {session} can't be had: its transcript is gone, and no copy is kept"
    )))
}

/// What the transcript of a session held before it was rewritten.
fn earlier(vault: &Vault, session: SessionId, number: usize, request: &WindowRequest) -> Result<Window, CommandError> {
    let copy = vault.open_earlier(session, number).map_err(CommandError::unreadable)?;
    let Some(copy) = copy else {
        let held = vault.earlier(session).map_err(CommandError::unreadable)?.len();
        return Err(no_such(session, number, held));
    };
    let place = vault.session_directory(session);
    window_of(OpenText::of_copy(copy), &place, request).map_err(CommandError::unreadable)
}

fn request(arguments: &Arguments, reference: &Reference<'_>, context: &Context) -> WindowRequest {
    WindowRequest {
        part: match reference.line {
            Some(line) => Part::Around(line),
            None if arguments.first => Part::Start,
            None => Part::End,
        },
        count: if reference.line.is_some() {
            arguments.around
        } else {
            arguments.limit
        },
        roles: arguments.role.iter().copied().collect(),
        longest: if context.json { LONGEST_IN_JSON } else { LONGEST_SHOWN },
    }
}

/// Where the conversation of a session, or of one of its subagents, lies or lay.
pub(crate) fn paths(session: SessionId, agent: Option<&str>, roll: &Roll, context: &Context) -> Vec<PathBuf> {
    let row = roll.rows.iter().find(|row| row.session == session);
    let mut paths: Vec<PathBuf> = row.map(|row| row.transcripts.clone()).unwrap_or_default();
    // The catalogue remembers where files lay that are gone, and where subagents' files lie.
    let known = Catalogue::look(&catalogue_path(context), |catalogue| catalogue.files(session));
    let known = known.ok().flatten().unwrap_or_default();
    if let Some(agent) = agent {
        let of_agent = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == agent);
        return known.into_iter().map(|file| file.path).filter(of_agent).collect();
    }
    let own = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == session.as_str());
    paths.extend(known.into_iter().map(|file| file.path).filter(own));
    if paths.len() > 1 {
        // What a client left behind under the id of an archived session is not what anyone wants to read.
        paths.sort_by_cached_key(|path| is_stub(path));
    }
    paths
}

fn report(
    session: SessionId,
    reference: &Reference<'_>,
    window: &Window,
    context: &Context,
) -> Result<Report, CommandError> {
    if let Some(line) = reference.line
        && (line == 0 || window.lines.is_some_and(|lines| line > lines))
    {
        let there = match window.lines {
            Some(lines) if line > 0 => format!("there are {}", counted_lines(lines)),
            _ => "lines are counted from 1".to_owned(),
        };
        return Err(
            CommandError::refused(format_args!("find line {line} of {session}: {there}")).hint(format_args!(
                "`sexton read {session}` shows its end, `sexton search` names lines"
            )),
        );
    }
    if context.json {
        return Report::json(&MessagesDocument::new(session, reference.agent, window));
    }
    let mut notes = Vec::new();
    if window.messages.is_empty() {
        notes.push("no such messages".to_owned());
    }
    if origin_word(window.origin) != "projects" {
        notes.push(format!("read from the {}", origin_word(window.origin)));
    }
    Ok(Report::text(show(window, context)).with_notes(notes))
}

fn counted_lines(lines: u64) -> String {
    counted(usize::try_from(lines).unwrap_or(usize::MAX), "line")
}

fn show(window: &Window, context: &Context) -> String {
    let (header, dim) = (context.screen.out.header(), context.screen.out.dim());
    let mut text = String::new();
    if window.more_before {
        let _ = writeln!(text, "{dim}…{dim:#}\n");
    }
    for message in &window.messages {
        let when = message
            .at_ms
            .map(|then| age(then, context.now_ms()))
            .unwrap_or_default();
        let tool = message
            .tool
            .as_deref()
            .map(|tool| format!(" {}", one_line(tool)))
            .unwrap_or_default();
        let here = if message.is_target { " ◀" } else { "" };
        let role = Role::of(message.kind).name();
        let _ = writeln!(
            text,
            "{header}{role}{tool}{header:#}  {dim}{}  {when}{dim:#}{here}",
            message.line
        );
        let _ = writeln!(text, "{}", block(message.text.trim_end()));
        if message.cut > 0 {
            let _ = writeln!(text, "{dim}… {}{dim:#}", counted(message.cut, "more byte"));
        }
        text.push('\n');
    }
    if window.more_after {
        let _ = writeln!(text, "{dim}…{dim:#}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_names() {
        let reference = |session, agent, line| Reference { session, agent, line };
        for (text, expected) in [
            ("3f8a21c4", reference("3f8a21c4", None, None)),
            ("3f8a21c4:120", reference("3f8a21c4", None, Some(120))),
            ("3f8a21c4/agent-7:3", reference("3f8a21c4", Some("agent-7"), Some(3))),
            ("a name: with colon", reference("a name: with colon", None, None)),
            ("src/main.rs", reference("src/main.rs", None, None)),
        ] {
            assert_eq!(Reference::parse(text), expected, "{text}");
        }
    }
}
