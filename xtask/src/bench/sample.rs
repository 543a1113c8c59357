//! Running whole processes and taking their time.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

use crate::{Result, corpus};

/// A program with everything it is started with; its environment is only what is set here.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    input: Option<PathBuf>,
}

/// One run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) wall: Duration,
    pub(crate) peak_bytes: u64,
    pub(crate) code: Option<i32>,
}

/// Runs of one program, in the order of their time.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    milliseconds: Vec<f64>,
    peak_bytes: u64,
}

impl Program {
    pub(crate) fn new(path: impl AsRef<Path>) -> Self {
        Self {
            path: path.as_ref().to_path_buf(),
            arguments: Vec::new(),
            variables: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            input: None,
        }
    }

    pub(crate) fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(crate) fn arguments<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments
            .extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.into(), value.as_ref().to_owned()));
        self
    }

    pub(crate) fn input(mut self, file: impl AsRef<Path>) -> Self {
        self.input = Some(file.as_ref().to_path_buf());
        self
    }

    /// The same program, run by a tool that watches it.
    pub(crate) fn under(&self, tool: &str, options: &[&str]) -> Self {
        let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
        arguments.push(self.path.clone().into());
        arguments.extend(self.arguments.iter().cloned());
        Self {
            path: tool.into(),
            arguments,
            ..self.clone()
        }
    }

    /// The arguments, for people; a thousand ids are told by their first.
    pub(crate) fn described(&self) -> String {
        let shown = self.arguments.iter().take(6);
        let mut words: Vec<String> = shown.map(|word| word.to_string_lossy().into_owned()).collect();
        if self.arguments.len() > words.len() {
            words.push("…".to_owned());
        }
        words.join(" ")
    }

    /// The program as a command.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs it once; its output goes to [`output_file`], since some programs work less when they write to nowhere.
    pub(crate) fn sample(&self) -> Result<Sample> {
        let mut command = self.command();
        command
            .stdout(File::create(output_file()?)?)
            .stderr(File::create(error_file()?)?);
        command.stdin(match &self.input {
            Some(file) => Stdio::from(File::open(file)?),
            None => Stdio::null(),
        });
        let start = Instant::now();
        let ended = command
            .spawn()
            .map_err(|error| format!("failed to start {self:?}: {error}"))?
            .wait4()?;
        Ok(Sample {
            wall: start.elapsed(),
            peak_bytes: ended.rusage.maxrss,
            code: ended.status.code(),
        })
    }
}

impl Series {
    /// Runs both in turn, so that whatever else the machine does falls on both alike; the first two turns don't count.
    pub(crate) fn alternating(subject: &Program, floor: &Program, runs: usize) -> Result<(Self, Self)> {
        let (mut ours, mut theirs) = (Self::empty(), Self::empty());
        for turn in 0..runs + 2 {
            let (one, other) = (subject.sample()?, floor.sample()?);
            if turn >= 2 {
                ours.add(one);
                theirs.add(other);
            }
        }
        Ok((ours, theirs))
    }

    pub(crate) fn empty() -> Self {
        Self {
            milliseconds: Vec::new(),
            peak_bytes: 0,
        }
    }

    pub(crate) fn add(&mut self, sample: Sample) {
        let milliseconds = sample.wall.as_secs_f64() * 1e3;
        let position = self.milliseconds.partition_point(|earlier| *earlier < milliseconds);
        self.milliseconds.insert(position, milliseconds);
        self.peak_bytes = self.peak_bytes.max(sample.peak_bytes);
    }

    pub(crate) fn runs(&self) -> usize {
        self.milliseconds.len()
    }

    /// In milliseconds.
    pub(crate) fn median(&self) -> f64 {
        self.at(50)
    }

    /// A tenth of the runs are faster; in milliseconds.
    pub(crate) fn low(&self) -> f64 {
        self.at(10)
    }

    /// A tenth of the runs are slower; in milliseconds.
    pub(crate) fn high(&self) -> f64 {
        self.at(90)
    }

    /// The largest of all runs.
    pub(crate) fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    fn at(&self, percent: usize) -> f64 {
        let last = self.milliseconds.len().saturating_sub(1);
        self.milliseconds
            .get((last * percent + 50) / 100)
            .copied()
            .unwrap_or(f64::NAN)
    }
}

/// Runs it again and again until it says that its answer is complete; the times are added up.
///
/// A search answers after some seconds even if not everything was read.
pub(crate) fn until_complete(program: &Program) -> Result<Sample> {
    let mut all = program.sample()?;
    for _ in 0..1_000 {
        if !fs::read_to_string(error_file()?)?.contains("not complete yet") {
            return Ok(all);
        }
        let next = program.sample()?;
        all = Sample {
            wall: all.wall + next.wall,
            peak_bytes: all.peak_bytes.max(next.peak_bytes),
            code: next.code,
        };
    }
    Err(format!("`{}` never gives a complete answer", program.described()).into())
}

/// Where the last sampled program's output is.
pub(crate) fn output_file() -> Result<PathBuf> {
    Ok(corpus::scratch()?.join("output"))
}

/// Where the last sampled program's problems are.
pub(crate) fn error_file() -> Result<PathBuf> {
    Ok(corpus::scratch()?.join("problems"))
}
