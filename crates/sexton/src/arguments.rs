//! The command line: what was typed. What it means is each command's business.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::{
    archive, completions, config, delete, demo, doctor, hooks, keep, list, log, man, mark, name, prune, read, register,
    restore, resume, routine, search, show, sweep, tombstone, trash, undo,
};
use crate::configuration::Options;
use crate::screen::ColorChoice;

const EXAMPLES: &str = "\
Examples:
  sexton                              everything that runs, waits or was left loose
  sexton list --all --cwd .           each session of this directory, finished ones too
  sexton show 3f8a21c4                all that is known about one session
  sexton mark 3f8a21c4 on-hold --note 'waits for review'

A session is addressed by its id or a prefix of at least 8 characters; unless it is put away or removed, also by its exact name.
Exit status: 0 done; 1 refused, not found or failed; 2 usage; 3 done in part.";

/// The register of every Claude Code session on this machine.
#[derive(Debug, Parser)]
#[command(name = "sexton", version, about, after_help = EXAMPLES, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
pub struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalArguments,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, clap::Args)]
pub struct GlobalArguments {
    /// Answer with one JSON document on stdout.
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,

    /// When to use colours.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Global options"
    )]
    pub(crate) color: ColorChoice,

    /// A directory of Claude Code's, instead of all known ones; may be given several times.
    #[arg(
        long = "config-dir",
        global = true,
        value_name = "DIR",
        help_heading = "Global options"
    )]
    pub(crate) config_dirs: Vec<PathBuf>,

    /// Where the lifecycle register lies.
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) register_dir: Option<PathBuf>,

    /// Where the tombstone file lies.
    #[arg(
        long,
        alias = "cache-dir",
        global = true,
        value_name = "DIR",
        help_heading = "Global options"
    )]
    pub(crate) tombstone_dir: Option<PathBuf>,

    /// Where archived sessions lie, instead of `archive/` of each configuration directory.
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) archive_dir: Option<PathBuf>,
}

impl GlobalArguments {
    /// What stands above environment and configuration file.
    pub(crate) fn options(&self) -> Options {
        Options {
            config_dirs: self.config_dirs.clone(),
            register_dir: self.register_dir.clone(),
            tombstone_dir: self.tombstone_dir.clone(),
            archive_dir: self.archive_dir.clone(),
        }
    }
}

/// Whether to change anything.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct DryRun {
    /// Say what would be done, and do nothing.
    #[arg(long, short = 'n')]
    pub(crate) dry_run: bool,
}

impl DryRun {
    /// The effects to work through.
    pub(crate) fn effects(self) -> sexton_sys::Effects {
        if self.dry_run {
            sexton_sys::Effects::record()
        } else {
            sexton_sys::Effects::apply()
        }
    }
}

/// Consent to a command that asks nothing.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Unasked {
    /// Taken as `delete` takes it; nothing is asked here in any case.
    #[arg(long = "yes", short = 'y')]
    _yes: bool,
}

/// The commands, in the order of the help.
///
/// What each is for stands in its `Arguments`: a comment here would replace it, whole, in `sexton help`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(alias = "ls")]
    List(list::Arguments),
    Show(show::Arguments),
    Search(search::Arguments),
    Read(read::Arguments),
    Log(log::Arguments),
    Mark(mark::Arguments),
    Name(name::Arguments),
    Resume(resume::Arguments),
    Sweep(sweep::Arguments),
    Prune(prune::Arguments),
    Archive(archive::Arguments),
    #[command(alias = "rm")]
    Delete(delete::Arguments),
    Restore(restore::Arguments),
    Undo(undo::Arguments),
    Trash(trash::Arguments),
    Tombstone(tombstone::Arguments),
    Keep(keep::Arguments),
    Routine(routine::Arguments),
    Demo(demo::Arguments),
    Hooks(hooks::Arguments),
    Doctor(doctor::Arguments),
    Config(config::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    Register(register::Arguments),
}

impl Default for Command {
    fn default() -> Self {
        Self::List(list::Arguments::default())
    }
}
