//! Search as a whole process, against a tool that reads everything.

use std::path::Path;

use sexton_testkit::corpus::needles;

use super::index;
use crate::bench::figures::{Limit, Row};
use crate::bench::sample::{Program, until_complete};
use crate::bench::{Bench, Rows};
use crate::corpus;

pub(super) fn measure(bench: &Bench) -> Rows {
    // The limit is one for a gigabyte; how a search grows with more stands with the growth.
    let corpus = corpus::at_hand(bench.sessions.min(2_000), bench.bytes.min(1_000_000_000))?;
    let phrase = format!("\"{}\"", needles::PHRASE);
    let two_words = format!("{} {}", needles::COMMON, needles::UNCOMMON);
    index::keep_copies(&corpus.home, false)?;
    until_complete(&bench.sexton(&corpus.home).arguments(index::PASS))?;
    let mut rows = Vec::new();
    for (what, query, plain) in [
        ("one hit", needles::RARE, needles::RARE),
        ("a hundredth of all sessions", needles::UNCOMMON, needles::UNCOMMON),
        ("two words", two_words.as_str(), needles::UNCOMMON),
        ("a phrase", phrase.as_str(), needles::PHRASE),
        ("Chinese", needles::CJK, needles::CJK),
        ("a word in nearly every session", needles::COMMON, needles::COMMON),
    ] {
        let subject = bench.sexton(&corpus.home).arguments(["search", query]);
        let (name, floor) = reader(plain, &corpus.home.join(".claude/projects"));
        rows.push(Row::measure(
            format!("search, {what}, {} MB", corpus.bytes / 1_000_000),
            &subject,
            (name, &floor),
            Limit::Milliseconds(15.0),
            // The floor reads gigabytes each time.
            bench.runs.min(15),
            |output| !output.is_empty(),
        )?);
    }
    Ok(rows)
}

/// `rg` where it is installed, else `grep`.
fn reader(words: &str, projects: &Path) -> (&'static str, Program) {
    let rg = ["/usr/bin/rg", "/usr/local/bin/rg"]
        .into_iter()
        .find(|path| Path::new(path).exists());
    let (name, program) = match rg {
        Some(path) => (
            "rg",
            Program::new(path).arguments(["--files-with-matches", "--fixed-strings", "--no-ignore", "--hidden"]),
        ),
        None => ("grep", Program::new("/usr/bin/grep").arguments(["-r", "-l", "-F"])),
    };
    (
        name,
        program
            .variable("LC_ALL", "C.UTF-8")
            .argument("-e")
            .argument(words)
            .argument(projects),
    )
}
