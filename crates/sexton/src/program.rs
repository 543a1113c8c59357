//! From the command line to the exit status.

use std::io::{self, Write};

use clap::{CommandFactory, FromArgMatches};
use sexton_claude::config_dirs::ConfigDirectories;
use sexton_sys::{Environment, SystemClock};

use crate::arguments::{Arguments, Command};
use crate::commands;
use crate::configuration::{self, Configuration};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::places::Places;
use crate::render::Styles;
use crate::render::text::block;
use crate::report::Report;
use crate::screen::{ColorChoice, Screen};
use crate::shell::completion;
use crate::table::{self, Left};

/// Runs the program on this process's arguments and streams.
#[must_use]
pub fn main() -> Exit {
    let environment = Environment::of_this_process();
    match completion::answered(&environment) {
        Ok(true) => return Exit::Done,
        // A shell that can't be answered gets nothing.
        Err(_) => return Exit::Refused,
        Ok(false) => {}
    }
    let arguments = match Arguments::command()
        .try_get_matches()
        .and_then(|matches| Arguments::from_arg_matches(&matches))
    {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are "errors" that go to stdout.
            if !error.use_stderr() {
                let _ = error.print();
                return Exit::Done;
            }
            print_usage_error(&error, &environment);
            return Exit::Usage;
        }
    };
    let screen = Screen::of_this_process(&environment, arguments.global.color);
    match run(arguments, environment, screen) {
        Ok(Answer::Report(report)) => print(&report, screen.err),
        Ok(Answer::Left(left)) => left.into(),
        Err(error) => {
            print_error(&error, screen.err);
            error.exit()
        }
    }
}

/// What is left to do when a command is done.
enum Answer {
    /// Print what it has to say.
    Report(Report),
    /// It was the table, which has said everything already.
    Left(Left),
}

fn run(arguments: Arguments, environment: Environment, screen: Screen) -> Result<Answer, CommandError> {
    match &arguments.command {
        // These say the same everywhere, whatever the machine looks like.
        Some(Command::Completions(_) | Command::Man(_)) if arguments.global.json => {
            return Err(
                CommandError::usage("print this as JSON: it is text for another program")
                    .hint("leave `--json` out; every other command has a document"),
            );
        }
        Some(Command::Completions(arguments)) => return commands::completions::run(*arguments).map(Answer::Report),
        Some(Command::Man(arguments)) => return commands::man::run(arguments).map(Answer::Report),
        _ => {}
    }
    let environment = match &arguments.command {
        // Everything that it touches is its own.
        Some(Command::Demo(_)) => commands::demo::at_home(environment),
        _ => environment,
    };
    let global = &arguments.global;
    let configuration = configured(&environment, &arguments)?;
    let places = Places::find(&environment, &configuration)?;
    let config_dirs = if global.config_dirs.is_empty() {
        ConfigDirectories::known(&environment, &configuration.config_dirs)
    } else {
        ConfigDirectories::only(&environment, &global.config_dirs).map_err(|error| {
            CommandError::refused(error)
                .hint("`--config-dir` takes the directory that holds `projects/` and `sessions/`, such as `~/.claude`")
        })?
    };
    let json = global.json;
    let context = Context {
        environment,
        clock: Box::new(SystemClock),
        configuration,
        places,
        config_dirs,
        screen,
        json,
    };
    let ignored = ignored(&arguments, &context);
    if arguments.command.is_none() && context.can_show_table() {
        return table::run(context).map(Answer::Left);
    }
    let report = match arguments.command.unwrap_or_default() {
        Command::List(arguments) => commands::list::run(&arguments, &context),
        Command::Show(arguments) => commands::show::run(&arguments, &context),
        Command::Search(arguments) => commands::search::run(&arguments, &context),
        Command::Read(arguments) => commands::read::run(&arguments, &context),
        Command::Log(arguments) => commands::log::run(&arguments, &context),
        Command::Mark(arguments) => commands::mark::run(&arguments, &context),
        Command::Name(arguments) => commands::name::run(&arguments, &context),
        Command::Resume(arguments) => commands::resume::run(&arguments, &context),
        Command::Sweep(arguments) => commands::sweep::run(arguments, &context),
        Command::Prune(arguments) => commands::prune::run(arguments, &context),
        Command::Archive(arguments) => commands::archive::run(&arguments, &context),
        Command::Delete(arguments) => commands::delete::run(&arguments, &context),
        Command::Restore(arguments) => commands::restore::run(&arguments, &context),
        Command::Undo(arguments) => commands::undo::run(&arguments, &context),
        Command::Trash(arguments) => commands::trash::run(&arguments, &context),
        Command::Keep(arguments) => commands::keep::run(&arguments, &context),
        Command::Routine(arguments) => commands::routine::run(&arguments, &context),
        Command::Tombstone(arguments) => commands::tombstone::run(&arguments, &context),
        Command::Demo(arguments) if context.can_show_table() && arguments.wants_table() => {
            return commands::demo::table(&context).map(Answer::Left);
        }
        Command::Demo(arguments) => commands::demo::run(&arguments, &context),
        Command::Hooks(arguments) => commands::hooks::run(&arguments, &context),
        Command::Doctor(arguments) => commands::doctor::run(arguments, &context),
        Command::Config(arguments) => commands::config::run(&arguments, &context),
        Command::Completions(arguments) => commands::completions::run(arguments),
        Command::Man(arguments) => commands::man::run(&arguments),
        Command::Register(arguments) => commands::register::run(arguments, &context),
    };
    report.map(|report| Answer::Report(report.with_warnings(ignored)))
}

