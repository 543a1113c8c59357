//! The table on a terminal: how soon it is there, how soon it answers, and what it costs while nothing happens.

use std::time::Duration;

use super::index;
use crate::bench::figures::{Limit, Row};
use crate::bench::pty::Pty;
use crate::bench::sample::{Program, Sample, Series, until_complete};
use crate::bench::{Bench, Rows};

/// Stands in the rows of sessions, and nowhere else. Blanks are not drawn, so that it is one word.
const THERE: &str = "crashed";

/// Stands in the title once every session has been looked at.
const COMPLETE: &str = "finished,";

/// A frame at sixty a second, in milliseconds.
const FRAME: f64 = 1000.0 / 60.0;

/// How long the table is left alone.
const IDLE: Duration = Duration::from_secs(10);

pub(super) fn measure(bench: &Bench) -> Rows {
    let corpus = bench.corpus()?;
    index::keep_copies(&corpus.home, false)?;
    until_complete(&bench.sexton(&corpus.home).arguments(index::PASS))?;
    let subject = bench.sexton(&corpus.home);
    let floor = bench.sexton(&corpus.home).argument("--version");
    let (mut opened, mut complete, mut bare) = (Series::empty(), Series::empty(), Series::empty());
    for _ in 0..bench.runs {
        let mut pty = Pty::open(&subject, 120, 40)?;
        let wall = pty.wait_for(THERE)?;
        let all = pty.wait_for(COMPLETE)?;
        pty.settle(Duration::from_millis(300))?;
        let ended = pty.end("q")?;
        complete.add(Sample { wall: all, ..ended });
        opened.add(Sample { wall, ..ended });
        bare.add(floor.sample()?);
    }
    let sessions = corpus.sessions;
    let limit = Limit::Within {
        milliseconds: 100.0,
        peak_bytes: 100_000_000,
    };
    let floor = Some(("--version", &bare));
    let mut rows = vec![
        Row::of(
            format!("table, until what is open of {sessions} sessions is there"),
            &subject,
            &opened,
            floor,
            limit,
        ),
        Row::of(
            format!("table, until {sessions} sessions have been looked at"),
            &subject,
            &complete,
            floor,
            Limit::None { bytes: None },
        ),
    ];
    rows.extend(keys(bench, &subject, sessions)?);
    rows.push(idle(&subject, sessions)?);
    Ok(rows)
}

/// Moving, and narrowing by a letter, with every session shown.
fn keys(bench: &Bench, subject: &Program, sessions: usize) -> Rows {
    let mut pty = Pty::open(subject, 120, 40)?;
    pty.wait_for(COMPLETE)?;
    let quiet = Duration::from_millis(300);
    pty.settle(quiet)?;
    pty.press("a")?;
    pty.settle(quiet)?;
    let (mut moved, mut typed) = (Series::empty(), Series::empty());
    let sample = |wall| Sample {
        wall,
        peak_bytes: 0,
        code: None,
    };
    for _ in 0..bench.runs {
        moved.add(sample(pty.press("j")?));
        pty.settle(Duration::from_millis(50))?;
        moved.add(sample(pty.press("k")?));
        pty.settle(Duration::from_millis(50))?;
    }
    for _ in 0..bench.runs {
        pty.press("/")?;
        pty.settle(Duration::from_millis(50))?;
        typed.add(sample(pty.press("e")?));
        pty.settle(quiet)?;
        pty.press("\u{1b}")?;
        pty.settle(quiet)?;
    }
    pty.end("q")?;
    let limit = Limit::Milliseconds(FRAME);
    Ok(vec![
        Row::of(
            format!("table, a step among {sessions} sessions"),
            subject,
            &moved,
            None,
            limit,
        ),
        Row::of(
            format!("table, a letter that narrows {sessions} sessions"),
            subject,
            &typed,
            None,
            limit,
        ),
    ])
}

fn idle(subject: &Program, sessions: usize) -> Result<Row, Box<dyn std::error::Error>> {
    let mut pty = Pty::open(subject, 120, 40)?;
    pty.wait_for(COMPLETE)?;
    pty.pass(Duration::from_secs(3))?;
    let before = pty.processor_time()?;
    pty.pass(IDLE)?;
    let wall = pty.processor_time()?.saturating_sub(before);
    let ended = pty.end("q")?;
    let mut series = Series::empty();
    series.add(Sample { wall, ..ended });
    let name = format!(
        "table, processor time of {} idle seconds, {sessions} sessions",
        IDLE.as_secs()
    );
    // A hundredth of one core.
    #[expect(clippy::cast_precision_loss, reason = "a handful of seconds")]
    let limit = Limit::Milliseconds(IDLE.as_millis() as f64 / 100.0);
    Ok(Row::of(name, subject, &series, None, limit))
}
