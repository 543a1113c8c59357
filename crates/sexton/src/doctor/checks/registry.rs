//! What dead processes left behind.

use sexton_claude::registry::stale_records;

use crate::doctor::machine::Machine;
use crate::doctor::{Finding, Fix};
use crate::render::counted;
use crate::render::path::safe;

const CHECK: &str = "registry";

pub(super) fn check(machine: &Machine<'_>) -> Vec<Finding> {
    let Ok(sources) = &machine.sources else {
        return Vec::new();
    };
    let observation = &sources.observation;
    let stale = observation.registries.iter().filter_map(|registry| {
        let stale = stale_records(&registry.scan, &observation.observed[registry.range.clone()]);
        (!stale.is_empty()).then_some((registry, stale.len()))
    });
    let stale = stale.map(|(registry, count)| {
        let what = format!(
            "{} of dead processes in {}",
            counted(count, "registry file"),
            safe(&registry.config_dir.join("sessions"))
        );
        Finding::note(
            CHECK,
            what,
            "Claude Code never removes them; what only they know is recorded before they go",
        )
        .fixed_by(Fix::Prune, "sexton prune")
    });
    let problems = observation.problems.iter();
    let unlisted = problems.map(|problem| {
        Finding::attention(
            CHECK,
            crate::render::visible(problem),
            "which sessions run there can't be told",
        )
    });
    stale.chain(unlisted).collect()
}
