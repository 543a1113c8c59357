//! The rows, a file for each kind of work.

pub(crate) mod hook;
pub(crate) mod index;
mod list;
mod load;
mod register;
mod search;
mod table;
mod yard;

use super::{Bench, Rows};

/// Measures every row that was asked for.
pub(super) fn measure_all(bench: &Bench) -> Rows {
    let mut rows = Vec::new();
    for (name, measure) in [
        ("hook", hook::measure as fn(&Bench) -> Rows),
        ("register", register::measure),
        ("list", list::measure),
        ("index", index::measure),
        ("search", search::measure),
        ("table", table::measure),
        ("yard", yard::measure),
    ] {
        if bench.wants(name) {
            eprintln!("measuring {name}");
            rows.extend(measure(bench)?);
        }
    }
    if bench.asks_for("load") {
        eprintln!("measuring load");
        rows.extend(load::measure(bench)?);
    }
    Ok(rows)
}
