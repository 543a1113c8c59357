//! What is wrong on this machine, why that matters, and what mends it.
//!
//! [`examine`] looks and changes nothing; each check is one file under `checks`, a function from the [`Machine`] to findings. A finding that
//! can be mended without taking anything from anyone carries a [`Fix`], which goes through effects like everything else.

mod checks;
mod finding;
mod fix;
mod machine;

use rayon::prelude::*;

use crate::context::Context;

pub use finding::{Finding, Remedy, Weight};
pub use fix::Fix;
use machine::Machine;

/// Everything that was found, what needs attention first.
#[must_use]
pub fn examine(context: &Context) -> Vec<Finding> {
    let machine = Machine::look(context);
    let mut findings: Vec<Finding> = checks::ALL.par_iter().flat_map_iter(|check| check(&machine)).collect();
    findings.sort_by_key(|finding| finding.weight);
    findings
}

/// How many checks there are.
#[must_use]
pub fn count() -> usize {
    checks::ALL.len()
}
