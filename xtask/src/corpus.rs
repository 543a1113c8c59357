//! Corpora on disk, generated once for each size and used again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde::{Deserialize, Serialize};
use sexton_testkit::corpus::Corpus;

use crate::{Result, binary};

/// Options of `cargo xtask corpus`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The home directory to make; its `.claude` must not exist yet.
    home: PathBuf,
    /// How many sessions.
    #[arg(long, default_value_t = 1_000)]
    sessions: usize,
    /// How many bytes of transcripts: `500M`, `5G`.
    #[arg(long, default_value = "200M", value_parser = parse_bytes)]
    bytes: u64,
    /// The seed; one seed always gives the same corpus.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What a corpus holds, as written beside it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Holdings {
    pub(crate) home: PathBuf,
    pub(crate) sessions: usize,
    pub(crate) bytes: u64,
    pub(crate) subagents: usize,
    pub(crate) median: u64,
    pub(crate) percentile_95: u64,
    pub(crate) largest: u64,
    /// The transcript that `largest` is the size of.
    pub(crate) largest_transcript: PathBuf,
    pub(crate) register_files: usize,
    pub(crate) tombstones: usize,
}

/// Generates a corpus and prints what it holds as JSON.
pub(crate) fn run(options: &Options) -> Result<()> {
    if options.home.join(".claude").exists() {
        return Err(format!("`{}` exists already", options.home.join(".claude").display()).into());
    }
    let generated = Corpus::new(options.sessions, options.bytes)
        .seed(options.seed)
        .generate(&options.home);
    let mut sizes: Vec<u64> = generated.sessions.iter().map(|session| session.bytes).collect();
    sizes.sort_unstable();
    let at = |percent: usize| {
        sizes
            .get(sizes.len() * percent / 100)
            .or(sizes.last())
            .copied()
            .unwrap_or(0)
    };
    let largest = generated
        .sessions
        .iter()
        .max_by_key(|session| session.bytes)
        .ok_or("a corpus of no sessions")?;
    let holdings = Holdings {
        home: options.home.canonicalize()?,
        sessions: generated.sessions.len(),
        bytes: generated.bytes,
        subagents: generated.subagents,
        median: at(50),
        percentile_95: at(95),
        largest: largest.bytes,
        largest_transcript: largest.transcript.clone(),
        register_files: fs::read_dir(options.home.join(".claudewheel/shared/lifecycle"))?.count(),
        tombstones: generated.tombstoned.len(),
    };
    println!("{}", serde_json::to_string_pretty(&holdings)?);
    Ok(())
}

/// The corpus of this size, from an earlier run or generated now.
pub(crate) fn at_hand(sessions: usize, bytes: u64) -> Result<Holdings> {
    let directory = scratch()?.join(format!("corpus-{sessions}-{bytes}"));
    let record = directory.join("holdings.json");
    if let Ok(text) = fs::read(&record) {
        return Ok(serde_json::from_slice(&text)?);
    }
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    let text = generate(&directory.join("home"), sessions, bytes)?;
    fs::write(record, &text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Generates a corpus in a process of its own, and returns what it holds as JSON.
///
/// A child's peak memory counts from the fork, when it is still its parent's: whoever measures must stay small.
pub(crate) fn generate(home: &Path, sessions: usize, bytes: u64) -> Result<Vec<u8>> {
    eprintln!("generating {sessions} sessions, {} MB", bytes / 1_000_000);
    let output = Command::new(std::env::current_exe()?)
        .args([
            "corpus",
            "--sessions",
            &sessions.to_string(),
            "--bytes",
            &bytes.to_string(),
        ])
        .arg(home)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err("the corpus was not generated".into())
    }
}

/// Where benchmarks keep their files.
pub(crate) fn scratch() -> Result<PathBuf> {
    let directory = binary::target().join("bench");
    fs::create_dir_all(&directory)?;
    Ok(directory)
}

/// Removes a directory that an earlier run left, if there is one.
pub(crate) fn clear(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    Ok(())
}

/// Reads `500M`, `5G` or plain bytes; M and G are powers of ten.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'M') => (&text[..text.len() - 1], 1_000_000),
        Some(b'G') => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| format!("`{text}` is no number of bytes such as `500M`"))?;
    number.checked_mul(unit).ok_or_else(|| format!("`{text}` is too large"))
}
