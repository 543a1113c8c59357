//! `cargo xtask guard`: counts of what the hot paths do, against checked-in numbers; and that nothing grows faster than its input.

mod count;
mod subjects;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::bench::Bench;
use crate::bench::figures::why_not;
use crate::{Result, binary};
use count::Counts;

/// Options of `cargo xtask guard`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Write the counts of today as what is checked from now on.
    #[arg(long)]
    update: bool,
    /// Count this binary instead of building one.
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Compilers differ by a few percent.
const INSTRUCTIONS_PERCENT: u64 = 15;
/// A call more or less isn't worth a red build.
const CALLS_PERCENT: u64 = 10;
const CALLS_SLACK: u64 = 3;

type Recorded = BTreeMap<String, Counts>;

/// Counts, and fails if anything grew past its margin.
pub(crate) fn run(options: &Options) -> Result<()> {
    let bench = Bench::for_counting(match &options.binary {
        Some(path) => path.canonicalize()?,
        None => binary::release()?,
    });
    let mut faults = Vec::new();
    let recorded = record(&file())?;
    let mut counted = Recorded::new();
    for subject in subjects::everyday(&bench)? {
        if let Some(reason) = why_not(&subject.program, |_| true)? {
            println!("{:44} not counted: {reason}", subject.name);
            continue;
        }
        let counts = count::count(&subject.program, &subject.prepare)?;
        println!("{:44} {}", subject.name, in_words(&counts));
        if let Some(expected) = recorded.get(&subject.name) {
            faults.extend(compare(&subject.name, expected, &counts));
        } else if !options.update {
            faults.push(format!(
                "{}: no numbers are checked in; run `cargo xtask guard --update`",
                subject.name
            ));
        }
        counted.insert(subject.name, counts);
    }
    faults.extend(growth(&bench)?);
    if options.update {
        fs::write(file(), serde_json::to_string_pretty(&counted)? + "\n")?;
    }
    if faults.is_empty() || options.update {
        Ok(())
    } else {
        Err(faults.join("\n").into())
    }
}

/// Each pair may cost at most a quarter more than in proportion.
fn growth(bench: &Bench) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for (name, times, pair) in subjects::growing(bench)? {
        let mut costs = Vec::new();
        for subject in &pair {
            if let Some(reason) = why_not(&subject.program, |_| true)? {
                println!("{name:44} not counted: {reason}");
                break;
            }
            (subject.prepare)()?;
            costs.extend(count::instructions(&subject.program)?);
        }
        let [small, large] = costs[..] else { continue };
        println!(
            "{name:44} {times} times the input: {} to {} million instructions",
            small / 1_000_000,
            large / 1_000_000
        );
        if large > small * times * 5 / 4 {
            faults.push(format!(
                "{name}: {times} times the input costs {} times as much",
                large / small
            ));
        }
    }
    Ok(faults)
}

/// What grew past its margin, in words; what a tool that is absent would count is not compared.
fn compare(name: &str, expected: &Counts, counts: &Counts) -> Vec<String> {
    let mut faults = Vec::new();
    if let (Some(most), Some(now)) = (expected.instructions, counts.instructions)
        && now > most + most * INSTRUCTIONS_PERCENT / 100
    {
        faults.push(format!("{name}: {now} instructions, {most} before"));
    }
    for (group, most) in expected.calls.iter().flatten() {
        let now = counts
            .calls
            .as_ref()
            .and_then(|calls| calls.get(group))
            .copied()
            .unwrap_or(0);
        if now > most + most * CALLS_PERCENT / 100 + CALLS_SLACK {
            faults.push(format!("{name}: {now} calls of group `{group}`, {most} before"));
        }
    }
    faults
}

fn in_words(counts: &Counts) -> String {
    let calls = counts
        .calls
        .iter()
        .flatten()
        .map(|(group, number)| format!("{group} {number}"));
    let instructions = counts
        .instructions
        .map(|number| format!("{:.2} million instructions", millions(number)));
    let words: Vec<String> = calls.chain(instructions).collect();
    if words.is_empty() {
        "not counted: neither strace nor valgrind is here".to_owned()
    } else {
        words.join(", ")
    }
}

fn record(path: &Path) -> Result<Recorded> {
    match fs::read(path) {
        Ok(text) => Ok(serde_json::from_slice(&text)?),
        Err(_) => Ok(Recorded::new()),
    }
}

fn file() -> PathBuf {
    binary::root().join("xtask/guard.json")
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn millions(number: u64) -> f64 {
    number as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(open: u64, instructions: Option<u64>) -> Counts {
        Counts {
            calls: Some([("open".to_owned(), open)].into()),
            instructions,
        }
    }

    #[test]
    fn a_margin_is_allowed_and_no_more() {
        let before = counts(100, Some(1_000));
        assert_eq!(compare("x", &before, &counts(113, Some(1_150))), Vec::<String>::new());
        assert_eq!(
            compare("x", &before, &counts(114, Some(1_151))),
            [
                "x: 1151 instructions, 1000 before",
                "x: 114 calls of group `open`, 100 before"
            ]
        );
        assert_eq!(compare("x", &before, &counts(100, None)), Vec::<String>::new());
    }
}
