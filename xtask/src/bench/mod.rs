//! `cargo xtask bench`: each row of "Speed it is built for", as whole processes, against its floor in the same run.

pub(crate) mod figures;
mod growth;
mod machine;
mod page;
mod plot;
mod pty;
mod report;
pub(crate) mod rows;
pub(crate) mod sample;
mod scale;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::{Result, binary, corpus};
use figures::Row;
use machine::Machine;
use sample::Program;

/// Options of `cargo xtask bench`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Measure at full size, 10,000 sessions and 5 GB; takes half an hour and 8 GB of disk.
    #[arg(long)]
    full: bool,
    /// How many sessions the corpus has.
    #[arg(long)]
    sessions: Option<usize>,
    /// How many bytes of transcripts the corpus has: `500M`, `5G`.
    #[arg(long, value_parser = corpus::parse_bytes)]
    bytes: Option<u64>,
    /// Only rows whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Measure this binary instead of building one; it is compared with no static build.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Also measure how cost grows, and write docs/performance.md and its plot.
    #[arg(long)]
    write: bool,
}

/// What every row needs.
#[derive(Debug)]
pub(crate) struct Bench {
    binary: PathBuf,
    static_binary: Option<PathBuf>,
    sessions: usize,
    bytes: u64,
    runs: usize,
    only: Option<String>,
}

/// Measures and reports.
pub(crate) fn run(options: &Options) -> Result<()> {
    let bench = Bench::prepare(options)?;
    let rows = rows::measure_all(&bench)?;
    let machine = Machine::of_this_run(bench.sessions, bench.bytes);
    if options.json {
        println!("{}", report::json(&machine, &rows)?);
    } else {
        print!("{}", report::text(&machine, &rows));
    }
    if options.write {
        let growth = growth::measure(&bench)?;
        let scales = scale::measure(&bench)?;
        let docs = binary::root().join("docs");
        fs::create_dir_all(&docs)?;
        fs::write(docs.join("performance.svg"), plot::svg(&growth))?;
        page::write(&docs.join("performance.md"), &machine, &rows, &growth, &scales)?;
    }
    Ok(())
}

impl Bench {
    fn prepare(options: &Options) -> Result<Self> {
        let (sessions, bytes) = if options.full {
            (10_000, 5_000_000_000)
        } else {
            (1_000, 300_000_000)
        };
        let (binary, static_binary) = match &options.binary {
            Some(path) => (path.canonicalize()?, None),
            None => (binary::release()?, Some(binary::static_release()?)),
        };
        Ok(Self {
            binary,
            static_binary,
            sessions: options.sessions.unwrap_or(sessions),
            bytes: options.bytes.unwrap_or(bytes),
            runs: if options.full { 30 } else { 15 },
            only: options.only.clone(),
        })
    }

    /// A bench that only counts.
    pub(crate) fn for_counting(binary: PathBuf) -> Self {
        Self {
            binary,
            static_binary: None,
            sessions: 0,
            bytes: 0,
            runs: 0,
            only: None,
        }
    }

    /// The binary.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// The binary in a home of its own.
    pub(crate) fn sexton(&self, home: &Path) -> Program {
        Self::program(&self.binary, home)
    }

    fn program(binary: &Path, home: &Path) -> Program {
        Program::new(binary).variable("HOME", home)
    }

    /// A floor of ours: this program again.
    fn floor(arguments: &[&std::ffi::OsStr]) -> Result<Program> {
        Ok(Program::new(std::env::current_exe()?)
            .argument("floor")
            .arguments(arguments))
    }

    /// Whether rows of this name were asked for.
    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only))
    }

    /// Whether rows of just this name were asked for.
    fn asks_for(&self, name: &str) -> bool {
        self.only.as_deref() == Some(name)
    }

    /// The corpus that most rows share.
    fn corpus(&self) -> Result<corpus::Holdings> {
        corpus::at_hand(self.sessions, self.bytes)
    }
}

/// A fresh directory of this name for one row's files.
pub(crate) fn fresh(name: &str) -> Result<PathBuf> {
    let directory = corpus::scratch()?.join(name);
    corpus::clear(&directory)?;
    fs::create_dir_all(&directory)?;
    Ok(directory.canonicalize()?)
}

/// A [`Row`] list or why there is none.
type Rows = Result<Vec<Row>>;
