//! The list, with everything known from the run before.

use std::ffi::OsStr;

use super::index;
use crate::bench::figures::{Limit, Row};
use crate::bench::sample::until_complete;
use crate::bench::{Bench, Rows};

pub(super) fn measure(bench: &Bench) -> Rows {
    let corpus = bench.corpus()?;
    let projects = corpus.home.join(".claude/projects");
    let floor = Bench::floor(&[OsStr::new("look"), projects.as_os_str()])?;
    let floor = ("a look at each file", &floor);
    index::keep_copies(&corpus.home, false)?;
    until_complete(&bench.sexton(&corpus.home).arguments(index::PASS))?;
    let mut rows = Vec::new();
    for arguments in [&["list"][..], &["list", "--all"], &["list", "--all", "--json"]] {
        let subject = bench.sexton(&corpus.home).arguments(arguments);
        let name = format!("{}, {} sessions, nothing changed", arguments.join(" "), corpus.sessions);
        // Loose ends alone are a tenth.
        let least = corpus.sessions / 20;
        rows.push(Row::measure(
            name,
            &subject,
            floor,
            Limit::Milliseconds(50.0),
            bench.runs,
            |output| output.lines().count() >= least,
        )?);
    }
    Ok(rows)
}
