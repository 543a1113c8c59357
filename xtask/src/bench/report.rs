//! Results as a table for a terminal, as Markdown, as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::figures::{Figures, Outcome, Row, megabytes};
use super::machine::Machine;
use crate::Result;

const HEAD: [&str; 8] = ["what", "median", "spread", "floor", "ratio", "peak", "limit", ""];

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    machine: &'a Machine,
    rows: &'a [Row],
}

/// One JSON document.
pub(crate) fn json(machine: &Machine, rows: &[Row]) -> Result<String> {
    let document = Document {
        schema_version: 1,
        machine,
        rows,
    };
    Ok(serde_json::to_string_pretty(&document)?)
}

/// A table for a terminal.
pub(crate) fn text(machine: &Machine, rows: &[Row]) -> String {
    let lines: Vec<[String; 8]> = std::iter::once(HEAD.map(str::to_owned))
        .chain(rows.iter().map(cells))
        .collect();
    let mut text = machine.described() + "\n\n";
    for line in &lines {
        for (column, cell) in line.iter().enumerate() {
            let width = lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
            let _ = match column {
                0 | 6 | 7 => write!(text, "{cell:width$}  "),
                _ => write!(text, "{cell:>width$}  "),
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    for (row, reason) in unmeasured(rows) {
        let _ = writeln!(text, "not measured: {} (`{}`): {reason}", row.name, row.command);
    }
    text
}

/// A Markdown table.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| what | median | spread | floor | ratio | peak memory | limit | within |\n|---|---:|---:|---:|---:|---:|---|---|\n",
    );
    for row in rows.iter().filter(|row| matches!(row.outcome, Outcome::Measured(_))) {
        let _ = writeln!(text, "| {} |", cells(row).join(" | "));
    }
    for (row, reason) in unmeasured(rows) {
        let _ = writeln!(text, "\nNot measured: {} (`{}`): {reason}.", row.name, row.command);
    }
    text
}

fn unmeasured(rows: &[Row]) -> impl Iterator<Item = (&Row, &str)> {
    rows.iter().filter_map(|row| match &row.outcome {
        Outcome::NotMeasured(reason) => Some((row, reason.as_str())),
        Outcome::Measured(_) => None,
    })
}

fn cells(row: &Row) -> [String; 8] {
    let Outcome::Measured(figures) = &row.outcome else {
        let nothing = || "-".to_owned();
        return [
            row.name.clone(),
            nothing(),
            nothing(),
            nothing(),
            nothing(),
            nothing(),
            row.limit.clone(),
            nothing(),
        ];
    };
    let (floor, ratio) = match &figures.floor {
        Some(floor) => (
            format!("{} {}", milliseconds(floor.median_ms), floor.name),
            format!("{:.2}", floor.ratio),
        ),
        None => ("-".to_owned(), "-".to_owned()),
    };
    [
        row.name.clone(),
        median(figures),
        format!("{} to {}", milliseconds(figures.low_ms), milliseconds(figures.high_ms)),
        floor,
        ratio,
        format!("{:.1} MB", megabytes(figures.peak_bytes)),
        row.limit.clone(),
        if figures.within_limit { "yes" } else { "NO" }.to_owned(),
    ]
}

fn median(figures: &Figures) -> String {
    match figures.megabytes_per_second {
        Some(speed) => format!("{} ({speed:.0} MB/s)", milliseconds(figures.median_ms)),
        None => milliseconds(figures.median_ms),
    }
}

fn milliseconds(time: f64) -> String {
    if time < 100.0 {
        format!("{time:.2} ms")
    } else {
        format!("{time:.0} ms")
    }
}
