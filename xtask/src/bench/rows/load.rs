//! Load: ten times the sessions that the limits speak of, in the register; only on demand, since it makes 2 GB of files.
//!
//! `cargo xtask bench --only load` prints them.

use std::ffi::OsStr;

use sexton_testkit::corpus::needles;
use sexton_testkit::{NOW_MS, register, session_id};

use super::index;
use crate::bench::figures::{Limit, Row};
use crate::bench::sample::until_complete;
use crate::bench::{Bench, Rows};
use crate::corpus;

/// Transcripts, each with a register file.
const TRANSCRIPTS: usize = 20_000;

/// Bytes of all transcripts: small ones, since it is their number that counts.
const BYTES: u64 = 1_000_000_000;

/// Sessions of which only the register knows; together with the others a hundred thousand.
const RECORDED: u32 = 80_000;

pub(super) fn measure(bench: &Bench) -> Rows {
    let corpus = corpus::at_hand(TRANSCRIPTS, BYTES)?;
    let directory = corpus.home.join(".claudewheel/shared/lifecycle");
    if !register::file(&directory, &session_id(RECORDED - 1)).exists() {
        for number in 0..RECORDED {
            let id = session_id(number);
            let at = NOW_MS - i64::from(number) * 60_000;
            let events = [register::started(&id, at), register::ended(&id, at + 50_000, "exited")];
            register::write(&directory, &id, &events);
        }
    }
    index::keep_copies(&corpus.home, false)?;
    until_complete(&bench.sexton(&corpus.home).arguments(index::PASS))?;
    let floor = Bench::floor(&[OsStr::new("look"), directory.as_os_str()])?;
    let mut rows = Vec::new();
    for (arguments, limit) in [
        (&["list"][..], Limit::Milliseconds(500.0)),
        (&["list", "--all", "--json"], Limit::Milliseconds(500.0)),
        (&["search", needles::RARE], Limit::Milliseconds(150.0)),
        (&["search", needles::COMMON], Limit::Milliseconds(150.0)),
        (&["sweep"], Limit::Milliseconds(500.0)),
        (&["doctor"], Limit::None { bytes: None }),
    ] {
        let subject = bench.sexton(&corpus.home).arguments(arguments);
        rows.push(Row::measure(
            format!("load: {}, 100,000 in the register", arguments.join(" ")),
            &subject,
            ("a look at each register file", &floor),
            limit,
            bench.runs,
            |_| true,
        )?);
    }
    Ok(rows)
}
