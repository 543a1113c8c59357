//! `sexton config`

use std::process::Command;

use clap::Subcommand;
use sexton_sys::Effects;

use super::changes;
use crate::arguments::DryRun;
use crate::configuration::variables::VARIABLES;
use crate::configuration::{self, Configuration, Options, annotated, template};
use crate::context::Context;
use crate::documents::{ConfigurationDocument, FileDocument, Item, Outcome};
use crate::error::CommandError;
use crate::render::text::block;
use crate::report::Report;

const EXAMPLES: &str = "\
Examples:
  sexton config show                      each key with its value and where it came from
  sexton config show | grep vault
  sexton config edit

An option wins over an environment variable, that over the file, that over the default.";

/// Show or edit what is configured.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub enum What {
    /// Show each key with its meaning, its value, and where that came from
    ///
    /// The output is itself a valid configuration file.
    Show {
        /// List the environment variables that are looked at, too
        #[arg(long, short = 'e')]
        environment: bool,
    },
    /// Show where the configuration file lies, whether it exists or not
    Path,
    /// Open the configuration file in your editor; a new one explains each key
    Edit {
        /// Whether to change anything.
        #[command(flatten)]
        dry_run: DryRun,
    },
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<Report, CommandError> {
    match arguments.what {
        What::Show { environment } => show(environment, context),
        What::Path => path(context),
        What::Edit { dry_run } => edit(dry_run, context),
    }
}

fn show(environment: bool, context: &Context) -> Result<Report, CommandError> {
    let report = if context.json {
        let file = &context.places.configuration;
        Report::json(&ConfigurationDocument::new(&context.configuration, file))?
    } else {
        let mut text = annotated(&context.configuration.entries);
        if environment {
            let width = VARIABLES
                .iter()
                .map(|variable| variable.name.len())
                .max()
                .unwrap_or_default();
            let lines = VARIABLES
                .iter()
                .map(|variable| format!("# {:width$}  {}\n", variable.name, variable.about));
            text.push_str("\n# Environment variables\n");
            text.extend(lines);
        }
        Report::text(block(&text))
    };
    // A file that can't be read at all is the whole answer.
    configuration::read(&context.environment).map_err(|error| unreadable(context, &error))?;
    Ok(with_problems(report, &context.configuration, context))
}

fn path(context: &Context) -> Result<Report, CommandError> {
    let file = &context.places.configuration;
    if context.json {
        return Report::json(&FileDocument::new(file));
    }
    Ok(Report::text(block(&format!("{}\n", file.display()))))
}

fn edit(dry_run: DryRun, context: &Context) -> Result<Report, CommandError> {
    let path = &context.places.configuration;
    let effects = dry_run.effects();
    make(&effects, context)?;
    let report = || {
        let item = Item::of_file(path, Outcome::Done);
        changes::report(context, &effects, &[], vec![item], Vec::new())
    };
    if effects.is_dry_run() {
        return report();
    }
    let environment = &context.environment;
    let editor = environment.get("VISUAL").or_else(|| environment.get("EDITOR"));
    let editor = editor.unwrap_or("vi".as_ref());
    let shown = editor.to_string_lossy();
    // Through a shell, since people write `code --wait` there.
    let mut script = editor.to_os_string();
    script.push(r#" "$@""#);
    let status = Command::new("sh").arg("-c").arg(script).arg("sh").arg(path).status();
    let status = status.map_err(|error| CommandError::refused(format_args!("run `{shown}`: {error}")))?;
    if !status.success() {
        return Err(
            CommandError::refused(format_args!("edit `{}`: `{shown}` ended with {status}", path.display()))
                .hint("set `VISUAL` or `EDITOR` to the editor that you use"),
        );
    }
    let text = configuration::read(environment).map_err(|error| unreadable(context, &error))?;
    let edited = Configuration::resolve(&text.unwrap_or_default(), environment, &Options::default());
    Ok(with_problems(report()?, &edited, context))
}

/// Makes the file that explains each key, unless there is one.
fn make(effects: &Effects, context: &Context) -> Result<(), CommandError> {
    let path = &context.places.configuration;
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    effects.create_directory(path.parent().unwrap_or(path))?;
    // What the environment or an option says now is no default for a file that outlives them.
    let entries = Configuration::resolve("", &context.environment, &Options::default()).entries;
    Ok(effects.create_file(path, template(&entries).as_bytes())?)
}

fn unreadable(context: &Context, error: &std::io::Error) -> CommandError {
    CommandError::unreadable(format_args!(
        "read `{}`: {error}",
        context.places.configuration.display()
    ))
}

fn with_problems(report: Report, configuration: &Configuration, context: &Context) -> Report {
    let path = context.places.configuration.display();
    let (warnings, errors): (Vec<_>, Vec<_>) = configuration.problems.iter().partition(|problem| problem.is_warning);
    let lines = |problems: Vec<_>| {
        problems
            .into_iter()
            .map(|problem| format!("{path}:{problem}"))
            .collect::<Vec<_>>()
    };
    report.with_warnings(lines(warnings)).with_problems(lines(errors))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use sexton_sys::{Fault, FaultPlan};
    use sexton_testkit::TestEnv;

    use super::*;

    #[test]
    fn stopped_anywhere_there_is_no_file_or_a_whole_one() {
        let context = |env: &TestEnv| Context::for_completion(env.environment()).unwrap();
        let read = |env: &TestEnv| {
            let text = fs::read_to_string(env.config_file()).ok()?;
            Some(text.replace(env.root().to_str().unwrap(), ""))
        };
        let counting = Effects::faulty(FaultPlan::count_only());
        let env = TestEnv::new();
        make(&counting, &context(&env)).unwrap();
        let whole = read(&env);
        assert!(counting.steps_taken() > 3);
        for at in 0..counting.steps_taken() {
            for fault in [Fault::Stop, Fault::Error(122), Fault::ErrorFromHere(28)] {
                let env = TestEnv::new();
                let _ = make(&Effects::faulty(FaultPlan::new(at, fault)), &context(&env));
                let text = read(&env);
                assert!(text.is_none() || text == whole, "{fault:?} at {at}");
                make(&Effects::apply(), &context(&env)).unwrap();
                assert!(read(&env) == whole, "{fault:?} at {at}");
                let beside = fs::read_dir(env.config_file().parent().unwrap()).unwrap();
                assert_eq!(beside.count(), 1, "{fault:?} at {at}");
            }
        }
    }
}
