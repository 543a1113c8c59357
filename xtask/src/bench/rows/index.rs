//! The index: everything for the first time, nothing new, one transcript grown; and counting lines.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use sexton_testkit::Transcript;
use sexton_testkit::corpus::needles;

use crate::Result;
use crate::bench::figures::{Limit, Row, why_not};
use crate::bench::sample::{Program, Series, until_complete};
use crate::bench::{Bench, Rows, fresh};
use crate::corpus::{self, Holdings};

/// A search brings the index up to date first.
pub(crate) const PASS: [&str; 2] = ["search", needles::RARE];

pub(super) fn measure(bench: &Bench) -> Rows {
    let corpus = bench.corpus()?;
    let subject = bench.sexton(&corpus.home).arguments(PASS);
    keep_copies(&corpus.home, false)?;
    let first = first(bench, &corpus, &subject)?;
    let projects = corpus.home.join(".claude/projects");
    let floor = Bench::floor(&[OsStr::new("look"), projects.as_os_str()])?;
    let unchanged = Row::measure(
        format!(
            "pass with nothing changed, {} files",
            corpus.sessions + corpus.subagents
        ),
        &subject,
        ("a look at each file", &floor),
        Limit::Milliseconds(50.0),
        bench.runs,
        |output| !output.is_empty(),
    )?;
    let grown = grown(bench, &corpus, &subject)?;
    let mut rows = vec![first, unchanged, grown, lines(bench, &corpus)?];
    rows.extend(copies(bench)?);
    Ok(rows)
}

fn first(bench: &Bench, corpus: &Holdings, subject: &Program) -> Result<Row> {
    let name = format!("first index of {} MB", corpus.bytes / 1_000_000);
    let limit = Limit::Throughput {
        bytes: corpus.bytes,
        megabytes_per_second: 60.0,
        peak_bytes: 150_000_000,
    };
    let cache = corpus.home.join(".cache/sexton");
    let projects = corpus.home.join(".claude/projects");
    let floor = Bench::floor(&[OsStr::new("read"), projects.as_os_str()])?;
    corpus::clear(&cache)?;
    // One search waits only so long, and may not have come to the word yet.
    until_complete(subject)?;
    if let Some(reason) = why_not(subject, |output| !output.is_empty())? {
        return Ok(Row::without(name, subject, limit, reason));
    }
    let (mut ours, mut theirs) = (Series::empty(), Series::empty());
    for _ in 0..if bench.runs > 15 { 3 } else { 2 } {
        corpus::clear(&cache)?;
        ours.add(until_complete(subject)?);
        theirs.add(floor.sample()?);
    }
    Ok(Row::of(
        name,
        subject,
        &ours,
        Some(("reading the bytes", &theirs)),
        limit,
    ))
}

/// One turn is added to the largest transcript before each run; the floor is a pass with nothing changed.
fn grown(bench: &Bench, corpus: &Holdings, subject: &Program) -> Result<Row> {
    let name = format!("pass after one transcript of {} MB grew", corpus.largest / 1_000_000);
    let limit = Limit::TimesFloor(1.5);
    if let Some(reason) = why_not(subject, |output| !output.is_empty())? {
        return Ok(Row::without(name, subject, limit, reason));
    }
    let path = &corpus.largest_transcript;
    let before = fs::metadata(path)?.len();
    let (mut ours, mut theirs) = (Series::empty(), Series::empty());
    for _ in 0..bench.runs {
        append_turn(path)?;
        ours.add(subject.sample()?);
        theirs.add(subject.sample()?);
    }
    fs::File::options().write(true).open(path)?.set_len(before)?;
    subject.sample()?;
    Ok(Row::of(name, subject, &ours, Some(("nothing changed", &theirs)), limit))
}