/// What is in the configuration file and means nothing, unless the command says so itself.
fn ignored(arguments: &Arguments, context: &Context) -> Vec<String> {
    if says_itself(arguments) {
        return Vec::new();
    }
    let file = context.places.configuration.display();
    let problems = context.configuration.problems.iter();
    problems.map(|problem| format!("{file}:{problem}")).collect()
}

/// Whether the command itself says what is wrong with the configuration.
fn says_itself(arguments: &Arguments) -> bool {
    matches!(arguments.command, Some(Command::Config(_) | Command::Doctor(_)))
}

/// The configuration. One with a mistake in it stops everything but what shows and mends it: a limit that is not understood must not
/// silently be another one.
fn configured(environment: &Environment, arguments: &Arguments) -> Result<Configuration, CommandError> {
    let (text, failure) = match configuration::read(environment) {
        Ok(text) => (text.unwrap_or_default(), None),
        Err(error) => (String::new(), Some(format!(" {error}"))),
    };
    let configuration = Configuration::resolve(&text, environment, &arguments.global.options());
    let mistake = configuration.problems.iter().find(|problem| !problem.is_warning);
    let Some(what) = failure.or_else(|| mistake.map(ToString::to_string)) else {
        return Ok(configuration);
    };
    if says_itself(arguments) {
        return Ok(configuration);
    }
    let path = configuration::path(environment).unwrap_or_default();
    Err(CommandError::refused(format_args!("{}:{what}", path.display()))
        .hint("`sexton config edit` opens it, `sexton config show` lists all that is wrong with it"))
}

/// Prints a report; a reader that went away (`| head`) is a quiet end, a full disk is not.
fn print(report: &Report, styles: Styles) -> Exit {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(report.stdout.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return report.exit(),
        Err(error) => {
            print_error(&CommandError::refused(format_args!("write to stdout: {error}")), styles);
            return Exit::Refused;
        }
    }
    let (dim, warning, error) = (styles.dim(), styles.warning(), styles.error());
    let notes = report.notes.iter().map(|line| format!("{dim}{}{dim:#}\n", block(line)));
    let warnings = report
        .warnings
        .iter()
        .map(|line| format!("{warning}warning:{warning:#} {}\n", block(line)));
    let problems = report
        .problems
        .iter()
        .map(|line| format!("{error}error:{error:#} {}\n", block(line)));
    let lines: String = notes.chain(warnings).chain(problems).collect();
    // Nobody is left to be told if stderr is gone.
    let _ = io::stderr().lock().write_all(lines.as_bytes());
    report.exit()
}

/// Prints the parser's complaint, which repeats what was typed and must not drive the terminal either.
fn print_usage_error(error: &clap::Error, environment: &Environment) {
    let styles = Screen::of_this_process(environment, ColorChoice::Auto).err;
    let text = error.render().to_string();
    match text.strip_prefix("error: ") {
        Some(text) => {
            let error = CommandError::usage(text.trim_end());
            let typed = std::env::args_os().skip(1);
            let typed: Vec<String> = typed.map(|word| word.to_string_lossy().into_owned()).collect();
            let error = match commands::search::unquoted(&typed) {
                Some(hint) => error.hint(hint),
                None => error,
            };
            print_error(&error, styles);
        }
        // The help of a command that lacks its subcommand.
        None => drop(write!(io::stderr().lock(), "{}", block(&text))),
    }
}

fn print_error(error: &CommandError, styles: Styles) {
    let (label, hint) = (styles.error(), styles.hint());
    let text = block(&error.to_string()).replace("\nhint:", &format!("\n{hint}hint:{hint:#}"));
    let _ = writeln!(io::stderr().lock(), "{label}error:{label:#} {text}");
}
