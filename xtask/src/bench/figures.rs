//! What was measured, and whether it is within its limit.

use serde::Serialize;

use super::sample::{Program, Series, output_file};
use crate::Result;

/// One line of the result.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    /// What is measured.
    pub(crate) name: String,
    /// The command, without the program's name.
    pub(crate) command: String,
    /// The limit in words.
    pub(crate) limit: String,
    pub(crate) outcome: Outcome,
}

/// Figures, or why there are none.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Measured(Figures),
    NotMeasured(String),
}

/// Times in milliseconds.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figures {
    pub(crate) runs: usize,
    pub(crate) median_ms: f64,
    /// A tenth of the runs were faster.
    pub(crate) low_ms: f64,
    /// A tenth of the runs were slower.
    pub(crate) high_ms: f64,
    pub(crate) peak_bytes: u64,
    pub(crate) floor: Option<Floor>,
    pub(crate) megabytes_per_second: Option<f64>,
    pub(crate) within_limit: bool,
}

/// The floor of a row in the same run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Floor {
    pub(crate) name: String,
    pub(crate) median_ms: f64,
    /// The subject's median over the floor's.
    pub(crate) ratio: f64,
}

/// What a row is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// At most this many times the floor.
    TimesFloor(f64),
    /// At most this many milliseconds.
    Milliseconds(f64),
    /// At most this many milliseconds, with at most `peak_bytes` resident.
    Within { milliseconds: f64, peak_bytes: u64 },
    /// Nothing was set: for comparison.
    None { bytes: Option<u64> },
    /// At least so many megabytes of `bytes` a second, with at most `peak_bytes` resident.
    Throughput {
        bytes: u64,
        megabytes_per_second: f64,
        peak_bytes: u64,
    },
}

impl Row {
    /// A row that could not be measured.
    pub(crate) fn without(name: impl Into<String>, subject: &Program, limit: Limit, reason: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            command: subject.described(),
            limit: limit.in_words(),
            outcome: Outcome::NotMeasured(reason.into()),
        }
    }

    /// Measures `subject`, in turn with its floor, once it has given the right answer.
    pub(crate) fn measure(
        name: impl Into<String>,
        subject: &Program,
        floor: (&str, &Program),
        limit: Limit,
        runs: usize,
        is_right: impl Fn(&str) -> bool,
    ) -> Result<Self> {
        let name = name.into();
        if let Some(reason) = why_not(subject, is_right)? {
            return Ok(Self::without(name, subject, limit, reason));
        }
        let (ours, theirs) = Series::alternating(subject, floor.1, runs)?;
        Ok(Self::of(name, subject, &ours, Some((floor.0, &theirs)), limit))
    }

    /// A row of samples that were taken already.
    pub(crate) fn of(
        name: impl Into<String>,
        subject: &Program,
        ours: &Series,
        floor: Option<(&str, &Series)>,
        limit: Limit,
    ) -> Self {
        let floor = floor.map(|(name, theirs)| Floor {
            name: name.to_owned(),
            median_ms: theirs.median(),
            ratio: ours.median() / theirs.median(),
        });
        let megabytes_per_second = match limit {
            Limit::Throughput { bytes, .. } => Some(bytes),
            Limit::None { bytes } => bytes,
            _ => None,
        }
        .map(|bytes| megabytes(bytes) / (ours.median() / 1e3));
        let within_limit = match limit {
            Limit::None { .. } => true,
            Limit::TimesFloor(times) => floor.as_ref().is_some_and(|floor| floor.ratio <= times),
            Limit::Milliseconds(most) => ours.median() <= most,
            Limit::Within {
                milliseconds,
                peak_bytes,
            } => ours.median() <= milliseconds && ours.peak_bytes() <= peak_bytes,
            Limit::Throughput {
                megabytes_per_second: least,
                peak_bytes,
                ..
            } => megabytes_per_second.is_some_and(|speed| speed >= least) && ours.peak_bytes() <= peak_bytes,
        };
        Self {
            name: name.into(),
            command: subject.described(),
            limit: limit.in_words(),
            outcome: Outcome::Measured(Figures {
                runs: ours.runs(),
                median_ms: ours.median(),
                low_ms: ours.low(),
                high_ms: ours.high(),
                peak_bytes: ours.peak_bytes(),
                floor,
                megabytes_per_second,
                within_limit,
            }),
        }
    }
}

impl Limit {
    fn in_words(self) -> String {
        match self {
            Self::TimesFloor(times) => format!("{times} times the floor"),
            Self::Milliseconds(most) => format!("{most:.0} ms"),
            Self::Within {
                milliseconds,
                peak_bytes,
            } => format!("{milliseconds} ms, {} MB", megabytes(peak_bytes)),
            Self::None { .. } => "-".to_owned(),
            Self::Throughput {
                megabytes_per_second,
                peak_bytes,
                ..
            } => format!("{megabytes_per_second} MB/s, {} MB", megabytes(peak_bytes)),
        }
    }
}

/// Runs it once and tells why its time would mean nothing, if it would.
pub(crate) fn why_not(subject: &Program, is_right: impl Fn(&str) -> bool) -> Result<Option<String>> {
    let code = subject.sample()?.code;
    let problems = std::fs::read_to_string(super::sample::error_file()?)?;
    let first = problems.lines().next().unwrap_or("no message");
    Ok(match code {
        Some(2) => Some(format!("the binary doesn't know it: {first}")),
        // 3: done in part; what doctor finds, too.
        Some(0 | 3) => {
            let output = String::from_utf8_lossy(&std::fs::read(output_file()?)?).into_owned();
            (!is_right(&output)).then(|| "the binary doesn't give the answer yet".to_owned())
        }
        Some(code) => Some(format!("exit {code}: {first}")),
        None => Some(format!("killed by a signal: {first}")),
    })
}

/// Bytes in megabytes, for people.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
