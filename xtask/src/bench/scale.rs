//! How cost grows with one thing alone: events in a file, tombstones, hits, bytes of transcripts.

use std::fs;
use std::path::PathBuf;

use sexton_testkit::corpus::needles;
use sexton_testkit::{NOW_MS, Transcript, register, session_id};

use super::growth::time;
use super::sample::{Program, until_complete};
use super::{Bench, fresh, rows};
use crate::{Result, corpus};

/// One command at three sizes of one thing.
#[derive(Debug, Clone)]
pub(crate) struct Scale {
    /// The command.
    pub(crate) command: &'static str,
    /// What there is more and more of.
    pub(crate) of: &'static str,
    /// (how many, milliseconds).
    pub(crate) points: Vec<(usize, f64)>,
}

/// Sessions of the corpora in which the number of sessions is not what grows.
const SESSIONS: usize = 100;

/// Measures all of them; a command that fails is an error.
pub(super) fn measure(bench: &Bench) -> Result<Vec<Scale>> {
    Ok(vec![
        scale(
            "register summary",
            "events in one file",
            [100, 1_000, 10_000],
            |events| {
                let (home, file) = many_events(events)?;
                Ok(bench.sexton(&home).arguments(["register", "summary"]).argument(file))
            },
        )?,
        scale("list --all", "tombstones", [1_000, 10_000, 100_000], |tombstones| {
            let home = many_tombstones(tombstones)?;
            Ok(bench.sexton(&home).arguments(["list", "--all"]))
        })?,
        scale("search --limit 5000 --json", "hits", [50, 500, 5_000], |hits| {
            let home = many_hits(hits)?;
            let search = ["search", "gravedigger", "--limit", "5000", "--json"];
            Ok(bench.sexton(&home).arguments(search))
        })?,
        scale("search, one hit", "MB in 100 sessions", [10, 30, 100], |megabytes| {
            let home = megabytes_of_text(megabytes)?;
            Ok(bench.sexton(&home).arguments(["search", needles::RARE]))
        })?,
    ])
}

fn scale(
    command: &'static str,
    of: &'static str,
    sizes: [usize; 3],
    arrange: impl Fn(usize) -> Result<Program>,
) -> Result<Scale> {
    let mut points = Vec::new();
    for size in sizes {
        eprintln!("{command}, {size} {of}");
        let subject = arrange(size)?;
        until_complete(&subject)?;
        let found = time(&subject)?.ok_or_else(|| format!("`{command}` failed with {size} {of}"))?;
        points.push((size, found));
    }
    Ok(Scale { command, of, points })
}

fn many_events(events: usize) -> Result<(PathBuf, PathBuf)> {
    let home = fresh(&format!("scale-events-{events}"))?;
    let lines: Vec<_> = (0_i64..)
        .take(events)
        .map(|number| register::named(&session_id(1), NOW_MS + number, "n"))
        .collect();
    let file = register::write(&home.join("register"), &session_id(1), &lines);
    Ok((home, file))
}

fn many_tombstones(tombstones: usize) -> Result<PathBuf> {
    let home = small_corpus(&format!("scale-tombstones-{tombstones}"), 10_000_000)?;
    let text: String = (1_000_000_u32..)
        .take(tombstones)
        .flat_map(|number| [session_id(number), "\n".to_owned()])
        .collect();
    fs::write(home.join(".cache/session-search/.deleted"), text)?;
    Ok(home)
}

/// Ten hits a session.
fn many_hits(hits: usize) -> Result<PathBuf> {
    const EACH: usize = 10;
    let home = fresh(&format!("scale-hits-{hits}"))?;
    rows::index::keep_copies(&home, false)?;
    for number in (1_u32..).take(hits / EACH) {
        let mut transcript = Transcript::new(&session_id(number));
        for _ in 0..EACH {
            transcript = transcript.prompt("call the gravedigger").answer("He is on his way.");
        }
        transcript.write(&home.join(".claude"));
    }
    Ok(home)
}

fn megabytes_of_text(megabytes: usize) -> Result<PathBuf> {
    small_corpus(&format!("scale-bytes-{megabytes}"), megabytes as u64 * 1_000_000)
}

fn small_corpus(name: &str, bytes: u64) -> Result<PathBuf> {
    let home = fresh(name)?;
    corpus::generate(&home, SESSIONS, bytes)?;
    rows::index::keep_copies(&home, false)?;
    Ok(home)
}
