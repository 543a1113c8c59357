//! `sexton demo`

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use sexton_claude::config_dirs::ConfigDirectories;
use sexton_sys::{Effects, Environment, Signals, SystemClock};

use super::list;
use crate::configuration::{Configuration, Options};
use crate::context::Context;
use crate::demo::{SampleMachine, idle_until_released};
use crate::error::CommandError;
use crate::places::Places;
use crate::render::path::safe;
use crate::report::Report;
use crate::table::{self, Left};

const EXAMPLES: &str = "\
Examples:
  sexton demo
  sexton demo --shell
  sexton demo | cat";

/// Try everything on a throw-away sample machine.
///
/// Makes a scratch home with sessions in every state, live ones backed by real processes that it starts and stops, and shows them in the table, or
/// lists them where there is no terminal. Nothing of yours is read or written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Open your shell on the sample machine, to try commands there until you leave it
    #[arg(long)]
    shell: bool,

    /// Be one of the sample machine's clients.
    #[arg(long, hide = true)]
    client: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    if arguments.client {
        idle_until_released();
        return Ok(Report::text(""));
    }
    // Until it is cleared away, no signal may leave the sample machine lying about.
    let mut signals = catch()?;
    let machine = build(context)?;
    let report = if arguments.shell {
        shell(&machine, context)?
    } else {
        list::run(&list::Arguments::default(), &sample(&machine, context)?)?
    };
    let note = gone(&machine);
    drop(machine);
    if let Some(signal) = signals.pending() {
        // Where that fails, the process ends by itself, a moment later.
        let _ = signal.end_this_process();
    }
    Ok(report.with_notes([note]))
}

/// Where nothing is and nobody can make anything; `/nonexistent`, the home of system users, is there on some machines.
const NOWHERE: &str = "/proc/nowhere";

/// An environment that says where home is, if only for the sake of those who ask: the sample machine has a home of its own.
#[must_use]
pub fn at_home(environment: Environment) -> Environment {
    if environment.home().is_some() {
        return environment;
    }
    let variables = environment
        .variables()
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let with_home = Environment::from_variables(variables.chain([("HOME".into(), NOWHERE.into())]));
    match environment.current_directory() {
        Some(directory) => with_home.with_current_directory(directory),
        None => with_home,
    }
}

/// Runs a shell on a sample machine to its end.
fn shell(machine: &SampleMachine, context: &Context) -> Result<Report, CommandError> {
    let shell = context.environment.get("SHELL").unwrap_or(OsStr::new("/bin/sh"));
    let environment = machine.environment(&context.environment);
    // The prompt says where one is: everything looks like a home of one's own.
    for (name, prompt) in [
        (".bashrc", r"PS1='(sexton demo) \w\$ '"),
        (".zshrc", "PS1='(sexton demo) %~ %# '"),
    ] {
        let file = machine.home().join(name);
        Effects::apply().create_file(&file, format!("{prompt}\n").as_bytes())?;
    }
    let failure = |error| CommandError::refused(format_args!("run `{}`: {error}", safe(Path::new(shell))));
    Command::new(shell)
        .env_clear()
        .envs(environment.variables())
        .current_dir(machine.home())
        .status()
        .map_err(failure)?;
    // What its last command ended with is no word about the demo.
    Ok(Report::text(""))
}

/// Opens the table on a sample machine, which is gone when the table is left, however that happens.
pub fn table(context: &Context) -> Result<Left, CommandError> {
    let mut signals = catch()?;
    let machine = build(context)?;
    // One that came before the table could take it.
    if let Some(signal) = signals.pending() {
        return Ok(Left::Signal(signal));
    }
    table::run(sample(&machine, context)?)
}

fn catch() -> Result<Signals, CommandError> {
    Signals::catch().map_err(|error| CommandError::refused(format_args!("catch signals: {error}")))
}

impl Arguments {
    /// Whether the table is what was asked for: neither a shell nor one of the sample machine's clients.
    pub(crate) fn wants_table(&self) -> bool {
        !self.client && !self.shell
    }
}

fn build(context: &Context) -> Result<SampleMachine, CommandError> {
    let program =
        std::env::current_exe().map_err(|error| CommandError::refused(format_args!("find this program: {error}")))?;
    SampleMachine::build(&program, context.clock.as_ref()).map_err(CommandError::refused)
}

/// The world of a person who sits at the sample machine.
fn sample(machine: &SampleMachine, context: &Context) -> Result<Context, CommandError> {
    let environment = machine.environment(&context.environment);
    let configuration = Configuration::resolve("", &environment, &Options::default());
    Ok(Context {
        places: Places::find(&environment, &configuration)?,
        configuration,
        config_dirs: ConfigDirectories::known(&environment, &[]),
        environment,
        clock: Box::new(SystemClock),
        screen: context.screen,
        json: context.json,
    })
}

fn gone(machine: &SampleMachine) -> String {
    format!("a sample machine in {}, gone again by now", safe(machine.home()))
}
