//! How cost grows with the number of sessions, at the same bytes a session.

use std::fs;

use serde::Serialize;
use sexton_testkit::corpus::needles;

use super::figures::why_not;
use super::sample::{Program, Series, until_complete};
use super::{Bench, rows};
use crate::{Result, corpus};

/// One curve.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Curve {
    /// What was measured.
    pub(crate) name: String,
    /// (sessions, milliseconds).
    pub(crate) points: Vec<(usize, f64)>,
}

/// Measures each command at a tenth, a third and so on up to the whole size; commands that the binary doesn't know have no points.
pub(super) fn measure(bench: &Bench) -> Result<Vec<Curve>> {
    let commands: [(&str, &[&str]); 4] = [
        ("first index", &["search", needles::RARE]),
        ("search, one hit", &["search", needles::RARE]),
        ("list --all", &["list", "--all"]),
        ("register load --strict", &["register", "load", "--strict"]),
    ];
    let mut curves: Vec<Curve> = commands
        .map(|(name, _)| Curve {
            name: name.to_owned(),
            points: Vec::new(),
        })
        .into();
    for share in [100, 30, 10, 3, 1] {
        let sessions = bench.sessions / share;
        if sessions < 10 {
            continue;
        }
        eprintln!("growth at {sessions} sessions");
        let corpus = corpus::at_hand(sessions, bench.bytes / share as u64)?;
        rows::index::keep_copies(&corpus.home, false)?;
        for (curve, (name, arguments)) in curves.iter_mut().zip(commands) {
            let subject = bench.sexton(&corpus.home).arguments(arguments);
            let fresh_index = name == "first index";
            if fresh_index {
                corpus::clear(&corpus.home.join(".cache/sexton"))?;
            } else if why_not(&subject, |output| !output.is_empty())?.is_some() {
                continue;
            }
            let found = if fresh_index {
                Some(until_complete(&subject)?.wall.as_secs_f64() * 1e3)
            } else {
                time(&subject)?
            };
            curve.points.extend(found.map(|milliseconds| (sessions, milliseconds)));
        }
    }
    curves.retain(|curve| !curve.points.is_empty());
    Ok(curves)
}

/// The median, or nothing when it failed.
pub(super) fn time(subject: &Program) -> Result<Option<f64>> {
    let mut series = Series::empty();
    for _ in 0..7 {
        let sample = subject.sample()?;
        let silent = fs::metadata(super::sample::output_file()?)?.len() == 0;
        if sample.code != Some(0) || silent {
            return Ok(None);
        }
        series.add(sample);
    }
    Ok(Some(series.median()))
}