/// Keeping a compressed copy of everything, as is the default; and a pass with nothing changed beside those copies.
///
/// Never of more than a thousand sessions: each copy is made durable for itself, so that ten times as many take ten times as long.
fn copies(bench: &Bench) -> Result<Vec<Row>> {
    let corpus = &corpus::at_hand(bench.sessions.min(1_000), bench.bytes.min(300_000_000))?;
    let subject = &bench.sexton(&corpus.home).arguments(PASS);
    keep_copies(&corpus.home, false)?;
    until_complete(subject)?;
    let name = format!("first copies of {} MB", corpus.bytes / 1_000_000);
    let limit = Limit::None {
        bytes: Some(corpus.bytes),
    };
    if let Some(reason) = why_not(subject, |output| !output.is_empty())? {
        return Ok(vec![Row::without(name, subject, limit, reason)]);
    }
    let vault = corpus.home.join(".local/share/sexton/vault");
    corpus::clear(&vault)?;
    keep_copies(&corpus.home, true)?;
    let mut all = subject.sample()?;
    let mut before = 0;
    loop {
        let next = subject.sample()?;
        let now = bytes_below(&vault)?;
        if now == before {
            break;
        }
        before = now;
        all.wall += next.wall;
        all.peak_bytes = all.peak_bytes.max(next.peak_bytes);
    }
    let mut once = Series::empty();
    once.add(all);
    let first = Row::of(name, subject, &once, None, limit);
    let projects = corpus.home.join(".claude/projects");
    let floor = Bench::floor(&[OsStr::new("look"), projects.as_os_str()])?;
    let unchanged = Row::measure(
        format!(
            "pass with nothing changed, beside copies of {} sessions",
            corpus.sessions
        ),
        subject,
        ("a look at each file", &floor),
        Limit::Milliseconds(50.0),
        bench.runs,
        |output| !output.is_empty(),
    )?;
    keep_copies(&corpus.home, false)?;
    corpus::clear(&vault)?;
    Ok(vec![first, unchanged])
}

fn bytes_below(directory: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() {
            bytes_below(&entry.path())?
        } else {
            entry.metadata()?.len()
        };
    }
    Ok(bytes)
}

/// Whether the vault keeps copies; without them the index is measured by itself.
pub(crate) fn keep_copies(home: &Path, keep: bool) -> Result<()> {
    let directory = home.join(".config/sexton");
    fs::create_dir_all(&directory)?;
    let policy = if keep { "all" } else { "off" };
    Ok(fs::write(
        directory.join("config.toml"),
        format!("[vault]\npolicy = \"{policy}\"\n"),
    )?)
}

fn append_turn(path: &Path) -> Result<()> {
    let id = path
        .file_stem()
        .and_then(OsStr::to_str)
        .ok_or("a transcript without a name")?;
    let turn = Transcript::new(id)
        .prompt("does it still hold?")
        .answer("It does, after the last change.");
    let mut file = fs::File::options().append(true).open(path)?;
    Ok(file.write_all(turn.content())?)
}

/// A filter by number of messages counts the lines of one large transcript.
fn lines(bench: &Bench, corpus: &Holdings) -> Result<Row> {
    let home = fresh("lines")?;
    let project = home.join(".claude/projects/-home-dev-sample");
    fs::create_dir_all(&project)?;
    let path = project.join(
        corpus
            .largest_transcript
            .file_name()
            .ok_or("a transcript without a name")?,
    );
    // Large enough that starting a process doesn't count.
    let mut file = fs::File::create(&path)?;
    for _ in 0..(200_000_000 / corpus.largest.max(1) + 1).min(50) {
        io::copy(&mut fs::File::open(&corpus.largest_transcript)?, &mut file)?;
    }
    let subject = bench
        .sexton(&home)
        .arguments(["delete", "--max-messages", "100000000", "--dry-run"]);
    let floor = Program::new("/usr/bin/wc").argument("-l").argument(&path);
    Row::measure(
        format!("counting the lines of {} MB", fs::metadata(&path)?.len() / 1_000_000),
        &subject,
        ("wc -l", &floor),
        Limit::TimesFloor(1.2),
        bench.runs.min(10),
        |output| !output.is_empty(),
    )
}
