//! docs/performance.md: the generated part, between its marks; what people write around it stays.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::figures::Row;
use super::growth::Curve;
use super::machine::Machine;
use super::report;
use super::scale::Scale;
use crate::Result;

const BEGIN: &str = "<!-- figures: written by `cargo xtask bench --write` -->";
const END: &str = "<!-- end of figures -->";

/// Puts the figures into the page, or makes a page of them.
pub(super) fn write(path: &Path, machine: &Machine, rows: &[Row], growth: &[Curve], scales: &[Scale]) -> Result<()> {
    let old = fs::read_to_string(path).unwrap_or_else(|_| format!("# Performance\n\n{BEGIN}\n{END}\n"));
    let (before, rest) = old
        .split_once(BEGIN)
        .ok_or("the page has no mark where figures begin")?;
    let (_, after) = rest.split_once(END).ok_or("the page has no mark where figures end")?;
    let figures = figures(machine, rows, growth) + &one_thing(scales);
    fs::write(path, format!("{before}{BEGIN}\n\n{figures}\n{END}{after}"))?;
    Ok(())
}

fn figures(machine: &Machine, rows: &[Row], growth: &[Curve]) -> String {
    let mut text = format!("{}.\n\n{}", machine.described(), report::markdown(rows));
    if !growth.is_empty() {
        text += "\n![Cost against number of sessions](performance.svg)\n\n| sessions |";
        for curve in growth {
            let _ = write!(text, " {} |", curve.name);
        }
        text += "\n|---:|";
        text += &"---:|".repeat(growth.len());
        text.push('\n');
        let longest = growth.iter().max_by_key(|curve| curve.points.len());
        for (sessions, _) in longest.map(|curve| curve.points.as_slice()).unwrap_or_default() {
            let _ = write!(text, "| {sessions} |");
            for curve in growth {
                match curve.points.iter().find(|(number, _)| number == sessions) {
                    Some((_, milliseconds)) => _ = write!(text, " {milliseconds:.1} ms |"),
                    None => text += " - |",
                }
            }
            text.push('\n');
        }
    }
    text
}

/// What grows with one thing alone.
fn one_thing(scales: &[Scale]) -> String {
    let mut text = "\n| what | more and more | | | |\n|---|---|---:|---:|---:|\n".to_owned();
    for Scale { command, of, points } in scales {
        let _ = write!(text, "| `{command}` | {of} |");
        for (size, milliseconds) in points {
            let _ = write!(text, " {size}: {milliseconds:.1} ms |");
        }
        text.push('\n');
    }
    text
}
