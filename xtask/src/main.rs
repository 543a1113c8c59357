//! What the project does beside building and testing: `cargo xtask bench`, `guard`, `corpus`, `generate`, `static`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program for developers, which arranges its own files below `target/` and reports to a terminal"
)]

mod bench;
mod binary;
mod corpus;
mod floor;
mod generate;
mod guard;
mod static_build;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// An operation that can fail in ways nobody tells apart.
type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// Tasks of the project.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Measure each row of "Speed it is built for" against its floor.
    Bench(bench::Options),
    /// Count what the hot paths do, against checked-in numbers.
    Guard(guard::Options),
    /// Generate a corpus of sessions in the shape of a real machine.
    Corpus(corpus::Options),
    /// Write what is made from the code and checked in: completions, manual pages, output in the documentation, schemas.
    Generate,
    /// Build the static binary and compare its size and start-up.
    Static,
    /// Floors to measure against, as processes of their own.
    #[command(hide = true, subcommand)]
    Floor(floor::Floor),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Bench(options) => bench::run(&options),
        Task::Guard(options) => guard::run(&options),
        Task::Corpus(options) => corpus::run(&options),
        Task::Generate => generate::run(),
        Task::Static => static_build::run(),
        Task::Floor(floor) => floor.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
